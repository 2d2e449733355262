"""The Gomocup protocol: every command, invalid lines, and time limits."""

import io
import re
import subprocess
import sys
import time

import numpy as np
import pytest

from bromeliad.core.jit import JIT
from bromeliad.games.gomoku.gomocup.protocol import ABOUT, Protocol, serve
from bromeliad.games.gomoku.gomocup.session import GomocupSession
from bromeliad.search import Cancel

MOVE = re.compile(r"\d+,\d+")
ANSWER = re.compile(r"OK|SWAP|\d+,\d+( \d+,\d+)*|ERROR .*|UNKNOWN .*|name=.*")
QUICK = "INFO timeout_turn 30\n"


def talk(text):
    """Return the answers to these lines, without messages."""
    target = io.StringIO()
    serve(io.StringIO(text), target)
    return [line for line in target.getvalue().splitlines() if not line.startswith("MESSAGE")]


def test_a_game_from_start_to_end():
    answers = talk(f"START 15\r\n{QUICK}ABOUT\nBEGIN\nTURN 0,0\nEND\nSTART 15\n")
    assert answers[:3] == ["OK", ABOUT, "7,7"]
    assert MOVE.fullmatch(answers[3])
    assert len(answers) == 4


def test_boards_rectangles_and_stones_taken_back():
    assert talk(f"{QUICK}START 10\nBOARD\n0,0,1\n1,0,1\n2,0,1\n3,0,1\n9,9,2\n9,7,2\n9,5,2\n9,3,2\nDONE\n") == [
        "OK",
        "4,0",
    ]
    board = "BOARD\n0,0,2\n1,0,2\n2,0,2\n3,0,2\n9,9,1\n9,7,1\n9,5,1\nDONE\n"
    assert talk(f"{QUICK}START 10\n{board}RESTART\nPLAY 3,3\nTAKEBACK 3,3\nTAKEBACK 3,3\n") == [
        "OK",
        "4,0",
        "OK",
        "3,3",
        "OK",
        "ERROR 3,3 is empty",
    ]
    answers = talk(f"{QUICK}RECTSTART 12,6\nBEGIN\nTURN 3,6\nTURN 11,5\n")
    assert answers[0] == "OK"
    assert answers[2] == "ERROR 3,6 is off the board"
    assert all(int(answers[i].split(",")[1]) < 6 for i in (1, 3))


def test_a_finished_game_goes_on_only_after_a_stone_is_taken_back():
    row = "".join(f"{x},0,1\n{x},9,2\n" for x in range(4))
    answers = talk(f"{QUICK}START 10\nBOARD\n{row}DONE\nTURN 5,5\nPLAY 6,6\nBEGIN\nTAKEBACK 4,0\nTURN 4,9\nTURN 5,5\n")
    assert answers[:2] == ["OK", "4,0"]
    over = "ERROR the game is over; send START, RESTART or TAKEBACK"
    assert answers[2:] == [over, over, over, "OK", over, over]
    assert talk(f"{QUICK}START 10\nBOARD\n{row}4,0,1\n8,8,2\nDONE\nRESTART\nBEGIN\n") == ["OK", over, "OK", "5,5"]


def test_a_bad_line_leaves_the_board_as_it_was():
    answers = talk(f"{QUICK}START 15\nBEGIN\nBOARD\n0,0,1\nnonsense\nDONE\nTURN 7,7\n")
    assert answers[:2] == ["OK", "7,7"]
    assert answers[2].startswith("ERROR")
    assert answers[3] == "ERROR 7,7 is taken"


def test_blocked_cells_are_not_stones():
    line = "BOARD\n0,0,3\n1,0,1\n2,0,1\n3,0,1\n4,0,1\n9,9,2\n9,7,2\n9,5,2\n9,3,2\nDONE\n"
    assert talk(f"{QUICK}START 10\n{line}") == ["OK", "5,0"]


def test_errors_are_reported_and_survived():
    answers = talk("START\nSTART 4\nSTART 21\nFOO bar\nINFO rule 64\nINFO rule x\nINFO unknown 3\nTURN a,b\nSTART 15\n")
    assert [answer.split()[0] for answer in answers] == ["ERROR"] * 3 + ["UNKNOWN"] + ["ERROR"] * 2 + ["OK"]
    assert talk("START 15\nBOARD\n1,1,7\nDONE\nSWAP2BOARD\n1,1\nDONE\n")[1:] == [
        "ERROR write x,y,1 or 2 or 3, each cell once, or DONE, after BOARD",
        "ERROR SWAP2BOARD takes 0, 3 or 5 stones",
    ]


