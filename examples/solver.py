"""Ask the solver from Python: an exact street, then a searched first street. Run: python examples/solver.py."""

from bromeliad import Solver

solver = Solver("pineapple", threads=1, seed=1)

exact = solver.solve(cards="Kc 9d 3s", board="Qd / 9c 9s 4h 4d / As Ac 7h 7d", dead="2c 5d 6s")
print(f"street 4: {exact.arrangement} is worth {exact.expected_value:.3f}, exactly")

seen = []
opening = solver.answer(cards="As Ah Kd 7c 2s", simulations=2000, on_progress=seen.append)
best = opening.best
rows = f"{best.top} / {best.middle} / {best.back}"
print(f"street 1: {rows}, {best.ev:.2f} ± {best.stderr:.2f} points by {opening.method}")
print(f"{sum(action.ev is not None for action in opening.actions)} of {len(opening.actions)} placements have an EV")
