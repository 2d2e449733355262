"""Small made-up opening books for tests, which need no kernel."""

import numpy as np

from bromeliad.core.cards import CardSet, parse_cards
from bromeliad.games.ofc.book.file import (
    FORMAT,
    RECORD,
    BookHeader,
    BookRun,
    pack_code,
    pack_share,
    round_up,
    write_book,
)
from bromeliad.games.ofc.book.first_deals import canonical_opening
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.rules.files import preset

__all__ = ["ABOUT", "HAND", "PLACEMENTS", "RUN", "made_up_book", "mask_of", "record"]

HAND = "6c Kc 4d Td 4h"  # besides the fours, only the ten is in one of their suits
PLACEMENTS = ("Kc / 6c / 4d 4h Td", "- / Kc 6c / 4d 4h Td", "Kc / 4d 6c / Td 4h")

RULES = preset("pineapple")
RUN = BookRun(
    seed=1, hands=1, simulations=3000, playouts=1200, gain=0.005, bias=0.02, common=0.1, own=(0.2, 0.2, 0.2, 0.2),
    spread=5.0, beside=0.04,
    weights="abc", package="0.1.0",
)  # fmt: skip
ABOUT = BookHeader(
    format=FORMAT,
    rules="pineapple",
    game=RULES.game_key,
    objective="solo",
    foul_cost=RULES.objective.foul_cost,
    fantasyland_worth=dict(RULES.objective.fantasyland_worth),
    jokers=0,
    hands=0,
    runs=(),
    sha256="",
)


def mask_of(cards):
    return CardSet.from_cards(parse_cards(cards)).mask


def action_of(text):
    """Read ``Kc / 6c / 4d 4h Td``."""
    rows, taken = [], CardSet()
    for row in text.replace("-", "").split("/"):
        rows.append(parse_cards(row, taken))
        taken |= CardSet.from_cards(rows[-1])
    return Action(*rows, ())


def record(cards=HAND, placements=PLACEMENTS, evs=(5.34, 4.78, 4.62), errors=(0.21, 0.2, 0.22), visits=(10, 20, 30)):
    """Return the record of a canonical hand with these placements."""
    mask = mask_of(cards)
    assert canonical_opening(mask)[0] == mask
    made = np.zeros((), RECORD)
    made["hand"] = mask
    made["entries"]["ev"] = made["entries"]["royalties"] = np.nan
    for i, text in enumerate(placements):
        entry = made["entries"][i : i + 1]
        entry["code"] = pack_code(action_of(text).to_code(), 5)
        entry["ev"], entry["guess"], entry["visits"] = evs[i], evs[i] + 0.1, visits[i]
        entry["stderr"] = round_up(np.array([errors[i]]))
        entry["royalties"], entry["foul"], entry["fantasyland"] = 4.25, pack_share(0.2), pack_share(np.nan)
    return made


def made_up_book(path, *records, runs=(RUN,), about=ABOUT):
    """Write a book of these records; by default of one hand."""
    rows = np.array(sorted(records or [record()], key=lambda row: int(row["hand"])), RECORD)
    return write_book(path, about, [run.model_copy(update={"hands": len(rows)}) for run in runs], rows)
