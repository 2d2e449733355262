"""The file of an opening book: it reads back as written, quickly and in any suits; other files are refused."""

import time

import numpy as np
import pytest

from bromeliad.core.cards import CardSet
from bromeliad.errors import BookError
from bromeliad.games.ofc.book.file import RECORD, open_book, pack_code, pack_share, round_up, unpack_code, write_book
from bromeliad.games.ofc.book.first_deals import opening_hands
from bromeliad.games.ofc.book.shelf import find_books
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.weights import find_weights
from opening_books import ABOUT, HAND, PLACEMENTS, RUN, action_of, made_up_book, mask_of, record


@pytest.fixture
def path(tmp_path):
    return tmp_path / "test.book"


def test_a_book_says_what_was_written(path):
    header = made_up_book(path)
    book = open_book(path)
    book.check()
    assert book.header == header
    assert header.runs == (RUN,)
    found = book.find(mask_of(HAND))
    assert [item.code for item in found[:2]] == [action_of(text).to_code() for text in PLACEMENTS[:2]]
    assert found[0].ev == pytest.approx(5.34)
    assert found[0].stderr >= 0.21
    assert found[0].stderr == pytest.approx(0.21, rel=1e-3)
    assert [item.visits for item in found] == [100, 200, 300]
    assert (found[0].p_foul, found[0].p_fantasyland, found[0].royalties) == (0.2, None, 4.25)


def test_the_same_book_is_the_same_file(path, tmp_path):
    made_up_book(path)
    made_up_book(tmp_path / "again.book")
    assert path.read_bytes() == (tmp_path / "again.book").read_bytes()


def test_other_suits_get_the_placements_in_their_suits(path):
    made_up_book(path)
    turned = str.maketrans("cdhs", "hsdc")
    found = open_book(path).find(mask_of(HAND.translate(turned)))
    assert [item.code for item in found] == [action_of(text.translate(turned)).to_code() for text in PLACEMENTS]


def test_symmetric_placements_are_all_told(path):
    """No other card has the suit of either ace, so either ace may be the one on top."""
    hand, placed = "Ac Ad 2h 3h 4h", "Ac / Ad / 2h 3h 4h"
    made_up_book(path, record(hand, (placed,)))
    found = open_book(path).find(mask_of(hand))
    both = {action_of(placed).to_code(), action_of("Ad / Ac / 2h 3h 4h").to_code()}
    assert {item.code for item in found} == both
    assert len({item.ev for item in found}) == 1


def test_a_hand_that_is_not_there_has_no_entries(path):
    made_up_book(path)
    assert open_book(path).find(mask_of("2c 3d 4h 5s 7c")) == ()


def test_codes_and_shares_survive():
    for code in (0b0101010101, 0b1111111111, 0b1001110110):
        assert unpack_code(pack_code(code, 5)) == code
    assert len({pack_code(Action.from_code(CardSet(31), unpack_code(i)).to_code(), 5) for i in range(243)}) == 243
    assert [pack_share(share) for share in (-0.1, 0.5, 1.2, np.nan)] == [0, 125, 250, 255]


def test_no_error_gets_smaller():
    errors = np.random.default_rng(1).uniform(0.01, 1.0, 1000)
    assert (round_up(errors).astype(np.float64) >= errors).all()
    assert np.allclose(round_up(errors), errors, rtol=2e-3)


def test_a_look_up_takes_less_than_a_millisecond(path):
    hands = opening_hands(0).masks
    rows = np.repeat(record()[None], len(hands))
    rows["hand"] = hands
    write_book(path, ABOUT, [RUN], rows)
    assert path.stat().st_size < 10_000_000
    book = open_book(path)
    took = []
    for mask in np.random.default_rng(1).choice(hands, 300).tolist():
        start = time.thread_time()  # others may keep the machine busy meanwhile
        assert book.find(mask)
        took.append(time.thread_time() - start)
    assert np.median(took) < 1e-3


class TestWhatIsNoBook:
    def refuse(self, path):
        with pytest.raises(BookError) as caught:
            open_book(path)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    def test_no_file(self, path):
        assert "cannot be read" in self.refuse(path)

    @pytest.mark.parametrize("content", [b"", b"BROM", b"a rule file\n" * 20, b"BROMBOOK\xff\xff\xff\x7f{}"])
    def test_something_else(self, path, content):
        path.write_bytes(content)
        assert "is not an opening book, is damaged, or has another version" in self.refuse(path)

    @pytest.mark.parametrize("cut", [1, RECORD.itemsize, 200])
    def test_a_torn_file(self, path, cut):
        made_up_book(path)
        path.write_bytes(path.read_bytes()[:-cut])
        assert "damaged" in self.refuse(path)

    def test_another_format(self, path):
        made_up_book(path)
        path.write_bytes(path.read_bytes().replace(b'"format":1', b'"format":9', 1))
        assert "has another version" in self.refuse(path)

    def test_a_flipped_bit_is_found_by_a_check(self, path):
        made_up_book(path)
        content = bytearray(path.read_bytes())
        content[-20] ^= 4
        path.write_bytes(bytes(content))
        with pytest.raises(BookError, match="damaged"):
            open_book(path).check()


def test_the_book_that_ships_is_whole():
    """It has all hands of pineapple, is small enough, and was made with the shipped weights."""
    start = parse_spot(preset("pineapple"), objective="solo")
    book = find_books(start.rules, start.foul_cost, start.fantasyland_worth)[0]
    assert book is not None
    book.check()
    assert book.records["hand"].tolist() == opening_hands(0).masks.tolist()
    assert book.path.stat().st_size < 10_000_000
    weights = find_weights(start.rules, start.foul_cost, start.fantasyland_worth)
    assert weights is not None
    assert {run.weights for run in book.header.runs} == {weights[1].sha256}
    assert (book.records["entries"]["ev"][:, 1:] <= book.records["entries"]["ev"][:, :-1]).all()
