"""The state of a Gomocup session: the board, the limits, and the player."""

from bromeliad.core.budget import Budget
from bromeliad.core.jit import int64
from bromeliad.errors import InputError
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.moves import is_legal, pass_turn
from bromeliad.games.gomoku.player import Answer, Player, search_params
from bromeliad.games.gomoku.rules import BLACK, WHITE, check_size, rules_by_bits, rules_named
from bromeliad.games.gomoku.state import BLOCKED, BOARD, EMPTY, MOVER, STONES, GomokuState, makes_row, put
from bromeliad.search import Cancel

OWN, OPPONENT, BLOCK = 1, 2, 3
_DEFAULT_TURN = 5000  # milliseconds, if the manager sets no limit
_MATCH_SHARE = 12  # a move may take 1/12 of the time left for the match
_LATE = 0.03  # seconds reserved for answering
_MEGABYTE = 1 << 20
_BASE = 250  # megabytes that the program uses without a search
_LEAST_TREE, _MOST_TREE = 8, 96  # megabytes
_LIMITS = {"timeout_turn", "timeout_match", "time_left", "max_memory"}


class GomocupSession:
    """A game as the manager describes it: our stones, the opponent's stones, blocked cells and limits."""

    def __init__(self) -> None:
        self.width = self.height = self.size = 0
        self._stones: dict[int, int] = {}
        self._limits: dict[str, int] = {}
        self._rules = rules_named("freestyle")
        self._player: Player | None = None

    def start(self, width: int, height: int) -> None:
        """Start with an empty board. If it is not square, the cells that complete the square are blocked."""
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
        """Return the cell at coordinates from the top left."""
        if x >= self.width or y >= self.height:
            raise InputError("{x},{y} is off the board", x=x, y=y)
        return y * self.size + x

    def name(self, cell: int) -> str:
        """Return a cell in the notation of the protocol."""
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
        """Store a limit or the rules; an unsupported rule raises InputError and changes nothing."""
        if key == "rule":
            rules = rules_by_bits(value)
            if rules != self._rules:
                self._rules, self._player = rules, None
        elif key in _LIMITS:
            self._limits[key] = value
            if key == "max_memory":
                self._player = None

    def seconds(self) -> float:
        """Return the time for a move in seconds, from the limits for a turn and for the rest of the match."""
        turn = self._limits.get("timeout_turn", _DEFAULT_TURN)
        left = self._limits.get("time_left", self._limits.get("timeout_match", 0))
        if left > 0:
            turn = min(turn, left // _MATCH_SHARE)
        return max(turn / 1000 - _LATE - 0.02 * turn / 1000, 0.005)

    def player(self) -> Player:
        """Return the player; create a new one if the board size, the rules or the memory limit have changed."""
        if self._player is None:
            allowed = self._limits.get("max_memory", 0)
            megabytes = allowed // _MEGABYTE - _BASE if allowed > 0 else _MOST_TREE
            params = search_params(memory_mb=float(min(max(megabytes, _LEAST_TREE), _MOST_TREE)))
            self._player = Player(Gomoku(self.size, self._rules), params)
        return self._player

    def state(self) -> GomokuState:
        """Return the position with us to move; we are black unless the opponent has more stones."""
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

    def check_going(self, state: GomokuState | None = None) -> None:
        """Raise InputError if a row has won the game; ``state`` is the position, if it is known."""
        state = state or self.state()
        for cell in self._stones:
            colour = int(state.data[BOARD + cell]) - 1
            if colour in (BLACK, WHITE) and makes_row(state, int64(cell), int64(colour)):
                raise InputError("the game is over; send START, RESTART or TAKEBACK")

    def think(self, cancel: Cancel) -> Answer:
        """Return the player's answer for our move; raise InputError if the game is over or there is no legal move."""
        state = self.state()
        self.check_going(state)
        if state.data[STONES] == self.size * self.size:
            raise InputError("the board is full")
        if not any(is_legal(state, cell) for cell in range(self.size * self.size) if state.data[BOARD + cell] == EMPTY):
            raise InputError("every cell is forbidden")
        return self.player().think(state, Budget(self.seconds()), cancel=cancel)
