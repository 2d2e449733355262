"""A spot: everything that one decision depends on, checked once and trusted by all solvers."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal

import numpy as np

from bromeliad.core.cards import Card, CardSet, format_cards, parse_cards
from bromeliad.errors import PositionError
from bromeliad.games.ofc.hands.automaton import EMPTY_ROW, evaluate_cards, row_of_mask
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.rules.legality import verify_fantasyland_size
from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE, FANTASYLAND_SIZES, ROW_SIZES, RuleSet
from bromeliad.games.ofc.rules.rule_tables import category_number
from bromeliad.games.ofc.values.hand_state import FOUL_COST, Field, HandState, solo_state
from bromeliad.games.ofc.values.promise import promise_tables
from bromeliad.games.ofc.values.weights import learned_for

ObjectiveName = Literal["solo", "versus"]
_FANTASYLAND = "fantasyland:"
_MOST_DIGITS = 60  # Python refuses to read numbers of thousands of digits


@dataclass(frozen=True)
class Spot:
    """One decision of one player: the cards in hand, the boards, the dead cards and the objective.

    Attributes
    ----------
    cards
        The cards just dealt; if there are none, the question is the value of the board before the deal.
    dead
        The player's own discards and all other cards known to be gone.
    opponents
        The boards of opponents who are not in fantasyland.
    fantasyland
        Whether the hand is played in fantasyland or, if the first street earns it under the rules, whether it did.
    hidden
        The number of hidden cards of each opponent in fantasyland.
    seat
        The place in the order of play, from 1; None if only the boards show it.
    """

    rules: RuleSet
    board: PlayerArrangement
    cards: tuple[Card, ...]
    dead: CardSet
    opponents: tuple[PlayerArrangement, ...]
    objective: ObjectiveName
    foul_cost: float
    fantasyland_worth: tuple[tuple[int, float], ...]
    fantasyland: bool
    hidden: tuple[int, ...] = ()
    seat: int | None = None

    @property
    def in_fantasyland(self) -> bool:
        """Whether all cards are set at once, as in a fantasyland hand."""
        return self.fantasyland and self.rules.fantasyland.first_street is None

    @cached_property
    def street_index(self) -> int:
        """The street to be placed, from 0; meaningless in fantasyland."""
        return _street_index(self.rules, self.board.cards.size)

    @property
    def street(self) -> int | None:
        """The street to be placed, from 1; None in fantasyland."""
        return None if self.in_fantasyland else self.street_index + 1

    @property
    def is_last_street(self) -> bool:
        """Whether the board is full after this decision."""
        return self.in_fantasyland or self.street_index == len(self.rules.streets) - 1

    @cached_property
    def opponents_open(self) -> CardSet:
        """The opponents' open cards."""
        return CardSet.from_cards(card for board in self.opponents for card in board.cards)

    @cached_property
    def acts_before(self) -> tuple[bool, ...]:
        """For each open opponent, whether this opponent acts before the player on each street.

        An opponent with more cards on the board has acted. Between streets, boards of equal size do not show who acts
        first. Then the seat gives the number of opponents who act before, and opponents are in the order of play;
        without a seat the player is first. In fantasyland only the seat counts.
        """
        own = self.board.cards.size
        acted = [not self.in_fantasyland and board.cards.size > own for board in self.opponents]
        if self.seat is not None and (self.in_fantasyland or not self.cards):
            for i, board in enumerate(self.opponents):
                if sum(acted) < self.seat - 1 and (self.in_fantasyland or board.cards.size == own):
                    acted[i] = True
        return tuple(acted)

    @cached_property
    def unseen(self) -> CardSet:
        """The cards that may still be dealt: all whose place is unknown."""
        known = self.board.cards | CardSet.from_cards(self.cards) | self.dead | self.opponents_open
        return CardSet.deck(self.rules.jokers.count) - known

    def to_state(self) -> HandState:
        """Return the state that the kernels work on."""
        worth = np.zeros(FOUL_COST + 1, np.float64)
        for cards, value in self.fantasyland_worth:
            worth[cards] = value
        worth[FOUL_COST] = self.foul_cost
        streets = [number for street in self.rules.streets for number in (street.deal, street.place)]
        if self.in_fantasyland:
            streets = [len(self.cards), BOARD_SIZE]
        state = solo_state(self.rules, np.array(streets, np.int64), worth)
        v = state.v
        for row, mask in enumerate(self.board.masks):
            v[Field.ROW + row] = row_of_mask(state.tables.hands, mask) if mask else EMPTY_ROW
            v[Field.MASK + row] = mask
            v[Field.FREE + row] = ROW_SIZES[row] - mask.bit_count()
        v[Field.HAND] = CardSet.from_cards(self.cards).mask
        v[Field.DECK] = self.unseen.mask
        v[Field.STREET] = self.street_index
        v[Field.SEEN] = self.opponents_open.mask
        v[Field.FANTASYLAND] = self.fantasyland_cards
        return state

    def to_search_state(self) -> HandState:
        """Return the state with the promise tables that steer a search, and learned values if weights fit."""
        state = self.to_state()
        learned = learned_for(self.rules, self.foul_cost, self.fantasyland_worth)
        return state._replace(promise=promise_tables(self.rules, state.pay.tobytes()), learned=learned)

    @property
    def fantasyland_cards(self) -> int:
        """The number of fantasyland cards, 0 for a normal hand; positive too if the first street earned fantasyland."""
        first_street = self.rules.fantasyland.first_street
        if first_street and self.street_index == 0 and self.cards:
            reached = evaluate_cards(self.cards).category >= category_number(first_street.at_least)
            return len(self.cards) if reached else 0
        return (len(self.cards) or 1) if self.fantasyland else 0


