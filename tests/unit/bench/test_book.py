"""The bench of the opening book: playouts with and without luck."""

import pytest

from bromeliad.bench import book
from bromeliad.core.jit import JIT
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot


@pytest.mark.kernel
@pytest.mark.skipif(not JIT, reason="whole hands take too long in plain Python")
def test_gain_of_playouts_without_luck():
    section = book.luck_section(parse_spot(preset("pineapple"), objective="solo"), 2, 60, 1)
    plain, rest = (dict(zip(section.columns, row, strict=True)) for row in section.rows)
    assert plain["gain per second, value"] == plain["gain per second, lead"] == 1.0
    cost = rest["µs each"] / plain["µs each"]
    gain = plain["variance of a value"] / rest["variance of a value"]
    assert gain > 5.0
    assert rest["gain per second, value"] == pytest.approx(gain / cost)
