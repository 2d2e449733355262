"""Write your own strategy and play hands against the heuristic. Run: python examples/own_strategy.py."""

from collections.abc import Sequence

from bromeliad.games.ofc import Action, AIStrategy, HeuristicStrategy, SeatView, Table, board_after, preset


class CautiousStrategy(AIStrategy):
    """High cards go to the back, low cards to the top; the heuristic sets fantasyland."""

    def decide_placement(self, view: SeatView) -> Action:
        if view.in_fantasyland:
            return HeuristicStrategy().decide_placement(view)
        return self.choose_action(view, view.legal_actions())

    def choose_action(self, view: SeatView, actions: Sequence[Action]) -> Action:
        return max(actions, key=lambda action: self._order(view, action))

    def evaluate_state(self, view: SeatView) -> float:
        return 0.0

    @staticmethod
    def _order(view: SeatView, action: Action) -> int:
        rows = board_after(view.board, action).rows
        return sum(weight * card.rank for weight, row in enumerate(rows) for card in row.cards)


table = Table(preset("pineapple"), [CautiousStrategy(), HeuristicStrategy()], seed=1)
for _ in range(20):
    hand = table.play_hand()
    assert sum(hand.hand.points) == 0
print("cautious, heuristic:", table.scores)
