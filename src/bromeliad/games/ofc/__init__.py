"""Open-face Chinese poker: rules, boards, scoring, playing hands, hand histories. docs/api.md describes the names."""

from typing import TYPE_CHECKING

from bromeliad.lazy import offer

if TYPE_CHECKING:
    from bromeliad.games.ofc.book.file import Book as Book
    from bromeliad.games.ofc.book.file import open_book as open_book
    from bromeliad.games.ofc.game import OfcGame as OfcGame
    from bromeliad.games.ofc.hands.boards import Hand as Hand
    from bromeliad.games.ofc.hands.boards import PlayerArrangement as PlayerArrangement
    from bromeliad.games.ofc.hands.boards import Position as Position
    from bromeliad.games.ofc.hands.placements import Action as Action
    from bromeliad.games.ofc.play.dealer import PlayedHand as PlayedHand
    from bromeliad.games.ofc.play.dealer import play_hand as play_hand
    from bromeliad.games.ofc.play.game_state import GamePhase as GamePhase
    from bromeliad.games.ofc.play.game_state import GameState as GameState
    from bromeliad.games.ofc.play.game_state import OpponentInfo as OpponentInfo
    from bromeliad.games.ofc.play.history import HandRecord as HandRecord
    from bromeliad.games.ofc.play.history import HistoryWriter as HistoryWriter
    from bromeliad.games.ofc.play.history import parse_record as parse_record
    from bromeliad.games.ofc.play.history import read_records as read_records
    from bromeliad.games.ofc.play.history import record_of as record_of
    from bromeliad.games.ofc.play.replay import replay as replay
    from bromeliad.games.ofc.play.seat import SeatView as SeatView
    from bromeliad.games.ofc.play.seat import board_after as board_after
    from bromeliad.games.ofc.play.strategies import AIStrategy as AIStrategy
    from bromeliad.games.ofc.play.strategies import HeuristicStrategy as HeuristicStrategy
    from bromeliad.games.ofc.play.strategies import MCTSStrategy as MCTSStrategy
    from bromeliad.games.ofc.play.strategies import RandomStrategy as RandomStrategy
    from bromeliad.games.ofc.play.table import Table as Table
    from bromeliad.games.ofc.play.table import TableHand as TableHand
    from bromeliad.games.ofc.rules.files import dump_rules as dump_rules
    from bromeliad.games.ofc.rules.files import load_rules as load_rules
    from bromeliad.games.ofc.rules.files import parse_rules as parse_rules
    from bromeliad.games.ofc.rules.files import preset as preset
    from bromeliad.games.ofc.rules.files import preset_names as preset_names
    from bromeliad.games.ofc.rules.rule_set import RuleSet as RuleSet
    from bromeliad.games.ofc.rules.showdown import PlayerResult as PlayerResult
    from bromeliad.games.ofc.rules.showdown import Settlement as Settlement
    from bromeliad.games.ofc.rules.showdown import Showdown as Showdown
    from bromeliad.games.ofc.rules.showdown import show_down as show_down
    from bromeliad.games.ofc.spot import Spot as Spot
    from bromeliad.games.ofc.spot import parse_spot as parse_spot

_HOMES = {
    "bromeliad.games.ofc.book.file": "Book open_book",
    "bromeliad.games.ofc.game": "OfcGame",
    "bromeliad.games.ofc.hands.boards": "Hand PlayerArrangement Position",
    "bromeliad.games.ofc.hands.placements": "Action",
    "bromeliad.games.ofc.play.dealer": "PlayedHand play_hand",
    "bromeliad.games.ofc.play.game_state": "GamePhase GameState OpponentInfo",
    "bromeliad.games.ofc.play.history": "HandRecord HistoryWriter parse_record read_records record_of",
    "bromeliad.games.ofc.play.replay": "replay",
    "bromeliad.games.ofc.play.seat": "SeatView board_after",
    "bromeliad.games.ofc.play.strategies": "AIStrategy HeuristicStrategy MCTSStrategy RandomStrategy",
    "bromeliad.games.ofc.play.table": "Table TableHand",
    "bromeliad.games.ofc.rules.files": "dump_rules load_rules parse_rules preset preset_names",
    "bromeliad.games.ofc.rules.rule_set": "RuleSet",
    "bromeliad.games.ofc.rules.showdown": "PlayerResult Settlement Showdown show_down",
    "bromeliad.games.ofc.spot": "Spot parse_spot",
}
__getattr__, __all__ = offer(__name__, _HOMES)