def parse_spot(
    rules: RuleSet,
    *,
    cards: str = "",
    board: str = "",
    dead: str = "",
    opponents: Iterable[str] = (),
    objective: ObjectiveName | None = None,
    foul_cost: float | None = None,
    fantasyland_worth: Mapping[int, float] | None = None,
    fantasyland: bool = False,
    seat: int | None = None,
    players: int | None = None,
) -> Spot:
    """Read a spot from text and check that it can occur.

    Parameters
    ----------
    opponents
        A board each, or ``fantasyland:14`` for a hidden hand of 14 cards.
    seat
        The place in the order of play, from 1; it must not contradict the boards, which show who has acted.
    players
        The number of players. On the first street, opponents who have not acted may be left out.

    Raises
    ------
    CardError, PositionError
        If the text cannot be read or the spot cannot occur. The message is one line and says what to write instead.
    """
    taken = CardSet()
    own = PlayerArrangement.parse(board) if board.strip() else PlayerArrangement.empty()
    taken |= own.cards
    hand = parse_cards(cards, taken)
    taken |= CardSet.from_cards(hand)
    gone = CardSet.from_cards(parse_cards(dead, taken))
    taken |= gone
    boards, hidden = [], []
    for text in opponents:
        if text.strip().lower().startswith(_FANTASYLAND):
            hidden.append(_hidden_cards(text))
            continue
        boards.append(PlayerArrangement.parse(text, taken))
        taken |= boards[-1].cards
    if players is not None:
        boards += _unseen_opponents(rules, own, players - 1 - len(boards) - len(hidden))
    worth = dict(rules.objective.fantasyland_worth) | dict(fantasyland_worth or {})
    spot = Spot(
        rules=rules,
        board=own,
        cards=hand,
        dead=gone,
        opponents=tuple(boards),
        objective=objective or ("versus" if boards or hidden else "solo"),
        foul_cost=rules.objective.foul_cost if foul_cost is None else foul_cost,
        fantasyland_worth=tuple(sorted(worth.items())),
        fantasyland=fantasyland,
        hidden=tuple(hidden),
        seat=seat,
    )
    _check(spot, taken)
    if seat is not None:
        _check_seat(spot, seat)
    return spot


def _hidden_cards(text: str) -> int:
    """Return the number of cards of a hidden fantasyland hand."""
    number = text.strip().lower().removeprefix(_FANTASYLAND)
    if not number.isdecimal() or len(number) > _MOST_DIGITS or int(number) not in FANTASYLAND_SIZES:
        raise PositionError(
            "write an opponent in fantasyland as fantasyland:14, with 13 to 17 cards, not {text}", text=text[:60]
        )
    return int(number)


def _unseen_opponents(rules: RuleSet, own: PlayerArrangement, count: int) -> list[PlayerArrangement]:
    """Return empty boards for the opponents who were left out: they have not placed their first street."""
    if count < 0:
        raise PositionError("there are more opponents than the number of players allows: check both")
    if count and own.cards:
        raise PositionError("after the first street every opponent's board is needed: give {count} more", count=count)
    return [PlayerArrangement.empty()] * count