def test_swap2():
    three = talk(f"{QUICK}START 15\nSWAP2BOARD\nDONE\n")[1].split()
    assert len(set(three)) == 3
    answer = talk(f"{QUICK}START 15\nSWAP2BOARD\n" + "\n".join(three) + "\nDONE\n")[1]
    assert answer == "SWAP" or 1 <= len(answer.split()) <= 2
    five = talk(f"{QUICK}START 15\nSWAP2BOARD\n7,7\n7,8\n8,7\n9,7\n6,7\nDONE\n")[1]
    assert five == "SWAP" or MOVE.fullmatch(five)


def test_messages_have_depth_value_line_and_the_best_moves():
    target = io.StringIO()
    serve(io.StringIO(f"START 15\n{QUICK}INFO nbest 3\nBEGIN\nTURN 8,8\n"), target)
    messages = [line for line in target.getvalue().splitlines() if line.startswith("MESSAGE")]
    assert re.search(r"depth \d+ ev [+-]\d\.\d+ .*pv \d+,\d+", messages[-4])
    assert [line.split()[1:3] for line in messages[-3:]] == [["best", "1"], ["best", "2"], ["best", "3"]]


def test_limits_are_obeyed():
    session = GomocupSession()
    session.start(15, 15)
    session.inform("timeout_turn", 1000)
    assert 0.9 < session.seconds() < 1.0
    session.inform("time_left", 6000)
    assert session.seconds() < 0.5
    session.inform("timeout_turn", 0)
    assert session.seconds() < 0.01
    session.inform("max_memory", 240 << 20)
    assert session.player().params.memory_mb < 20
    session.inform("rule", 4)
    assert session.player().game.rules.name == "renju"


COVERED = """
import gc
from numba.core.dispatcher import Dispatcher
from bromeliad.games.gomoku.gomocup import protocol
from bromeliad.games.gomoku.gomocup.session import BLOCK, OPPONENT, OWN, GomocupSession
from bromeliad.search import Cancel

def known():
    return {str(kernel): len(kernel.signatures) for kernel in gc.get_objects() if isinstance(kernel, Dispatcher)}

protocol.ensure(protocol.KERNELS)
before = known()
for rule in (0, 4):
    session = GomocupSession()
    session.start(15, 14)
    session.inform("rule", rule)
    session.inform("timeout_turn", 100)
    for column, who in enumerate((OWN, OPPONENT, OWN, OPPONENT, BLOCK)):
        session.put(session.cell(2 * column, 7), who)
    session.think(Cancel())
print({name: known()[name] - count for name, count in before.items() if known()[name] != count})
"""


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_no_move_waits_for_a_kernel():
    done = subprocess.run([sys.executable, "-c", COVERED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{}"


@pytest.mark.accept
def test_moves_come_in_time():
    session = GomocupSession()
    session.start(15, 15)
    session.inform("timeout_turn", 100)
    session.put(session.cell(7, 7), 2)
    session.think(Cancel())
    late = []
    for _ in range(5):
        start = time.perf_counter()
        session.think(Cancel())
        late.append(time.perf_counter() - start - 0.1)
    assert sorted(late)[2] < 0.05  # the median: other work of the machine may delay single moves


WORDS = ["START", "BEGIN", "TURN", "BOARD", "INFO", "RESTART", "RECTSTART", "TAKEBACK", "PLAY", "SWAP2BOARD", "ABOUT"]
REST = [
    "",
    "15",
    "20",
    "5",
    "7,7",
    "3,4",
    "0,0,1",
    "timeout_turn 0",
    "rule 1",
    "rule 4",
    "rule 8",
    "max_memory 1",
    "-1",
]
ODD = [
    "",
    " ",
    "\0",
    "END!",
    "DONE",
    "9" * 300,
    "TURN 99999999999999999999,1",
    "ünï",
    "BOARD BOARD",
    "INFO",
    "x,y",
    "7,7",
]


def fuzz(count, seed):
    """Feed random lines; every line that asks for an answer gets exactly one."""
    rng = np.random.default_rng(seed)

    def lines():
        yield "INFO timeout_turn 0"
        yield "START 6"
        for _ in range(count):
            kind = rng.random()
            if kind < 0.7:
                yield f"{rng.choice(WORDS)} {rng.choice(REST)}"
            elif kind < 0.85:
                yield f"TURN {rng.integers(0, 8)},{rng.integers(0, 8)}"
            else:
                yield str(rng.choice(ODD))
        yield "DONE"

    said = []
    protocol = Protocol(said.append, lines())
    for line in protocol._lines:
        said.clear()
        assert protocol.answer(line)
        answers = [answer for answer in said if not answer.startswith("MESSAGE")]
        word = line.strip().partition(" ")[0].upper()
        silent = not word or (word == "INFO" and not answers)
        assert silent or len(answers) == 1, (line, answers)
        assert all(ANSWER.fullmatch(answer) for answer in answers), (line, answers)


def test_random_lines_get_one_answer_each():
    fuzz(400, 1)


@pytest.mark.accept
def test_many_random_lines_get_one_answer_each():
    for seed in range(10):
        fuzz(10_000, seed)
