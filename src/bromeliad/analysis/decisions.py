"""The decisions of recorded hands, each with its seat's view."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bromeliad.analysis.sources import Sourced
from bromeliad.errors import BromeliadError, InputError
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.dealer import Dealer, PlayedHand
from bromeliad.games.ofc.play.history import HandRecord
from bromeliad.games.ofc.play.replay import replay
from bromeliad.games.ofc.play.seat import SeatView


@dataclass(frozen=True)
class Decision:
    """One decision: the seat's view and its action."""

    line: int  # the hand's line in the file, or its id in the store
    hand: int  # the hand's number in the record
    number: int  # of the decision in its hand, from 0
    player: str
    street: int | None  # from 1; None in fantasyland
    view: SeatView
    action: Action


@dataclass
class Decisions:
    """Decisions of some hands, and the hands that cannot be replayed."""

    decisions: list[Decision] = field(default_factory=list)
    hands: int = 0
    problems: list[tuple[Sourced, BromeliadError]] = field(default_factory=list)


def decisions_of(line: int, record: HandRecord, played: PlayedHand) -> Iterator[Decision]:
    """Yield the decisions of a hand in order."""
    dealer = Dealer(played.rules, played.fantasyland)
    for number, turn in enumerate(played.turns):
        dealer.deal(turn.cards)
        view, name = dealer.view(turn.seat), record.players[turn.seat - 1].name
        yield Decision(line, record.hand, number, name, turn.street or None, view, turn.action)
        dealer.place(turn.action)


def read_decisions(source: str, hands: Iterable[Sourced], players: Sequence[str] = ()) -> Decisions:
    """Return the decisions of hands: all, or those of some players.

    Raises
    ------
    InputError
        If there are no hands, or one of ``players`` has none.
    """
    found = Decisions()
    names: set[str] = set()
    for sourced in hands:
        record = sourced.record
        try:
            if isinstance(record, BromeliadError):
                raise record
            played = replay(record)
        except BromeliadError as error:
            found.problems.append((sourced, error))
            continue
        found.hands += 1
        names.update(player.name for player in record.players)
        wanted = decisions_of(sourced.line, record, played)
        found.decisions += [item for item in wanted if not players or item.player in players]
    if not names and not found.problems:
        raise InputError("{file} has no hands", file=source)
    for player in players:
        if player not in names:
            raise InputError("there is no player {name}; players: {names}", name=player, names=", ".join(sorted(names)))
    return found