def _check_seat(spot: Spot, seat: int) -> None:
    """Raise PositionError if the boards contradict the seat; hidden hands do not show who has acted."""
    players = 1 + len(spot.opponents) + len(spot.hidden)
    if players == 1:
        raise PositionError("a seat needs other players: give an opponent, or the number of players")
    if not 1 <= seat <= players:
        raise PositionError("with {players} players a seat is 1 to {players}, not {seat}", players=players, seat=seat)
    acted = sum(board.cards.size > spot.board.cards.size for board in spot.opponents)
    unknown = len(spot.hidden)  # opponents who may have acted or not
    if not spot.cards:
        unknown += sum(board.cards.size == spot.board.cards.size for board in spot.opponents)
    if not acted + 1 <= seat <= acted + 1 + unknown and not spot.in_fantasyland:
        raise PositionError(
            "seat {seat} acts after {before} opponents, but {acted} have placed their cards of this street",
            seat=seat,
            before=seat - 1,
            acted=acted,
        )


def _check(spot: Spot, taken: CardSet) -> None:
    rules = spot.rules
    alien = taken - CardSet.deck(rules.jokers.count)
    if alien:
        raise PositionError(
            "{rules} has {jokers} jokers; not in its deck: {cards}",
            rules=rules.name,
            jokers=rules.jokers.count,
            cards=format_cards(alien),
        )
    if len(spot.opponents) + len(spot.hidden) >= rules.players.max:
        raise PositionError("{rules} has at most {count} opponents", rules=rules.name, count=rules.players.max - 1)
    if spot.objective == "versus":
        for board in spot.opponents:
            _check_opponent(rules, board, spot.unseen.size)
        for count in spot.hidden:
            _check_hidden(rules, count, spot.unseen.size)
    if spot.objective == "versus" and not spot.opponents and not spot.hidden:
        raise PositionError('objective versus needs an opponent\'s board, written "top / middle / back"')
    for value in (spot.foul_cost, *(value for _, value in spot.fantasyland_worth)):
        if not math.isfinite(value):
            raise PositionError("foul cost and fantasyland worth must be finite numbers")
    for count, _ in spot.fantasyland_worth:
        verify_fantasyland_size(count)
    if spot.in_fantasyland:
        _check_fantasyland(spot)
    else:
        _check_street(spot)


def _check_fantasyland(spot: Spot) -> None:
    if spot.board.cards:
        raise PositionError(
            "in fantasyland all cards are placed at once: leave the board empty and give all of them as the cards dealt"
        )
    verify_fantasyland_size(len(spot.cards))


def _stops(rules: RuleSet) -> list[int]:
    """Return the numbers of cards that a board can have between streets, from 0 to 13."""
    return list(accumulate((street.place for street in rules.streets), initial=0))


def _street_index(rules: RuleSet, placed: int) -> int:
    stops = _stops(rules)
    if placed == stops.pop():
        raise PositionError("the board is full: use `bromeliad score` for finished boards")
    if placed not in stops:
        raise PositionError(
            "the board has {placed} cards; under {rules} a street begins with {stops} on the board",
            placed=placed,
            rules=rules.name,
            stops=", ".join(map(str, stops)),
        )
    return stops.index(placed)


def _check_hidden(rules: RuleSet, count: int, unseen: int) -> None:
    """Raise PositionError if no opponent can be in fantasyland with this number of cards."""
    allowed = () if rules.fantasyland.first_street else rules.fantasyland_cards()
    if count not in allowed:
        raise PositionError(
            "{rules} deals no fantasyland of {count} cards; allowed: {allowed}",
            rules=rules.name,
            count=count,
            allowed=", ".join(map(str, allowed)) or "-",
        )
    _check_left(count, unseen)


def _check_left(later: int, unseen: int) -> None:
    if unseen < later:
        raise PositionError(
            "only {left} cards are left in the deck, but {later} must still be dealt: check dead cards and opponents",
            left=unseen,
            later=later,
        )


def _check_opponent(rules: RuleSet, board: PlayerArrangement, unseen: int) -> None:
    """Raise PositionError if an opponent cannot have this board between streets, or too few cards are left for it."""
    ends = _stops(rules)
    if not board.is_complete:  # hidden discards are among the unseen cards too
        _check_left(rules.cards_per_player - board.cards.size, unseen)
    if board.cards.size not in ends:
        raise PositionError(
            "an opponent's board has {placed} cards; under {rules} it has {ends} between streets",
            placed=board.cards.size,
            rules=rules.name,
            ends=", ".join(map(str, ends)),
        )


def _check_street(spot: Spot) -> None:
    street = spot.rules.streets[spot.street_index]
    if spot.cards and len(spot.cards) != street.deal:
        raise PositionError(
            "street {street} deals {deal} cards, not {count}: {cards}",
            street=spot.street_index + 1,
            deal=street.deal,
            count=len(spot.cards),
            cards=format_cards(spot.cards),
        )
    _check_left(sum(s.deal for s in spot.rules.streets[spot.street_index + bool(spot.cards) :]), spot.unseen.size)
