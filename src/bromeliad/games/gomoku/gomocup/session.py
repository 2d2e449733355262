"""What a Gomocup manager has told: the board, the limits, and the player who answers within them."""

from bromeliad.core.budget import Budget
from bromeliad.core.jit import int64
from bromeliad.errors import InputError
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.moves import is_legal, pass_turn
from bromeliad.games.gomoku.player import Answer, Player, search_params
from bromeliad.games.gomoku.rules import BLACK, WHITE, GomokuRules, check_size, rules_by_bits, rules_named
from bromeliad.games.gomoku.state import BLOCKED, BOARD, EMPTY, MOVER, STONES, GomokuState, put
from bromeliad.search import Cancel

__all__ = ["BLOCK", "OPPONENT", "OWN", "GomocupSession"]

OWN, OPPONENT, BLOCK = 1, 2, 3
_DEFAULT_TURN = 5000  # milliseconds, if the manager tells none
_MATCH_SHARE = 12  # moves among which the rest of a match's time is divided
_LATE = 0.03  # seconds that are kept for answering
_MEGABYTE = 1 << 20
_BASE = 230  # megabytes that the program takes before it searches
_LEAST_TREE, _MOST_TREE = 8, 96  # megabytes
_KEPT = {"timeout_turn", "timeout_match", "time_left", "max_memory", "game_type", "rule"}


class GomocupSession:
    """The position of a game as own stones, the opponent's and blocked cells."""

    def __init__(self) -> None:
        self.width = self.height = self.size = 0
        self._stones: dict[int, int] = {}
        self._limits: dict[str, int] = {}
        self._rules = rules_named("freestyle")
        self._player: Player | None = None

    def start(self, width: int, height: int) -> None:
        """Clear a board; what is beyond the shorter side of a rectangle is blocked."""
        for side in (width, height):
            check_size(side)
        if max(width, height) != self.size:
            self._player = None
        self.width, self.height, self.size = width, height, max(width, height)
        self.clear()
        self.player()

    def clear(self) -> None:
        """Take all stones off the board."""
        self._stones.clear()

    def cell(self, x: int, y: int) -> int:
        """Return the cell of coordinates from the top left."""
        if x >= self.width or y >= self.height:
            raise InputError("{x},{y} is off the board", x=x, y=y)
        return y * self.size + x

    def name(self, cell: int) -> str:
        """Write a cell as the protocol does."""
        return f"{cell % self.size},{cell // self.size}"

    def put(self, cell: int, who: int) -> None:
        """Put a stone on an empty cell."""
        if cell in self._stones:
            raise InputError("{x},{y} is taken", x=cell % self.size, y=cell // self.size)
        self._stones[cell] = who

    def take(self, cell: int) -> None:
        """Take a stone back."""
        if self._stones.pop(cell, None) is None:
            raise InputError("{x},{y} is empty", x=cell % self.size, y=cell // self.size)

    def inform(self, key: str, value: int) -> None:
        """Keep a limit; a rule that is not known leaves the rules as they are."""
        if key == "rule":
            rules: GomokuRules = rules_by_bits(value)
            if rules != self._rules:
                self._rules, self._player = rules, None
        elif key in _KEPT:
            self._limits[key] = value
            if key == "max_memory":
                self._player = None

    def seconds(self) -> float:
        """Return what a move may take, by the limits for a turn and for the rest of the match."""
        turn = self._limits.get("timeout_turn", _DEFAULT_TURN)
        left = self._limits.get("time_left", self._limits.get("timeout_match", 0))
        if left > 0:
            turn = min(turn, left // _MATCH_SHARE)
        return max(turn / 1000 - _LATE - 0.02 * turn / 1000, 0.005)

    def player(self) -> Player:
        """Return who answers: made anew when the board, the rules or the memory are others."""
        if self._player is None:
            allowed = self._limits.get("max_memory", 0)
            room = allowed // _MEGABYTE - _BASE if allowed > 0 else _MOST_TREE
            params = search_params(memory_mb=float(min(max(room, _LEAST_TREE), _MOST_TREE)))
            self._player = Player(Gomoku(self.size, self._rules), params)
        return self._player

    def state(self) -> GomokuState:
        """Return the position with us to move: black if there are as many of our stones as of theirs."""
        own, theirs = (sum(who == side for who in self._stones.values()) for side in (OWN, OPPONENT))
        colour = BLACK if own >= theirs else WHITE
        state = self.player().game.new_state()
        for cell in range(self.size * self.size):
            beyond = cell % self.size >= self.width or cell // self.size >= self.height
            who = BLOCK if beyond else self._stones.get(cell, EMPTY)
            if who != EMPTY:
                value = BLOCKED if who == BLOCK else 1 + (colour if who == OWN else 1 - colour)
                put(state, int64(cell), int64(value), int64(1))
        if colour != state.data[MOVER]:
            pass_turn(state)
        return state

    def think(self, cancel: Cancel) -> Answer:
        """Return our move."""
        state = self.state()
        if state.data[STONES] == self.size * self.size:
            raise InputError("the board is full")
        if not any(is_legal(state, cell) for cell in range(self.size * self.size) if state.data[BOARD + cell] == EMPTY):
            raise InputError("every cell is forbidden")
        return self.player().think(state, Budget(self.seconds()), cancel=cancel)
