"""Replays of hand histories: every deal and placement is repeated, and the score is compared with the record."""

from collections.abc import Iterator, Sequence

from bromeliad.core.cards import CardSet, parse_cards
from bromeliad.errors import BromeliadError, InputError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.play.dealer import Dealer, PlayedHand
from bromeliad.games.ofc.play.history import DealEvent, DiscardEvent, HandRecord, PlaceEvent, ScoreEvent, ShowdownEvent
from bromeliad.games.ofc.play.seat import own_action
from bromeliad.games.ofc.play.table import pay


class _Replay:
    """A dealer who follows the events of a record."""

    def __init__(self, record: HandRecord) -> None:
        self.dealer = Dealer(record.rule_set(), [player.fantasyland for player in record.players])
        self._board: PlayerArrangement | None = None  # placed, while the discards are still to come

    def apply(self, event: DealEvent | PlaceEvent | DiscardEvent) -> None:
        """Repeat one event; raise if it is impossible."""
        due = self.dealer.due
        if due is None:
            raise InputError("the hand is over: every board is full")
        if event.seat != due[0]:
            raise InputError("seat {due} acts next, not seat {seat}", due=due[0], seat=event.seat)
        hand = self.dealer.view(event.seat).cards
        if isinstance(event, DealEvent):
            dealt = CardSet.deck(self.dealer.rules.jokers.count) - self.dealer.undealt
            self.dealer.deal(parse_cards(event.cards, dealt))
        elif not hand:
            raise InputError("seat {seat} has no cards yet: deal them first", seat=event.seat)
        elif isinstance(event, PlaceEvent):
            if self._board is not None:
                raise InputError("seat {seat} has already placed cards and must discard next", seat=event.seat)
            self._board = PlayerArrangement.parse(event.board)
            if self._board.cards.size == len(hand):
                self._place(event.seat, "")
        else:
            self._place(event.seat, event.cards)

    def _place(self, seat: int, discards: str) -> None:
        if self._board is None:
            raise InputError("seat {seat} discards before placing cards", seat=seat)
        cards = self.dealer.view(seat).cards
        rows = [row.cards for row in self._board.rows]
        self.dealer.place(own_action(cards, (*rows, parse_cards(discards))))
        self._board = None


def replay(record: HandRecord) -> PlayedHand:
    """Replay a recorded hand and return it with the score that the rules give.

    Raises
    ------
    InputError
        With the number (from 1) of the first impossible event, and the reason.
    PhaseError
        If the events end before the hand is over.
    """
    again = _Replay(record)
    for number, event in enumerate(record.events, start=1):
        if isinstance(event, ShowdownEvent | ScoreEvent):
            continue
        try:
            again.apply(event)
        except BromeliadError as error:
            raise InputError("event {number}: {problem}", number=number, problem=error) from None
    return again.dealer.finish()


def verify(record: HandRecord) -> PlayedHand:
    """Replay a recorded hand and return it; raise the first error, wrong scores included."""
    hand = replay(record)
    for problem in _differences(record, hand):
        raise problem
    return hand


def check(record: HandRecord) -> list[BromeliadError]:
    """Return the errors of a recorded hand: the first impossible event, or wrong scores."""
    try:
        hand = replay(record)
    except BromeliadError as error:
        return [error]
    return list(_differences(record, hand))


def _differences(record: HandRecord, hand: PlayedHand) -> Iterator[BromeliadError]:
    showdowns = [event for event in record.events if isinstance(event, ShowdownEvent)]
    scores = [event for event in record.events if isinstance(event, ScoreEvent)]
    if len(showdowns) != 1 or len(scores) != 1 or record.events[-2:] != (*showdowns, *scores):
        yield InputError("a hand ends with one showdown and one score")
    for showdown in showdowns:
        boards = [board.to_board_string() for board in hand.boards]
        yield from _compare("boards", showdown.boards, boards)
    for score in scores:
        players = hand.showdown.players
        yield from _compare("points", score.points, hand.points)
        yield from _compare("royalties", score.royalties, [player.royalties for player in players])
        yield from _compare("fouls", score.fouls, [player.fouled for player in players])
        yield from _compare("next_fantasyland", score.next_fantasyland, hand.next_fantasyland)
        stacks = [player.stack for player in record.players if player.stack is not None]
        if score.chips is not None and len(stacks) == len(record.players):
            yield from _compare("chips", score.chips, pay(hand.showdown, stacks))


def _compare(field: str, written: Sequence[object], found: Sequence[object]) -> Iterator[BromeliadError]:
    if len(written) != len(found):
        yield InputError(
            "{field}: {count} values for {players} seats", field=field, count=len(written), players=len(found)
        )
        return
    for seat, (there, here) in enumerate(zip(written, found, strict=True), start=1):
        if there != here:
            yield InputError(
                "{field}: the replay gives seat {seat} {found}, the record says {written}",
                field=field,
                seat=seat,
                found=here,
                written=there,
            )
