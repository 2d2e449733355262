"""Rule sets of Sequence as data: players, hands, lines, and the end of a game."""

from dataclasses import dataclass

from bromeliad.errors import InputError

SIDE = 10  # number of rows and columns
MOST_PLAYERS, MOST_TEAMS = 12, 3
BOARD = """
jk 2s 3s 4s 5s 6s 7s 8s 9s jk
6c 5c 4c 3c 2c ah kh qh th ts
7c as 2d 3d 4d 5d 6d 7d 9h qs
8c ks 6c 5c 4c 3c 2c 8d 8h ks
9c qs 7c 6h 5h 4h ah 9d 7h as
tc ts 8c 7h 2h 3h kh td 6h 2d
qc 9s 9c 8h 9h th qh qd 5h 3d
kc 8s tc qc kc ac ad kd 4h 4d
ac 7s 6s 5s 4s 3s 2s 2h 3h 5d
jk ad kd qd td 9d 8d 7d 6d jk
"""
"""The card of every square, row by row; ``jk`` marks the corners, which count for every team."""
_HANDS = {2: 7, 3: 6, 4: 6, 6: 5, 8: 4, 9: 4, 10: 3, 12: 3}
_GOALS = {2: 2, 3: 1}


@dataclass(frozen=True)
class SequenceRules:
    """One rule set. The official rules have no turn limit; without ours, a game that reshuffles might never end."""

    name: str
    players: int
    teams: int  # seats alternate between teams
    hand: int  # cards per player
    goal: int  # sequences needed to win
    draft: int = 0  # number of face-up cards; a player takes one after each card played; 0: cards are drawn unseen
    trade_first: bool = False  # exchanging a dead card is decided first; else together with the play; one per turn
    reshuffle: bool = True  # the discards become the deck when it is empty; else the last face-up card ends the game
    count_at_end: bool = False  # if the game ends before the goal, the team with most sequences wins; else it is a draw
    heart: tuple[int, ...] = ()  # squares (row * 10 + column) that are worth sequences to a team that holds them all
    heart_worth: int = 0  # number of these sequences
    course_lines: bool = False  # count lines like the course framework: see lines.py
    turn_limit: int = 300  # turns after which the game is over

    def __post_init__(self) -> None:
        if self.teams not in _GOALS or self.players % self.teams or not self.teams <= self.players <= MOST_PLAYERS:
            raise InputError(
                "{players} players cannot make {teams} teams: 2 or 3 teams of equal size, at most 12 players",
                players=self.players,
                teams=self.teams,
            )

    def team_of(self, player: int) -> int:
        """Return the team of a player."""
        return player % self.teams


def _official(players: int, teams: int | None) -> SequenceRules:
    if players not in _HANDS:
        counts = ", ".join(map(str, _HANDS))
        raise InputError("Sequence is for {counts} players, not {players}", counts=counts, players=players)
    teams = teams or (2 if players % 2 == 0 else 3)
    if teams not in _GOALS:
        raise InputError("Sequence is played by 2 or 3 teams, not {teams}", teams=teams)
    return SequenceRules("official", players, teams, _HANDS[players], _GOALS[teams])


def _course(players: int, teams: int | None) -> SequenceRules:
    if players not in (2, 4) or teams not in (None, 2):
        raise InputError("the course variant is for 2 or 4 players in two teams")
    return SequenceRules(
        "course",
        players,
        teams=2,
        hand=6,
        goal=2,
        draft=5,
        trade_first=True,
        reshuffle=False,
        count_at_end=True,
        heart=(44, 45, 54, 55),
        heart_worth=2,
        course_lines=True,
        turn_limit=400,
    )


RULES = {"official": _official, "course": _course}
"""All rule sets by name."""


def rules_named(name: str, players: int = 2, teams: int | None = None) -> SequenceRules:
    """Return a rule set by name; by default there are two teams if the number of players is even, else three."""
    if name not in RULES:
        raise InputError("there is no Sequence rule {name}; rules: {rules}", name=name, rules=", ".join(RULES))
    return RULES[name](players, teams)
