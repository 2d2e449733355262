"""``bromeliad play``: through pipes and through a terminal."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from bromeliad.cli.human_player import Draft, HumanPlayer
from bromeliad.core.cards import Card, CardSet, parse_cards
from bromeliad.errors import BromeliadError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.play.history import read_records
from bromeliad.games.ofc.play.replay import check
from bromeliad.games.ofc.play.seat import OpponentView, SeatView
from bromeliad.games.ofc.rules.files import preset
from bromeliad.playing.strategies import SolverStrategy

PLAY = ("play", "--opponent", "heuristic", "--seed", "3", "--hint-time", "0.1")
# five cards, then three cards four times, into rows that have space for them
HAND = "bbbbb\n\n" + "mmx\n\n" * 2 + "tmx\n\n" + "ttx\n\n"


class TestPipes:
    def test_a_whole_hand(self, run_process, tmp_path):
        path = tmp_path / "hands.jsonl"
        done = run_process(*PLAY, "--hands", "1", "--histories", str(path), stdin=HAND)
        assert done.code == 0, done.err
        assert "Hand 1: you, heuristic" in done.out
        assert "heuristic places" in done.out
        assert "Showdown under pineapple rules" in done.out
        ((_, record),) = read_records(path)
        assert check(record) == []
        assert [player.name for player in record.players] == ["you", "heuristic"]
        points = record.events[-1].points
        assert done.out.splitlines()[-1].split() == ["total", f"{points[0]:+d}", f"{points[1]:+d}"]

    def test_hints_grades_undo_and_the_sheet(self, run_process):
        steps = ["h", "g", "bbbbb", "u", "As", "zz / -", "nonsense", "bbbbx", "bbbbm", "", "g", "s", "?", "q"]
        done = run_process(*PLAY, stdin="\n".join(steps) + "\n")
        assert done.code == 0
        assert "There is no decision to grade yet." in done.out
        assert "EV" in done.out
        assert "not understood: nonsense" in done.out
        assert "you may discard only 0" in done.out
        assert "Grade: " in done.out
        assert "Commands: u undo" in done.out

    def test_every_decision_is_graded_if_wanted(self, run_process):
        done = run_process(*PLAY, "--grades", "--hands", "1", stdin=HAND)
        assert done.out.count("Grade: ") == 5

    def test_stacks_end_the_game(self, run_process):
        done = run_process(*PLAY, "--stack", "1", stdin=(HAND + "\n") * 20)
        assert done.code == 0
        assert "A player has run out of chips" in done.out

    def test_three_players_in_chinese(self, run_process):
        done = run_process(
            *PLAY, "--opponent", "random", "--hands", "1", "--lang", "zh-CN", stdin=HAND, env={"COLUMNS": "120"}
        )
        assert "第 1 手：你, heuristic, random" in done.out
        assert "手牌：" in done.out

    @pytest.mark.parametrize(
        ("args", "expected"),
        [
            (("--opponent", "nobody"), "there is no strategy nobody"),
            (("--hint-time", "0"), "--hint-time must be from 0.01 to 86400 seconds"),
            (("--opponent", "random") * 3, "pineapple is played by 2 to 3 players, not 4"),
        ],
    )
    def test_refuses_in_one_line(self, run, args, expected):
        assert run("play", *args).problem.startswith(expected)


def _hear_ctrl_c():
    """Let Ctrl-C end the process again: programs that a shell starts in the background ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Terminal:
    """A pseudo-terminal with the program at its other end."""

    def __init__(self, *args):
        self.master, slave = pty.openpty()
        env = {**os.environ, "COLUMNS": "100", "TERM": "xterm-256color"}
        command = [sys.executable, "-m", "bromeliad", *args]
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=env, close_fds=True, preexec_fn=_hear_ctrl_c
        )
        os.close(slave)
        self.text = ""

    def expect(self, words, seconds=120):
        """Read until these words appear; drop the text up to them, and return the part before them."""
        end = time.monotonic() + seconds
        while words not in self.text:
            ready, _, _ = select.select([self.master], [], [], max(0.0, end - time.monotonic()))
            assert ready, self.text
            self.text += os.read(self.master, 4096).decode("utf-8", "replace")
        before, _, self.text = self.text.partition(words)
        return before

    def type(self, text):
        os.write(self.master, text.encode())

    def close(self):
        os.close(self.master)
        self.process.kill()
        self.process.wait()


@pytest.fixture
def terminal():
    opened = Terminal(*PLAY)
    yield opened
    opened.close()


class TestTerminal:
    def test_colours_and_leaving(self, terminal):
        shown = terminal.expect("Place: ")
        assert "\x1b[31m" in shown  # hearts are red, and there are some in this deal
        terminal.type("bbbbb\n")
        terminal.expect("undo: ")
        terminal.type("u\n")
        terminal.expect("Place: ")
        terminal.process.send_signal(signal.SIGINT)
        terminal.expect("total")
        assert terminal.process.wait(timeout=60) == 130

    def test_the_end_of_the_input_leaves(self, terminal):
        terminal.expect("Place: ")
        terminal.type("\x04")
        terminal.expect("total")
        assert terminal.process.wait(timeout=60) == 0


