"""``bromeliad score``."""

from typing import TYPE_CHECKING, Any

from bromeliad.cli.base import argument, command, json_option, option, print_json
from bromeliad.cli.options import rules_option
from bromeliad.errors import InputError

if TYPE_CHECKING:
    from bromeliad.games.ofc.rules.showdown import Showdown


@command(
    "score",
    help="""Score finished boards and settle them against each other.

Write a BOARD as "top / middle / back", for example "Qs Qh 7d / 9c 9s 4h 4d 2c / As Ac Jd 7h 7s", or as
Jh4s3h-As5c4c3c2h-KdJd9d7d3d. Give one board per player.""",
)
@argument("boards", nargs=-1, required=True, metavar="BOARD...")
@rules_option
@option(
    "--fantasyland",
    multiple=True,
    metavar="PLAYER[:CARDS]",
    help="This player (from 1) was in fantasyland with this many cards; 14 by default. May be given several times.",
)
@json_option
def score(boards: tuple[str, ...], rules: str, fantasyland: tuple[str, ...], as_json: bool) -> None:
    """Score finished boards."""
    from bromeliad.cli.table import print_showdown
    from bromeliad.core.cards import CardSet
    from bromeliad.core.jit import interpreted
    from bromeliad.games.ofc.hands.boards import PlayerArrangement
    from bromeliad.games.ofc.rules.files import load_rules
    from bromeliad.games.ofc.rules.showdown import show_down

    rule_set = load_rules(rules)
    parsed: list[PlayerArrangement] = []
    taken = CardSet()
    for text in boards:
        parsed.append(PlayerArrangement.parse(text, taken))
        taken |= parsed[-1].cards
    players = dict(_read_fantasyland(text) for text in fantasyland)
    with interpreted():
        result = show_down(rule_set, parsed, players)
    if as_json:
        print_json(_to_json(result))
    else:
        print_showdown(result)


def _read_fantasyland(text: str) -> tuple[int, int]:
    player, _, cards = text.partition(":")
    if not player.isdecimal() or not (cards or "14").isdecimal() or len(text) > 8:
        raise InputError("--fantasyland {text}: write PLAYER or PLAYER:CARDS, for example 1 or 1:15", text=text[:20])
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
