"""The page is quick enough: part of the acceptance runs, because the figures need an idle machine."""

import pytest

from page_speed import measure


@pytest.mark.accept
def test_the_page_is_within_its_limits(built):
    for name, clock, _, limit in measure():
        assert clock < limit, name
