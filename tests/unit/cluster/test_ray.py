"""A real Ray cluster of two nodes on this machine."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import batch_jobs
from bromeliad.cli.main import main
from bromeliad.cluster import Checkpoint, open_executor
from bromeliad.errors import BromeliadError, CardError, InputError, UnsupportedError

TESTS = Path(batch_jobs.__file__).parent
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Start two nodes; afterwards, end all of their processes, even if tests fail."""
    source = TESTS.parent / "src"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_worker_niceness", "0")
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, (source, TESTS))))
        from ray.cluster_utils import Cluster

        before = set(psutil.Process().children(recursive=True))
        cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
        try:
            cluster.add_node(**NODE)
            yield cluster
        finally:
            cluster.shutdown()
            left = set(psutil.Process().children(recursive=True)) - before
            for process in left:
                process.kill()
            psutil.wait_procs(left, timeout=60.0)


def numbered(count: int, *rest: str) -> Iterator[tuple[str, object]]:
    return ((f"item {i}", (i, *rest) if rest else i) for i in range(count))


def test_ray_and_this_machine_give_the_same(cluster: Any) -> None:
    told: list[tuple[int, int]] = []
    with open_executor(cluster.address, None, lambda *ready: told.append(ready)) as executor:
        assert executor.workers == 2
        found = list(executor.map_unordered(batch_jobs.seeded, numbered(40)))
        pids = {result["pid"] for _, result in executor.map_unordered(batch_jobs.plain, numbered(40))}
    with open_executor("local", 1) as alone:
        here = dict(alone.map_unordered(batch_jobs.seeded, numbered(40)))
    assert len(found) == 40
    assert dict(found) == here
    assert os.getpid() not in pids
    assert told[0] == (0, 2)
    assert told[-1][0] >= 1


def test_a_command_gives_the_same(cluster: Any, capsys: pytest.CaptureFixture[str]) -> None:
    results = []
    for where in (cluster.address, "local"):
        assert main(["match", "heuristic", "random", "--hands", "8", "--json", "--cluster", where]) == 0
        results.append(json.loads(capsys.readouterr().out))
        for player in results[-1]["players"]:
            del player["ms_per_decision"]
    assert results[0] == results[1]


def test_weights_that_are_named_here_are_named_there(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROMELIAD_WEIGHTS", "/some/where.npz")
    with open_executor(cluster.address, 1) as executor:
        assert dict(executor.map_unordered(batch_jobs.weights, numbered(1))) == {"item 0": "/some/where.npz"}


def test_another_program_is_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bromeliad.cluster.ray_pool.fingerprint", lambda: "another")
    with (
        open_executor(cluster.address, 1) as executor,
        pytest.raises(InputError, match="has another bromeliad, other weights, or another numba or numpy"),
    ):
        list(executor.map_unordered(batch_jobs.plain, numbered(1)))


def test_ray_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'bromeliad\[cluster\]'"):
        open_executor("auto")


def test_errors_of_the_work_are_told(cluster: Any) -> None:
    with open_executor(cluster.address, 1) as executor:
        with pytest.raises(CardError, match="card 0 is no card"):
            list(executor.map_unordered(batch_jobs.refuse, numbered(1)))
        with pytest.raises(ZeroDivisionError):
            list(executor.map_unordered(batch_jobs.fail, numbered(1)))
        with pytest.raises(BromeliadError, match="item 3 was tried 3 times"):
            list(executor.map_unordered(batch_jobs.die_in, numbered(5)))


def test_a_checkpoint_goes_from_one_back_end_to_the_other(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "marks").mkdir()
    for address, count in (("local", 10), (cluster.address, 25), ("local", 30)):
        with open_executor(address, 1) as executor:
            checkpoint = Checkpoint(tmp_path / "run.jsonl", {"seed": 1})
            items = numbered(count, str(tmp_path / "marks"))
            results = dict(executor.map_unordered(batch_jobs.slowly, items, checkpoint=checkpoint))
            assert results == {f"item {i}": i * i for i in range(count)}
    assert len(list((tmp_path / "marks").iterdir())) == 30


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere.invalid:6379"])
def test_no_cluster_is_told_at_once(address: str) -> None:
    with pytest.raises(InputError, match=f"no Ray cluster at {address} .*: start one with `ray start --head`"):
        open_executor(address)


@pytest.mark.parametrize("address", ["lokal", "host:port", ":1", "host:99999"])
def test_what_is_no_address_is_told(address: str) -> None:
    with pytest.raises(InputError, match=f"--cluster {address}: write local, auto or HOST:PORT"):
        open_executor(address)


def test_a_node_that_is_killed_costs_no_item_and_doubles_none(cluster: Any, tmp_path: Path) -> None:
    def workers() -> set[str]:
        return {path.name.split(".")[1] for path in tmp_path.iterdir() if path.suffix != ".jsonl"}

    def until_both() -> Iterator[tuple[str, object]]:
        """Yield items until both nodes have worked, even if one starts late, and then forty more."""
        left = 40
        for item in numbered(5000, str(tmp_path)):
            left -= len(workers()) == 2
            if left < 0:
                return
            yield item

    with open_executor(cluster.address) as executor:
        results = executor.map_unordered(
            batch_jobs.slowly, until_both(), checkpoint=Checkpoint(tmp_path / "run.jsonl", {})
        )
        found = [next(results)]
        while len(workers()) < 2:
            found.append(next(results))
        cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
        found += results
    assert sorted(result for _, result in found) == [i * i for i in range(len(found))]
    lines = (tmp_path / "run.jsonl").read_text().splitlines()
    assert len(lines) == len(set(lines)) == len(found) + 1
    assert len(found) > 40
    assert len(workers()) >= 2  # both nodes have worked


def kill_a_worker(cluster: Any) -> None:
    """Kill a process that does the work, as the system does when memory runs out."""
    processes = psutil.Process().children(recursive=True)
    next(each for each in processes if " ".join(each.cmdline()).startswith("ray::_Worker")).kill()


def kill_a_node(cluster: Any) -> None:
    """Kill a whole node, with its workers."""
    cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)


COMMANDS = {
    "match": ("match", "mcts:100sims", "random", "--hands", "60", "--json"),
    "book": ("book", "build", "--hands", "24", "--simulations", "400", "--playouts", "800", "--json", "--output"),
}


@pytest.mark.accept
@pytest.mark.parametrize("kill", [kill_a_worker, kill_a_node])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_kill_in_the_middle_of_a_command_loses_nothing(
    cluster: Any,
    command: str,
    kill: Callable[[Any], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def done(where: str) -> object:
        book = tmp_path / f"{where.partition(':')[0]}.book"
        file = [str(book)] if command == "book" else []
        assert main([*COMMANDS[command], *file, "--cluster", where]) == 0
        found = json.loads(capsys.readouterr().out)
        for player in found.get("players", ()):
            del player["ms_per_decision"]
        return book.read_bytes() if file else found

    if not cluster.worker_nodes:  # an earlier test killed it
        cluster.add_node(**NODE)
    expected, parts, usual = done("local"), [], Checkpoint.add

    def add(run: Checkpoint, key: str, text: str) -> None:
        usual(run, key, text)
        parts.append(key)
        if len(parts) == 5:
            kill(cluster)

    monkeypatch.setattr(Checkpoint, "add", add)
    assert done(cluster.address) == expected
    assert len(parts) == len(set(parts)) > 10
