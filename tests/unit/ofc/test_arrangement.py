import pickle
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bromeliad.core.cards import Card, CardSet, parse_cards
from bromeliad.errors import CardError, PlacementError
from bromeliad.games.ofc.hands.automaton import HandType
from bromeliad.games.ofc.hands.boards import Hand, PlayerArrangement, Position, RowBonuses
from bromeliad.games.ofc.rules.files import preset

PUBLISHED = "Jh4s3h-As5c4c3c2h-KdJd9d7d3d"


def hand(position, text):
    return Hand(position, parse_cards(text))


class TestPosition:
    def test_sizes_and_indices(self):
        assert [(p.value, p.size, p.index) for p in Position] == [("front", 3, 0), ("middle", 5, 1), ("back", 5, 2)]


class TestHand:
    def test_is_sorted_by_rank_then_suit_with_jokers_last(self):
        assert str(hand(Position.BACK, "2c Jk Ah As Kd")) == "As Ah Kd 2c Jk"

    def test_equal_whatever_the_order(self):
        one, other = hand(Position.BACK, "2c As"), hand(Position.BACK, "As 2c")
        assert one == other
        assert hash(one) == hash(other)
        assert one != hand(Position.MIDDLE, "As 2c")

    def test_is_frozen(self):
        with pytest.raises(FrozenInstanceError):
            hand(Position.BACK, "2c").cards = ()

    def test_hand_type_is_evaluated_once(self):
        row = hand(Position.BACK, "As Ks Qs Js Ts")
        assert row.hand_type == HandType(HandType.ROYAL_FLUSH, (14,))
        assert row.hand_type is row.hand_type

    @pytest.mark.parametrize("text", ["", "As", "As Ks Qs", "As Ks Qs Js"])
    def test_only_a_full_row_has_a_hand_type(self, text):
        row = hand(Position.MIDDLE, text)
        assert not row.is_valid_size()
        with pytest.raises(PlacementError, match="only a full row"):
            _ = row.hand_type

    def test_mask(self):
        assert hand(Position.FRONT, "As Kd").mask == CardSet.from_cards(parse_cards("As Kd")).mask

    def test_with_card(self):
        row, card = hand(Position.FRONT, "As Kd"), Card.from_string("2c")
        assert row.can_add_card(card)
        row.verify_add_card(card)
        assert str(row.with_card(card)) == "As Kd 2c"
        assert str(row) == "As Kd"

    @pytest.mark.parametrize(
        ("text", "card", "message"),
        [
            ("As Kd Qh", "2c", "the top row is full: place 2c elsewhere"),
            ("As", "As", "As is already in the top row"),
        ],
    )
    def test_a_card_that_cannot_be_added(self, text, card, message):
        row, card = hand(Position.FRONT, text), Card.from_string(card)
        assert not row.can_add_card(card)
        with pytest.raises(PlacementError) as error:
            row.with_card(card)
        assert str(error.value) == message

    def test_too_many_or_repeated_cards(self):
        with pytest.raises(PlacementError, match="the top row holds 3 cards, not 4"):
            hand(Position.FRONT, "As Ks Qs Js")
        with pytest.raises(PlacementError, match="appears twice: As"):
            Hand(Position.BACK, (Card(51), Card(51)))

    def test_row_names_are_translated_too(self):
        with pytest.raises(PlacementError) as error:
            hand(Position.FRONT, "As Ks Qs Js")
        chinese = {
            "the {row} row holds {size} cards, not {count}": "{row}放 {size} 張，不是 {count} 張",
            "top": "頭道",
        }
        assert error.value.render(chinese.__getitem__) == "頭道放 3 張，不是 4 張"


class TestParse:
    @pytest.mark.parametrize(
        ("text", "written"),
        [
            ("Kd / 7c 2s / As Ah", "Kd / 7c 2s / As Ah"),
            ("Kd/7c2s/AhAs", "Kd / 7c 2s / As Ah"),
            ("- / - / -", "- / - / -"),
            ("//", "- / - / -"),
            ("--", "- / - / -"),
            ("K♦ ／ － ／ -".replace("－", "—"), "Kd / - / -"),
            (" / 10h,9h / ", "- / Th 9h / -"),
            (PUBLISHED, "Jh 4s 3h / As 5c 4c 3c 2h / Kd Jd 9d 7d 3d"),
            ("Kd--As", "Kd / - / As"),
            ("Jk / Jk / -", "Jk / Jk / -"),
        ],
    )
    def test_reads(self, text, written):
        board = PlayerArrangement.parse(text)
        assert str(board) == written
        assert PlayerArrangement.parse(str(board)) == PlayerArrangement.parse(board.to_board_string()) == board

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "three rows, not 0"),
            ("As Kd", "three rows, not 1"),
            ("As / Kd", "three rows, not 2"),
            ("As / Kd / Qh / Jc", "three rows, not 4"),
            ("As-Kd", "three rows, not 2"),
            ("As / Xx / Zz", "not a card: Xx, Zz"),
            ("As / Kd / As", "the same card appears twice: As"),
            ("As Ks Qs Js / - / -", "the top row holds 3 cards, not 4: As Ks Qs Js"),
            ("- / As Ks Qs Js Ts 9s / -", "the middle row holds 5 cards, not 6"),
            ("As - / - / -", "not a card: -"),
            ("Jk / Jk / Jk", "the same card appears twice: Jk"),
        ],
    )
    def test_says_what_is_wrong_in_one_line(self, text, message):
        with pytest.raises(CardError) as error:
            PlayerArrangement.parse(text)
        assert message in str(error.value)
        assert "\n" not in str(error.value)

    def test_cards_that_lie_elsewhere(self):
        taken = CardSet.from_cards(parse_cards("As Jk"))
        with pytest.raises(CardError, match="appears twice: As"):
            PlayerArrangement.parse("As / - / -", taken)
        assert PlayerArrangement.parse("Jk / - / -", taken).get_all_cards() == [Card(53)]

    @given(st.text(alphabet="As Kd7c/-／—jJkK10*{}%\n2♠", max_size=60) | st.text(max_size=30))
    def test_raises_nothing_else(self, text):
        try:
            board = PlayerArrangement.parse(text)
        except CardError:
            return
        assert PlayerArrangement.parse(str(board)).cards.size == board.cards.size


