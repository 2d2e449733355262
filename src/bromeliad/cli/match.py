"""``bromeliad match``."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import argument, command, json_option, option, print_json
from bromeliad.cli.batch import batch_options, open_batch
from bromeliad.cli.options import rules_option, seed_option, store_option
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.cluster import Batch
    from bromeliad.games.ofc.play.history import HistoryWriter
    from bromeliad.matches.ofc import OfcResult, PlayerResult
    from bromeliad.matches.ofc_engine import EngineReport
    from bromeliad.matches.sprt import Sprt
    from bromeliad.storage.recording import GameRecorder


@command(
    "match",
    help="""Play strategies against each other and report which is better, and by how much.

A STRATEGY is random, heuristic, mcts or solver. mcts and solver take seconds per decision (solver:0.1) or simulations
(mcts:500sims, reproducible); solver also takes :solo or :versus. "engine:COMMAND ARGS" is any program that speaks the
engine protocol. Every deck is played once in every seating. Results are points per hand; reaching fantasyland scores
its worth under the rule set. A second mean is without the luck of the deal: the same in the long run, with a smaller
error.""",
)
@argument("strategies", nargs=-1, required=True, metavar="STRATEGY STRATEGY...")
@option("--hands", type=click.IntRange(min=1), default=1000, show_default=True, help="How many hands to play.")
@seed_option
@rules_option
@option(
    "--carry",
    is_flag=True,
    help="Play fantasyland out: a hand includes all hands that follow until nobody is in fantasyland.",
)
@option(
    "--sprt",
    metavar="LOW:HIGH",
    help="Stop once it is clear whether the first strategy wins HIGH points per hand or only LOW (5 % error rates).",
)
@option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0.01, max=86400),
    default=0.1,
    show_default=True,
    help="Seconds per placement of engines.",
)
@option("--histories", metavar="FILE", help="Write the hands to this file.")
@store_option(help="Keep the hands in this store; write default for the one in your data directory.")
@batch_options
@json_option
def match(
    strategies: tuple[str, ...],
    hands: int,
    seed: int,
    rules: str,
    carry: bool,
    sprt: str | None,
    seconds: float,
    histories: str | None,
    store: str | None,
    cluster: str,
    workers: int | None,
    as_json: bool,
) -> None:
    """Play a match."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar
    from bromeliad.games.ofc.rules.files import load_rules
    from bromeliad.matches.ofc import OfcMatch
    from bromeliad.matches.ofc_engine import files_of
    from bromeliad.matches.runner import play_match

    test = _read_sprt(sprt)
    wanted = histories is not None or store is not None
    played = OfcMatch(
        strategies, hands, rules_name=rules, seed=seed, carry=carry, with_hands=wanted, engine_seconds=seconds
    )
    prepare(played.kernels)
    rule_set = load_rules(rules)
    provenance = {"strategies": strategies, "rules": rule_set.model_dump(mode="json"), "seed": seed, "carry": carry}
    engines = [files_of(name) for name in strategies]  # a match must not resume with a changed engine
    with (
        closing(played),
        progress_bar(tr("playing, Ctrl-C for the result so far")) as progress,
        open_batch(
            "match",
            {**provenance, "with_hands": wanted, "seconds": seconds, "engines": engines},
            cluster,
            workers,
            progress,
        ) as batch,
        _game(store, rule_set.name, strategies, batch) as game,
    ):
        recorder = _Recorder(_writer(histories, batch), game, strategies)
        result = play_match(
            played,
            batch=batch,
            sprt=test,
            on_played=recorder.write,
            on_progress=lambda done: progress.report(done.fraction),
            cancel=progress.cancel,
        )
    if as_json:
        print_json(result.to_json())
    else:
        _print(result)


def _read_sprt(text: str | None) -> "Sprt | None":
    from bromeliad.matches.sprt import Sprt

    if text is None:
        return None
    low, _, high = text.partition(":")
    try:
        return Sprt(float(low), float(high))
    except ValueError:
        raise InputError("--sprt {text}: write it like 0:1 (points per hand)", text=text[:40]) from None


def _writer(path: str | None, batch: "Batch") -> "HistoryWriter | None":
    """Return the writer of the history file, which continues an interrupted run's file; None without a path."""
    from bromeliad.games.ofc.play.history import HistoryWriter

    if path is None:
        return None
    file = Path(path).absolute()
    HistoryWriter(file)  # raises if the file cannot be written
    return HistoryWriter(file, batch.once(f"histories in {file}", lambda: file.stat().st_size))


