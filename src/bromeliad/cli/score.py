"""``bromeliad score``."""

import json
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import argument, command, json_option, option
from bromeliad.errors import InputError

if TYPE_CHECKING:
    from bromeliad.games.ofc.rules.showdown import Showdown


@command(
    "score",
    help="""Score finished boards and settle them against each other.

A BOARD is written "top / middle / back", for example "Qs Qh 7d / 9c 9s 4h 4d 2c / As Ac Jd 7h 7s", or as
Jh4s3h-As5c4c3c2h-KdJd9d7d3d. Several boards are several players.""",
)
@argument("boards", nargs=-1, required=True, metavar="BOARD...")
@option("--rules", "rules_name", default="pineapple", show_default=True, help="A preset or a rule file.")
@option(
    "--fantasyland",
    "fantasyland",
    multiple=True,
    metavar="PLAYER[:CARDS]",
    help="This player (from 1) was in fantasyland, with so many cards (14 if not said). May be given several times.",
)
@json_option
def score(boards: tuple[str, ...], rules_name: str, fantasyland: tuple[str, ...], as_json: bool) -> None:
    """Score finished boards."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.table import print_showdown
    from bromeliad.core.cards import CardSet
    from bromeliad.games.ofc.hands.boards import PlayerArrangement
    from bromeliad.games.ofc.rules.files import load_rules
    from bromeliad.games.ofc.rules.showdown import show_down

    rules = load_rules(rules_name)
    parsed: list[PlayerArrangement] = []
    taken = CardSet()
    for text in boards:
        parsed.append(PlayerArrangement.parse(text, taken))
        taken |= parsed[-1].cards
    players = dict(_read_fantasyland(text) for text in fantasyland)
    prepare(["bromeliad.games.ofc.rules.scoring"])
    result = show_down(rules, parsed, players)
    if as_json:
        click.echo(json.dumps(_to_json(result), ensure_ascii=False))
    else:
        print_showdown(result)


def _read_fantasyland(text: str) -> tuple[int, int]:
    player, _, cards = text.partition(":")
    if not player.isdecimal() or not (cards or "14").isdecimal() or len(text) > 8:
        raise InputError("--fantasyland {text}: write it like 1 or 1:15 (player, cards)", text=text[:20])
    return int(player) - 1, int(cards or 14)


def _to_json(result: "Showdown") -> dict[str, Any]:
    return {
        "game": "ofc",
        "rules": result.rules.name,
        "players": [
            {
                "board": str(player.board),
                "foul": player.fouled,
                "hands": [hand.name if hand else None for hand in player.hands],
                "row_royalties": list(player.row_royalties),
                "royalties": player.royalties,
                "fantasyland_cards": player.fantasyland,
                "points": points,
            }
            for player, points in zip(result.players, result.points, strict=True)
        ],
        "settlements": [
            {
                "player": i + 1,
                "against": j + 1,
                "rows": list(pair.rows),
                "scoop": pair.scoop,
                "royalties": pair.royalties,
                "total": pair.total,
            }
            for i, row in enumerate(result.settlements)
            for j, pair in enumerate(row)
            if pair and i < j
        ],
    }
