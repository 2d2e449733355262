"""The first minute: the welcome text, ``bromeliad doctor``, completion by the Tab key."""

import subprocess
import sys

import pytest

from bromeliad.cli import doctor
from bromeliad.core import kernel_cache
from bromeliad.games.ofc.book import shelf

CHECKS = ["program", "cache", "kernels", "store", "page", "opening book", "weights", "speed"]


@pytest.mark.parametrize("language", ["en", "zh-TW", "zh-CN"])
def test_without_arguments_it_says_what_to_try(run, language):
    done = run("--lang", language)
    assert done.code == 0
    assert done.out.count("bromeliad solve --cards") == 2
    for command in ("bromeliad play", "bromeliad serve", "bromeliad doctor", "bromeliad --help"):
        assert command in done.out


def test_the_examples_work(run):
    shown = [line.strip() for line in run().out.splitlines() if line.strip().startswith("bromeliad solve")]
    book, exact = (line.split('"')[1::2] for line in shown)
    assert run("solve", "--cards", *book, "--json", "--no-store").json["method"] == "book"
    answer = run("solve", "--cards", exact[0], "--board", exact[1], "--json", "--no-store").json
    assert (answer["method"], answer["street"]) == ("exact", 4)


class TestDoctor:
    def test_says_how_everything_is(self, run):
        done = run("doctor", "--json")
        assert done.code == 0
        assert done.json["ok"]
        assert [check["what"] for check in done.json["checks"]] == CHECKS

    def test_in_words(self, run, monkeypatch):
        monkeypatch.setattr(doctor, "_speed", lambda: ("ok", "fast"))
        done = run("doctor")
        assert done.out.splitlines()[-1] == "Everything works."
        assert done.out.count("\n") == len(CHECKS) + 1

    def test_names_what_does_not_work(self, run, monkeypatch, tmp_path):
        (tmp_path / "store.sqlite").write_bytes(b"no store" * 1000)
        monkeypatch.setenv("BROMELIAD_STORE", str(tmp_path / "store.sqlite"))
        monkeypatch.setattr(doctor, "_speed", lambda: ("ok", "fast"))
        monkeypatch.setattr(shelf, "find_books", lambda *args: ())
        done = run("doctor", "--json")
        assert done.code == 1
        wrong = {check["what"] for check in done.json["checks"] if check["state"] == "problem"}
        assert wrong == {"store", "opening book"}

    def test_does_not_compile(self, run, monkeypatch):
        monkeypatch.setattr(kernel_cache, "is_cold", lambda name: True)
        states = {check["what"]: check["state"] for check in run("doctor", "--json").json["checks"]}
        assert states["kernels"] == states["speed"] == "note"


class TestCompletion:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_prints_a_script(self, run, shell):
        done = run("completion", shell)
        assert done.code == 0
        assert "_BROMELIAD_COMPLETE" in done.out

    def test_refuses_other_shells(self, run):
        assert "bash" in run("completion", "tcsh").problem

    @pytest.mark.parametrize(
        ("words", "number", "expected"), [("bromeliad so", 1, "solve"), ("bromeliad solve --ca", 2, "--cards")]
    )
    def test_completes(self, monkeypatch, words, number, expected):
        monkeypatch.setenv("_BROMELIAD_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(number))
        done = subprocess.run([sys.executable, "-m", "bromeliad"], capture_output=True, text=True, check=False)
        assert f"plain,{expected}" in done.stdout.splitlines()
        assert done.stderr == ""