@contextmanager
def _game(place: str | None, rules: str, names: Sequence[str], batch: "Batch") -> "Iterator[GameRecorder | None]":
    """Yield a recorder of the hands, or None without a store."""
    if place is None:
        yield None
        return
    from bromeliad.storage.recording import GameRecorder
    from bromeliad.storage.store import open_store

    with open_store(place) as store:
        yield GameRecorder(store, rules, "match", ", ".join(names), partial(batch.once, f"game in {place}"))


class _Recorder:
    """Writes the hands of a match to the history file and the store, if wanted."""

    def __init__(self, writer: "HistoryWriter | None", game: "GameRecorder | None", names: Sequence[str]) -> None:
        self._writer = writer
        self._game = game
        self._names = names
        self._written = 0

    def write(self, deck: dict[str, Any]) -> None:
        """Write the hands of one deck."""
        from bromeliad.games.ofc.play.history import record_of
        from bromeliad.matches.ofc_deck import hands_of

        hands = hands_of(deck)
        first = self._written + 1
        self._written += len(hands)
        records = [record_of(played, self._names, number) for number, played in enumerate(hands, start=first)]
        if self._writer is not None:
            for record in records:
                self._writer.write(record)
        if self._game is not None:
            self._game.add(zip(records, (played.hand for played in hands), strict=True))


def _print(result: "OfcResult") -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console()
    console.print(
        tr(
            "{hands} hands from {decks} decks under {rules} rules, seed {seed}",
            hands=f"{result.hands:,}",
            decks=f"{result.decks:,}",
            rules=escape(result.rules),
            seed=result.seed,
        )
    )
    console.print(_table(result, (tr("points per hand"), tr("without luck"), tr("ms per decision")), _scores))
    columns = tr("foul %"), tr("FL %"), tr("stay %"), tr("royalties"), tr("scoop %"), tr("scooped %")
    console.print(_table(result, columns, _shares))
    for player in result.players:
        if player.engine is not None:
            console.print(escape(_behaviour(player.name, player.engine)), highlight=False)
    console.print(_note(result), style="dim")


def _table(result: "OfcResult", columns: Sequence[str], cells: "Callable[[PlayerResult], list[str]]") -> Any:
    from rich.markup import escape

    from bromeliad.cli.table import plain_table

    rows = [(escape(player.name), *cells(player)) for player in result.players]
    table = plain_table((tr("strategy"), *columns), rows, left=(0,))
    table.columns[0].overflow = "fold"  # long names of engines are folded, so that the figures stay in view
    return table


def _scores(player: "PlayerResult") -> list[str]:
    return [
        _with_error(player.mean, player.stderr),
        _with_error(player.luck_adjusted_mean, player.luck_adjusted_stderr),
        f"{player.ms_per_decision:.1f}",
    ]


def _shares(player: "PlayerResult") -> list[str]:
    from bromeliad.cli.table import percent_text

    shares = [percent_text(share) for share in (player.p_foul, player.p_fantasyland, player.p_stay)]
    return [*shares, f"{player.royalties:.2f}", percent_text(player.p_scoop), percent_text(player.p_scooped)]


def _with_error(mean: float, error: float) -> str:
    return f"{mean:+.3f}" if error != error else f"{mean:+.3f} ± {error:.3f}"


def _behaviour(name: str, engine: "EngineReport") -> str:
    """Describe the errors of an engine: how many of each kind, and the first ones in words."""
    counted = tr(
        "{name} is {engine}: {illegal} illegal placements, {late} late placements, {placements} placements"
        " given up, {hands} hands given up, {restarts} restarts",
        name=name,
        engine=f"{engine.name} {engine.version}".strip(),
        illegal=engine.illegal,
        late=engine.late,
        placements=engine.placements_given_up,
        hands=engine.hands_given_up,
        restarts=engine.restarts,
    )
    return "\n  ".join((counted, *engine.problems))


def _note(result: "OfcResult") -> str:
    """Explain the figures and the end of the match."""
    if result.carry:
        counted = tr("Fantasyland was played out: a hand includes the hands that follow from it.")
    else:
        worth = ", ".join(f"{cards} = {points:g}" for cards, points in result.fantasyland_worth.items()) or "0"
        counted = tr("Reaching fantasyland scores its worth ({worth}).", worth=worth)
    parts = [tr("± is one standard error over the decks."), counted]
    if result.sprt_verdict == "high":
        parts.append(tr("The test has decided: the first strategy reaches the higher mean."))
    elif result.sprt_verdict == "low":
        parts.append(tr("The test has decided: the first strategy does not exceed the lower mean."))
    elif result.stop_reason == "cancelled":
        parts.append(tr("Stopped early: the errors are larger than those of a full run."))
    return " ".join(parts)
