"""Every parser survives every JSON value in every place: it reads it, or says in one line what is wrong."""

import json
from contextlib import suppress

import pytest

from bromeliad import registry
from bromeliad.core.playable import read_options
from bromeliad.errors import BromeliadError
from bromeliad.games.ofc.play.history import parse_record
from bromeliad.games.ofc.play.replay import replay
from bromeliad.games.ofc.rules.files import parse_rules, preset
from bromeliad.i18n import tr
from bromeliad.playing.engine_messages import NewHand, Place, read_json, read_message, read_placement
from bromeliad.playing.quiz import quiz_view
from bromeliad.solving.plan import plan
from bromeliad.solving.request import read_request
from hostile import HOSTILE, changed, places
from played_hands import played_hands

SOLVE = {
    **{"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d", "dead": "2c", "rules": "pineapple"},
    **{"opponents": ["2d 2h / 3c 3d / 5c 5d 5h"], "objective": "versus", "foul_cost": 1.0, "fantasyland": False},
    **{"fantasyland_worth": {"14": 8.0}, "discards": "uniform", "opponent_model": [2, 1.5], "seat": 1, "players": 2},
    **{"simulations": 10, "early_stop": True, "policy": "puct", "threads": 1, "memory": 8, "seed": 1, "top": 3},
    **{"book": False, "time": None},
}
GAMES = {
    "gomoku": {"position": "H8I9", "rule": "freestyle", "size": 15, "simulations": 1, "seed": 1},
    "sequence": {"deal": 3, "rules": "course", "players": 2, "simulations": 1, "seed": 1},
}


def attack(parse, whole, step=1):
    """Parse a value with every hostile value in every place, or every few; count the answers and refusals."""
    parse(whole)
    counts = {"read": 0, "refused": 0}
    for path in list(places(whole))[::step]:
        for hostile in HOSTILE:
            try:
                parse(changed(whole, path, hostile))
                counts["read"] += 1
            except BromeliadError as error:
                counts["refused"] += bool(error.render(tr))
    assert counts["refused"] > 0
    return counts


def test_questions_to_the_solver():
    attack(lambda data: plan(read_request(data)), SOLVE)


@pytest.mark.parametrize("name", list(GAMES))
def test_questions_of_other_games(name):
    game = registry.playable(name)

    def parse(data):
        if isinstance(data, dict):  # the line's form is checked by the command
            read_options(game.request, dict(game.from_line(data)))

    attack(parse, GAMES[name])


def test_positions_of_sequence():
    game = registry.playable("sequence")
    shown = game.show(read_options(game.request, GAMES["sequence"]))

    def parse(data):
        request = read_options(game.request, {"position": data, "rules": "course", "players": 2, "simulations": 1})
        game.show(request)

    attack(parse, shown)


def hand():
    record, _ = played_hands(1)[0]
    whole = json.loads(record.to_line())
    whole["events"] = whole["events"][:3] + whole["events"][-2:]
    return whole


def test_hand_histories():
    def parse(data):
        line = json.dumps(data)
        record = parse_record(line)
        with suppress(BromeliadError):
            replay(record)

    attack(parse, hand())


def test_whole_hands_with_one_changed_value_are_replayed_or_refused():
    record, _ = played_hands(1)[0]
    attack(lambda data: replay(parse_record(json.dumps(data))), json.loads(record.to_line()))


def test_rules_inside_hand_histories():
    whole = hand() | {"rules": preset("pineapple").model_dump(mode="json")}
    counts = attack(lambda data: parse_record(json.dumps({**whole, "rules": data})).rule_set(), whole["rules"])
    assert counts["refused"] > 1000


def test_rule_files():
    attack(lambda data: parse_rules(json.dumps(data)), preset("pineapple").model_dump(mode="json"), step=8)


def test_messages_of_engines():
    view = quiz_view(preset("pineapple"), 3, (1, 2))
    ask = {"id": 1, "ask": "new_hand", "rules": "pineapple", "rule_set": {}, "players": 2, "seat": 1, "button": 2}
    ask["seed"] = 1
    begun = read_message(NewHand, read_json(json.dumps(ask)))
    attack(lambda data: read_message(NewHand, read_json(json.dumps(data))).read_rules(), ask)
    cards = [str(card) for card in view.cards]
    answer = {"top": cards[:1], "middle": cards[1:2], "back": [], "discards": cards[2:]}
    with_answer = {"id": 1, **answer}
    counts = attack_answer(view, with_answer)
    assert counts["refused"] > 50
    message = {
        **{"street": None, "cards": "Kc 9d 3s", "board": "- / - / -", "discards": "", "opponents": ["- / - / -"]},
        **{"opponent_discards": [0], "fantasyland": 0, "opponent_fantasyland": [0], "seconds": 1.0},
    }
    for path in places(message):
        for hostile in HOSTILE:
            try:
                data = read_json(json.dumps(changed(message, path, hostile)))
                read_message(Place, data).to_view(preset("pineapple"), begun)
            except BromeliadError:
                continue


def attack_answer(view, answer):
    counts = {"read": 0, "refused": 0}
    for path in places(answer):
        for hostile in HOSTILE:
            try:
                read_placement(view, read_json(json.dumps(changed(answer, path, hostile))))
                counts["read"] += 1
            except BromeliadError:
                counts["refused"] += 1
    return counts
