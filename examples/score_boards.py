"""Score finished boards and settle them between three players. Run: python examples/score_boards.py."""

from bromeliad.games.ofc import PlayerArrangement, parse_rules, preset, show_down

boards = [
    PlayerArrangement.parse("Qs Qh 7d / 9c 9s 4h 4d 2c / As Ac Jd 7h 7s"),
    PlayerArrangement.parse("Jh 4s 3h / Ah 5c 4c 3c 2h / Kd Td 9d 8d 3d"),
    PlayerArrangement.parse("Ks Kh 6d / Qc Qd 8c 6s 5d / Js Jc 2d 3s 5h"),  # kings over queens: a foul
]
result = show_down(preset("pineapple"), boards)
for player, points in zip(result.players, result.points, strict=True):
    state = "foul" if player.fouled else f"royalties {player.royalties}"
    print(f"{player.board!s:50} {state:12} {points:+d}")

# Rules are data: the same boards where a scoop is worth five.
own = parse_rules("base: pineapple\nname: mine\nscoring: {scoop: 5}\n")
print("with a scoop of 5:", show_down(own, boards).points)