@pytest.fixture
def sit_down(monkeypatch):
    """Return a function that lets a person decide by typing lines; it returns the decision and the output."""

    def call(view, *lines):
        out = StringIO()
        solver = SolverStrategy(seconds=0.05)
        person = HumanPlayer(Console(file=out, width=120), solver, grades=False, on_score=lambda: None)
        typed = iter(lines)
        monkeypatch.setattr(person, "ask", lambda question: next(typed))
        return person.decide_placement(view), out.getvalue()

    return call


class TestHumanPlayer:
    def test_sets_a_fantasyland_hand(self, sit_down):
        view = view_of("As Ah Ad Kc Kd Qs Qh Js Jd Tc 9s 9h 8d 4c", fantasyland=14)
        rows = "Ks / - / -", "Kc Kd 8d / Qs Qh Js Jd Tc / As Ah Ad 9s 9h"
        action, shown = sit_down(view, "h", *rows, "", "")
        assert str(action) == "Kd Kc 8d / Qs Qh Js Jd Tc / As Ah Ad 9s 9h (4c)"
        assert "not in hand: Ks" in shown
        assert shown.count("\n") > 15
        assert "Discarded: 4♣" in shown

    def test_sees_who_is_in_fantasyland(self, sit_down):
        hidden = OpponentView(PlayerArrangement.empty(), 0, 15)
        view = replace(view_of("As Kd 2c", "Qd / 9c 9s / 7h 7d", street=1, rules="progressive"), opponents=(hidden,))
        assert "fantasyland with 15 cards" in sit_down(view, "tbx", "")[1]

    def test_one_of_the_given_placements(self, sit_down, monkeypatch):
        view = view_of("As Kd 2c", "Qd / 9c 9s / 7h 7d", street=1)
        wanted = view.legal_actions()[-1]
        person = HumanPlayer(Console(file=StringIO()), SolverStrategy(), grades=False, on_score=lambda: None)
        typed = iter(["tbx", "", str(wanted).partition(" (")[0], ""])
        monkeypatch.setattr(person, "ask", lambda question: next(typed))
        assert person.choose_action(view, [wanted]) == wanted
        assert person.evaluate_state(view) == 0.0


def view_of(cards, board="- / - / -", rules="pineapple", street=0, fantasyland=0):
    return SeatView(
        preset(rules),
        1,
        2,
        street,
        cards if isinstance(cards, tuple) else parse_cards(cards),
        PlayerArrangement.parse(board),
        CardSet(),
        fantasyland,
        (OpponentView(PlayerArrangement.empty(), 0, 0),),
    )


class TestDraft:
    VIEW = view_of("As Kd 2c", "Qd / 9c 9s / 7h 7d", street=1)

    @pytest.mark.parametrize(
        "text", ["tbx", "T B X", "As t Kd b 2c x", "Kd b 2c x As t", "As / - / Kd", "As t Kd b 2c X", "A♠ / / K♦"]
    )
    def test_ways_to_say_it(self, text):
        draft = Draft(self.VIEW)
        draft.enter(text)
        assert draft.is_complete
        assert str(draft.action) == "As / - / Kd (2c)"
        assert str(draft.board) == "As Qd / 9s 9c / Kd 7h 7d"

    def test_steps_are_taken_back_one_by_one(self):
        draft = Draft(self.VIEW)
        draft.enter("Kd b")
        draft.enter("t")
        assert draft.left == parse_cards("2c")
        assert draft.undo()
        assert draft.left == parse_cards("As 2c")
        assert draft.undo()
        assert not draft.undo()
        assert draft.board == self.VIEW.board

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("tttt", "4 letters for 3 cards"),
            ("xx", "As Kd: you may discard only 1"),
            ("tmb", "place only 2 cards and discard the rest"),
            ("ttt", "the top row holds 3 cards, not 4"),
            ("Ac t", "not in hand: Ac"),
            ("As", "not understood: As"),
            ("As q", "not understood: As q"),
            ("As Kd / - ", "a board has three rows, not 2"),
            ("As / Kd / 2c", "place only 2 cards"),
        ],
    )
    def test_what_cannot_be_changes_nothing(self, text, expected):
        draft = Draft(self.VIEW)
        with pytest.raises(BromeliadError) as caught:
            draft.enter(text)
        assert str(caught.value).startswith(expected)
        assert draft.left == draft.hand

    def test_fantasyland_at_once(self):
        draft = Draft(view_of("As Ah Ad Kc Kd Qs Qh Js Jd Tc 9s 9h 8d 4c", fantasyland=14))
        draft.enter("ttt mmmmm bbbbb x")
        assert draft.is_complete
        assert draft.board.is_complete
        assert draft.action.discards == parse_cards("4c")

    def test_jokers_are_those_in_hand(self):
        draft = Draft(view_of((Card(53), *parse_cards("As 2c")), rules="ultimate", street=1))
        draft.enter("Jk t As b 2c x")
        assert draft.action.top == (Card(53),)
