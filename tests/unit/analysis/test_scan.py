"""Reading hands fast: the results are those of the showdown, and every error that a replay finds is found."""

import json
import random

import pytest

from analysis_hands import lines, played, scanned
from bromeliad.analysis.anomalies import KINDS
from bromeliad.errors import InputError
from bromeliad.games.ofc.play.history import parse_record
from bromeliad.games.ofc.play.replay import check
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.scoring import Scored

STORE_KINDS = {"stored seat", "EV above best", "EV loss", "EV jump"}  # planted in test_store_report.py


@pytest.mark.parametrize("rules", preset_names())
def test_results_are_those_of_the_table(rules):
    most = preset(rules).players.max
    scan, batches = scanned(lines(rules, most, 12))
    assert scan.found == {}
    (batch,) = batches
    for i, hand in enumerate(played(rules, most, 12)):
        showdown = hand.hand.showdown
        assert tuple(batch.results.points[i]) == showdown.points
        for seat, player in enumerate(showdown.players):
            scored = batch.results.scored[i, seat]
            assert scored[Scored.ROYALTIES] == player.royalties
            assert scored[Scored.FOUL] == player.fouled
            assert scored[Scored.NEXT_CARDS] == player.fantasyland
        assert len(batch.hands[i].turns) == len(hand.hand.turns)


def test_stacks_are_checked():
    texts = lines(hands=20, stacks=300)
    assert scanned(texts)[0].found == {}
    data = json.loads(texts[0])
    data["events"][-1]["chips"][0] += 1
    assert scanned([json.dumps(data)])[0].found == {"chips": 1}


def plant(kind, data):
    """Put an anomaly of a kind into a hand."""
    events = data["events"]
    match kind:
        case "rules":
            data["rules"] = "no such rules"
        case "order":
            events[0], events[2] = events[2], events[0]
        case "duplicate card":
            events[2]["cards"] = events[0]["cards"]
        case "other cards":
            events[1]["board"] = "-".join(reversed(events[3]["board"].split("-")))
        case "impossible board":
            events[1]["board"] = "-" + "".join(events[0]["cards"].split()) + "-"
            events[5]["board"] = "-" + events[5]["board"].replace("-", "") + "-"
        case "unfinished":
            del events[-3]
        case "showdown":
            events[-2]["boards"].reverse()
        case "score":
            events[-1]["royalties"][0] += 1
        case "sum":
            events[-1]["points"][0] += 1
        case "chips":
            data["players"] = [{**player, "stack": 500} for player in data["players"]]
            events[-1]["chips"] = [1, 2]


@pytest.mark.parametrize("kind", sorted(set(KINDS) - STORE_KINDS))
def test_planted_anomalies_are_found(kind):
    texts = lines()
    clean, _ = scanned(texts)
    assert (clean.found, clean.hands) == ({}, len(texts))
    if kind == "unreadable":
        texts = [*texts, '{"format": "something else"}']
    elif kind == "repeated hand":
        texts = [*texts, texts[3]]
    else:
        data = json.loads(texts[3])
        plant(kind, data)
        texts[3] = json.dumps(data)
    scan, _ = scanned(texts)
    assert scan.found[kind] == 1
    assert set(scan.found) - {kind} <= {"score"}  # points that do not sum to zero are wrong scores, too
    (found,) = [item for item in scan.anomalies if item.kind == kind]
    assert found.line in (4, len(texts))
    assert found.source == "file"


UNREADABLE = {
    "points": lambda data: data["events"][-1].update(points=[10**30, -(10**30)]),
    "royalties": lambda data: data["events"][-1].update(royalties=[2**31, 0]),
    "next_fantasyland": lambda data: data["events"][-1].update(next_fantasyland=[0, 2**63]),
    "hand": lambda data: data.update(hand=2**31),
    "stack": lambda data: data["players"][0].update(stack="many"),
    "surrogate": lambda data: data["players"][0].update(name="a\ud800b"),
    "escape": lambda data: data["players"][1].update(name="a\x1b[31mb"),
    "line end": lambda data: data["players"][1].update(name="a\nb"),
    "long name": lambda data: data["players"][0].update(name="a" * 201),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_numbers_and_names_that_cannot_be_stored_or_shown_are_unreadable(what):
    """Both readers refuse them: the fast reader leaves them to the careful one."""
    texts = lines(hands=3)
    data = json.loads(texts[1])
    UNREADABLE[what](data)
    texts[1] = json.dumps(data)
    scan, _ = scanned(texts)
    assert (scan.found, scan.hands) == ({"unreadable": 1}, 2)
    assert scan.anomalies[0].line == 2
    with pytest.raises(InputError):
        parse_record(texts[1])


def test_scans_and_replays_find_the_same_errors():
    """One thing is changed at random per hand; both checks must agree on whether it has an error."""
    rng = random.Random(7)
    texts = [*lines(), *lines("ultimate", 2, 10), *lines("progressive", 3, 10)]
    wrong = 0
    for _ in range(250):
        data = json.loads(rng.choice(texts))
        event = rng.choice(data["events"])
        match rng.randrange(5):
            case 0:
                data["events"].remove(event)
            case 1:
                data["events"].insert(rng.randrange(len(data["events"])), event)
            case 2 if "cards" in event:
                event["cards"] = " ".join(rng.sample(event["cards"].split(), len(event["cards"].split())))
            case 3 if "board" in event:
                letters = list(event["board"])
                one, two = rng.randrange(len(letters)), rng.randrange(len(letters))
                letters[one], letters[two] = letters[two], letters[one]
                event["board"] = "".join(letters)
            case _:
                event["seat"] = rng.randint(1, 2)
        text = json.dumps(data)
        try:
            problems = bool(check(parse_record(text)))
        except InputError:
            problems = True
        assert bool(scanned([text])[0].found) == problems, text
        wrong += problems
    assert 100 < wrong < 240


def test_hands_under_other_rules_are_skipped():
    texts = [*lines(hands=3), *lines("ultimate", 2, 10)]
    scan, batches = scanned(texts, rules="ultimate")
    assert scan.hands == 10
    assert [batch.rules.name for batch in batches] == ["ultimate"]


def test_the_list_of_anomalies_is_limited_by_kind():
    scan, _ = scanned(["{}"] * 20, most=5)
    assert scan.found["unreadable"] == 20
    assert len(scan.anomalies) == 5


@pytest.mark.accept
def test_a_clean_log_of_a_thousand_games_has_no_anomaly():
    texts = [text for seed in range(4) for text in lines("pineapple", 2, 200, seed)]
    texts += [*lines("progressive", 3, 100), *lines("ultimate", 2, 100)]
    scan, _ = scanned(dict.fromkeys(texts))
    assert (scan.found, scan.hands) == ({}, 1000)