class TestPlayerArrangement:
    def test_empty(self):
        board = PlayerArrangement.empty()
        assert board == PlayerArrangement() == PlayerArrangement.of()
        assert board.masks == (0, 0, 0)
        assert board.cards.size == 0
        assert not board.is_complete
        assert not board.is_valid

    def test_one_card_a_row_is_not_complete(self):
        assert not PlayerArrangement.parse("As / Kd / Qh").is_complete

    def test_rows_cards_and_masks(self):
        board = PlayerArrangement.parse("Kd / 7c 2s / As Ah")
        assert board.row(Position.MIDDLE) is board.middle
        assert [str(card) for card in board.get_all_cards()] == ["Kd", "7c", "2s", "As", "Ah"]
        assert board.cards == CardSet.from_cards(board.get_all_cards())
        assert board.masks == tuple(hand.mask for hand in board.rows)

    def test_is_a_value(self):
        one, other = PlayerArrangement.parse(PUBLISHED), PlayerArrangement.parse(PUBLISHED)
        assert one == other
        assert len({one, other, pickle.loads(pickle.dumps(one))}) == 1
        with pytest.raises(FrozenInstanceError):
            one.front = other.front

    def test_set_hand_returns_a_new_board(self):
        board = PlayerArrangement.empty()
        changed = board.set_hand(Position.FRONT, hand(Position.FRONT, "As"))
        assert str(changed) == "As / - / -"
        assert str(board) == "- / - / -"
        with pytest.raises(PlacementError, match="a hand of the back row cannot be used as the top row"):
            board.set_hand(Position.FRONT, hand(Position.BACK, "As"))

    def test_with_cards(self):
        board = PlayerArrangement.parse("Kd / - / As")
        cards = parse_cards("Ah Qc")
        assert str(board.with_cards({Position.BACK: cards[:1], Position.FRONT: cards[1:]})) == "Kd Qc / - / As Ah"

    @pytest.mark.parametrize(
        ("placements", "message"),
        [
            ({Position.FRONT: "Qc Qd Qh"}, "the top row is full: place Qh elsewhere"),
            ({Position.FRONT: "As"}, "appears twice: As"),
            ({Position.BACK: "As"}, "As is already in the back row"),
        ],
    )
    def test_with_cards_that_do_not_fit(self, placements, message):
        board = PlayerArrangement.parse("Kd / - / As")
        with pytest.raises(PlacementError, match=message):
            board.with_cards({position: parse_cards(text) for position, text in placements.items()})
        assert str(board) == "Kd / - / As"

    @pytest.mark.parametrize(
        ("text", "valid"),
        [
            (PUBLISHED, True),
            ("QcQd7h / QhQs6c5c4c / As Ah Ac 2d 3d", False),  # the top's kicker is higher
            ("QcQd5h / QhQs6c5c4c / As Ah Ac 2d 3d", True),
            ("2c3c4d / AsKsQsJs9s / 2h2d3h3d4h", False),  # flush over two pair
            ("2c3c4d / AsKsQsJs9d / AhKhQhJh9c", True),  # equal rows
        ],
    )
    def test_is_valid(self, text, valid):
        assert PlayerArrangement.parse(text).is_valid is valid

    def test_is_valid_under_other_rules(self):
        rules = preset("pineapple")
        strict = rules.model_copy(update={"order": rules.order.model_copy(update={"strict": True})})
        board = PlayerArrangement.parse("2c3c4d / AsKsQsJs9d / AhKhQhJh9c")
        assert board.is_valid_under(rules)
        assert not board.is_valid_under(strict)
        low = PlayerArrangement.parse("AsAdKc / 7c5d4h3s2c / QsQdQcQh2d")
        assert low.is_valid_under(preset("deuce"))
        assert not low.is_valid

    def test_bonuses_go_by_rank_and_rules(self):
        board = PlayerArrangement.parse("KsKd2c / AsAdAc3c4c / 5h6h7h8h9h")
        assert board.calculate_bonus() == RowBonuses(front=8, middle=2, back=15)
        assert board.calculate_bonus(preset("house")) == RowBonuses(front=3, middle=6, back=100)
        queens = PlayerArrangement.parse("QsQd2c / AsAdAc3c4c / 5h6h7h8h9h")
        assert queens.calculate_bonus().front == 7

    def test_no_bonus_for_a_foul_nor_for_an_unfinished_board(self):
        assert PlayerArrangement.parse("KsKd2c / 3c4c5c6d8d / 5h6h7h8h9h").calculate_bonus() == RowBonuses()
        assert PlayerArrangement.parse("KsKd2c / - / 5h6h7h8h9h").calculate_bonus() == RowBonuses()

    def test_only_a_finished_board_is_scored(self):
        with pytest.raises(PlacementError, match="only a finished board is scored: As / - / - has empty places"):
            PlayerArrangement.parse("As / - / -").scored(preset("pineapple"))
