"""The data model in one page: deal, place, and record a solver session. Run: python examples/data_model.py."""

from bromeliad import Card, PlacementError, SearchStats, Solution, SolverSession, parse_cards
from bromeliad.games.ofc import GameState, Position

# Create the game state: pineapple, two players.
game = GameState("game_001")

# The first street deals five cards ...
initial_cards = [
    Card.from_string("As"),
    Card.from_string("Ks"),
    Card.from_string("Qs"),
    Card.from_string("Js"),
    Card.from_string("Ts"),
]
game.deal_initial_cards(initial_cards)

# ... and all five must be placed: fewer are refused, which changes nothing.
try:
    game.place_cards({Position.BACK: initial_cards[:4]})
except PlacementError as error:
    print("refused:", error)
game.place_cards({Position.BACK: initial_cards})
print("board:", game.player_arrangement)

# The opponent's open cards can no longer be dealt to us.
game.update_opponent_cards("opponent_0", parse_cards("Ad Kd 9c 9h 2c"))
print("unknown cards:", game.get_unknown_cards().size)

# The second street deals three cards, of which one is discarded.
game.deal_round_cards(parse_cards("Qh Qd 3c"))

# A session records how a solver works on the game.
session = SolverSession("session_001", game)
session.start_solving()
solution = Solution(arrangement=game.player_arrangement, expected_value=15.5, confidence=0.95)
session.update_progress(0.3, solution)
session.complete_solving(solution, SearchStats(simulations=1000, elapsed_s=0.1))

for event in (*game.pull_domain_events(), *session.pull_domain_events()):
    print(type(event).__name__)
