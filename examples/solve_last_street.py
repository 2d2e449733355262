"""Solve a spot from Python, as `bromeliad solve` does. Run: python examples/solve_last_street.py."""

from bromeliad import InputError, SolveRequest, solve

# Two queens on top, two pair in the middle, a full house in the back, and three cards, of which two are placed.
request = SolveRequest(cards="Kc 9d 3s", board="Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d", dead="2c 5d 6s")
answer = solve(request)
print(f"{answer.rules}, street {answer.street}: {answer.value} points ({answer.method})")
for action in answer.actions:
    rows = " / ".join(" ".join(row) or "-" for row in (action.top, action.middle, action.back))
    print(f"{rows:20} EV {action.ev:7.3f}  loss {action.ev_loss:6.3f}  royalties {action.royalties}")

# Against a finished board, the value is the settlement plus the difference of both sides' next fantasyland.
opponent = "Kd Kh 5s / 6h 6d 6s Th 2d / Js Jc Jh 3c 3h"
versus = solve(SolveRequest(cards="Kc 9d 3s", board="Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d", opponents=(opponent,)))
print(f"against {opponent}: {versus.value} points")

# An impossible position is an error.
try:
    solve(SolveRequest(cards="Kc 9d 9c", board="Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"))
except InputError as error:
    print("refused:", error)
