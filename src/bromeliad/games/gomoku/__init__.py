"""Gomoku: five in a row under freestyle, exact-five, renju and caro rules, on boards of up to 20 × 20."""
