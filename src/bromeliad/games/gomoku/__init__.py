"""Gomoku: five in a row with freestyle, exact-five, renju and caro rules, on boards up to 20 × 20.

docs/api.md describes the names.
"""

from typing import TYPE_CHECKING

from bromeliad.lazy import offer

if TYPE_CHECKING:
    from bromeliad.games.gomoku.agent import MCTSAgent as MCTSAgent
    from bromeliad.games.gomoku.agent import MCTSNode as MCTSNode
    from bromeliad.games.gomoku.agent import Network as Network
    from bromeliad.games.gomoku.agent import seed_agent as seed_agent
    from bromeliad.games.gomoku.core import GomokuCore as GomokuCore
    from bromeliad.games.gomoku.game import Gomoku as Gomoku
    from bromeliad.games.gomoku.model import Model as Model
    from bromeliad.games.gomoku.model import default_model as default_model
    from bromeliad.games.gomoku.model import load_model as load_model
    from bromeliad.games.gomoku.notation import cell_name as cell_name
    from bromeliad.games.gomoku.notation import parse_cell as parse_cell
    from bromeliad.games.gomoku.player import Answer as Answer
    from bromeliad.games.gomoku.player import Candidate as Candidate
    from bromeliad.games.gomoku.player import Player as Player
    from bromeliad.games.gomoku.position import read_position as read_position
    from bromeliad.games.gomoku.proof.threats import Proof as Proof
    from bromeliad.games.gomoku.proof.threats import prove as prove
    from bromeliad.games.gomoku.rules import RULES as RULES
    from bromeliad.games.gomoku.rules import GomokuRules as GomokuRules
    from bromeliad.games.gomoku.rules import rules_named as rules_named

_HOMES = {
    "bromeliad.games.gomoku.agent": "MCTSAgent MCTSNode Network seed_agent",
    "bromeliad.games.gomoku.core": "GomokuCore",
    "bromeliad.games.gomoku.game": "Gomoku",
    "bromeliad.games.gomoku.model": "Model default_model load_model",
    "bromeliad.games.gomoku.notation": "cell_name parse_cell",
    "bromeliad.games.gomoku.player": "Answer Candidate Player",
    "bromeliad.games.gomoku.position": "read_position",
    "bromeliad.games.gomoku.proof.threats": "Proof prove",
    "bromeliad.games.gomoku.rules": "GomokuRules RULES rules_named",
}
__getattr__, __all__ = offer(__name__, _HOMES)
