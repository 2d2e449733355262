"""Logs: silent unless asked for, lines for people or for programs."""

import json
import logging
from datetime import datetime

import pytest

from bromeliad.logs import log_event, show_logs


@pytest.fixture(autouse=True)
def quiet():
    yield
    show_logs(None)


def test_nothing_is_said_unless_asked(capsys):
    log_event("solve started", rules="pineapple")
    assert capsys.readouterr() == ("", "")


def test_a_json_object_an_event(capsys):
    show_logs("json")
    log_event("hand played", points=(3, -3), seconds=0.5, place=object)
    log_event("Zug", name="三\n")
    out, err = capsys.readouterr()
    assert out == ""
    first, second = [json.loads(line) for line in err.splitlines()]
    assert datetime.fromisoformat(first.pop("time")).utcoffset().total_seconds() == 0
    assert first == {
        "level": "info",
        "event": "hand played",
        "points": [3, -3],
        "seconds": 0.5,
        "place": str(object),
    }
    assert second["name"] == "三\n"


def test_a_line_for_people(capsys):
    show_logs("text")
    log_event("hand played", points=(3, -3), seconds=0.123456, name="two\nlines")
    (line,) = capsys.readouterr().err.splitlines()
    assert line[8:] == " hand played points=(3, -3) seconds=0.1235 name=two lines"


def test_other_messages_of_the_package_are_told_alike(capsys):
    show_logs("json")
    logging.getLogger("bromeliad.storage.cached").warning("solving without the store: %s", "gone")
    told = json.loads(capsys.readouterr().err)
    assert (told["level"], told["event"]) == ("warning", "solving without the store: gone")


def test_switching_leaves_one_handler(capsys):
    show_logs("text")
    show_logs("json")
    log_event("once")
    assert len(capsys.readouterr().err.splitlines()) == 1
