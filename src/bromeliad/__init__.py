"""Bromeliad: an open-face Chinese poker solver on a game-independent Monte Carlo tree search.

Importing the package is cheap: public names are loaded on first use. docs/api.md describes them.
"""

from bromeliad.lazy import offer

TYPE_CHECKING = False  # typing is not imported: until the command line handles Ctrl-C, it is a traceback
if TYPE_CHECKING:
    from bromeliad.core.budget import Budget as Budget
    from bromeliad.core.budget import Cancel as Cancel
    from bromeliad.core.budget import Progress as Progress
    from bromeliad.core.cards import Card as Card
    from bromeliad.core.cards import CardSet as CardSet
    from bromeliad.core.cards import format_cards as format_cards
    from bromeliad.core.cards import parse_cards as parse_cards
    from bromeliad.errors import BromeliadError as BromeliadError
    from bromeliad.errors import CardError as CardError
    from bromeliad.errors import InputError as InputError
    from bromeliad.errors import PlacementError as PlacementError
    from bromeliad.errors import RulesError as RulesError
    from bromeliad.solving.answer import ActionAnswer as ActionAnswer
    from bromeliad.solving.answer import Answer as Answer
    from bromeliad.solving.request import SolveRequest as SolveRequest
    from bromeliad.solving.session import SearchStats as SearchStats
    from bromeliad.solving.session import Solution as Solution
    from bromeliad.solving.session import SolverSession as SolverSession
    from bromeliad.solving.solve import solve as solve
    from bromeliad.solving.solver import Solver as Solver

__version__ = "0.1.0"
_HOMES = {
    "bromeliad.core.budget": "Budget Cancel Progress",
    "bromeliad.core.cards": "Card CardSet format_cards parse_cards",
    "bromeliad.errors": "BromeliadError CardError InputError PlacementError RulesError",
    "bromeliad.solving.answer": "ActionAnswer Answer",
    "bromeliad.solving.request": "SolveRequest",
    "bromeliad.solving.session": "SearchStats Solution SolverSession",
    "bromeliad.solving.solve": "solve",
    "bromeliad.solving.solver": "Solver",
}
__getattr__, __all__ = offer(__name__, _HOMES)
__all__ += ["__version__"]
