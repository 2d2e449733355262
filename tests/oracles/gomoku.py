"""Gomoku in plain Python, from the rules' own words: slow, and sharing nothing with the package.

A board is a list of strings' characters: ``.`` empty, ``X`` black, ``O`` white. Rules are given by name.
"""

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Board:
    def __init__(self, size, rule="freestyle"):
        self.size, self.rule = size, rule
        self.cells = {(row, column): "." for row in range(size) for column in range(size)}

    def put(self, cell, stone):
        self.cells[cell] = stone

    def empties(self):
        return [cell for cell, stone in self.cells.items() if stone == "."]

    def row_through(self, cell, direction):
        """Return the length of the row of equal stones through a cell, and what stands at its ends (None: the edge)."""
        stone = self.cells[cell]
        length, ends = 1, []
        for sign in (-1, 1):
            row, column = cell
            while True:
                row, column = row + sign * direction[0], column + sign * direction[1]
                if self.cells.get((row, column)) != stone:
                    ends.append(self.cells.get((row, column)))
                    break
                length += 1
        return length, ends

    def wins(self, cell, direction=None):
        """Say whether the stone on a cell stands in a row that wins."""
        stone = self.cells[cell]
        other = "O" if stone == "X" else "X"
        for way in DIRECTIONS if direction is None else (direction,):
            length, ends = self.row_through(cell, way)
            if length > 5 and (self.rule in ("freestyle", "caro") or (self.rule == "renju" and stone == "O")):
                return True
            if length == 5 and not (self.rule == "caro" and ends == [other, other]):
                return True
        return False

    def line(self, cell, direction, reach):
        """Return the cells of a line on either side of a cell."""
        row, column = cell
        steps = [step for step in range(-reach, reach + 1) if step != 0]
        around = [(row + step * direction[0], column + step * direction[1]) for step in steps]
        return [other for other in around if other in self.cells]

    def completions(self, cell, direction):
        """Return the empty cells that make a winning row with the stone on a cell, in one direction."""
        stone, found = self.cells[cell], []
        for other in self.line(cell, direction, 4):
            if self.cells[other] == ".":
                self.cells[other] = stone
                if self.wins(cell, direction):
                    found.append(other)
                self.cells[other] = "."
        return found

    def is_open_four(self, cell, direction):
        """Say whether the stone on a cell stands in a four that no reply in its line stops."""
        if self.wins(cell, direction) or not self.completions(cell, direction):
            return False
        if self.rule == "renju" and self.cells[cell] == "X":
            found = self.completions(cell, direction)
            return len(found) == 2 and max(abs(a - b) for a, b in zip(*found, strict=True)) == 5
        other = "O" if self.cells[cell] == "X" else "X"
        for reply in self.line(cell, direction, 5):
            if self.cells[reply] == ".":
                self.cells[reply] = other
                stopped = not self.completions(cell, direction)
                self.cells[reply] = "."
                if stopped:
                    return False
        return True

    def fours(self, cell):
        """Return the number of directions in which the stone on a cell makes a four; twins count twice (renju)."""
        count = 0
        for direction in DIRECTIONS:
            if not self.wins(cell, direction):
                found = self.completions(cell, direction)
                straight = self.is_open_four(cell, direction)
                count += 0 if not found else 1 if straight or len(found) == 1 or self.rule != "renju" else 2
        return count

    def makes_open_three(self, cell, direction, may_play=lambda cell: True):
        """Say whether one more move makes an open four with the stone on a cell."""
        if self.completions(cell, direction) or self.wins(cell, direction):
            return False
        stone = self.cells[cell]
        for other in self.line(cell, direction, 4):
            if self.cells[other] == ".":
                self.cells[other] = stone
                made = self.is_open_four(cell, direction)
                self.cells[other] = "."
                if made and may_play(other):
                    return True
        return False

    def is_forbidden(self, cell):
        """Say whether black may not play on an empty cell in renju."""
        if self.rule != "renju":
            return False
        self.cells[cell] = "X"
        try:
            if self.wins(cell):
                return False
            if any(self.row_through(cell, way)[0] > 5 for way in DIRECTIONS) or self.fours(cell) > 1:
                return True
            threes = [way for way in DIRECTIONS if self.makes_open_three(cell, way)]
            if len(threes) < 2:
                return False
            legal = [way for way in threes if self.makes_open_three(cell, way, lambda e: not self.is_forbidden(e))]
            return len(legal) > 1
        finally:
            self.cells[cell] = "."


def winning_cells(board, stone):
    """Return the empty cells on which a stone wins at once."""
    found = set()
    for cell in board.empties():
        board.put(cell, stone)
        if board.wins(cell):
            found.add(cell)
        board.put(cell, ".")
    return found


def wins_by_fours(board, own):
    """Say whether a side, to move, wins by continuous fours: every reply is forced, and all of it is tried."""
    other = "O" if own == "X" else "X"
    if winning_cells(board, own):
        return True
    threats = winning_cells(board, other)
    for cell in threats or board.empties():
        if len(threats) > 1 or (own == "X" and board.is_forbidden(cell)):
            continue
        board.put(cell, own)
        fives = [e for e in board.empties() if any(e in board.completions(cell, way) for way in DIRECTIONS)]
        won = len(fives) > 1
        if len(fives) == 1:
            if other == "X" and board.is_forbidden(fives[0]):
                won = True
            else:
                board.put(fives[0], other)
                won = not board.wins(fives[0]) and wins_by_fours(board, own)
                board.put(fives[0], ".")
        board.put(cell, ".")
        if won:
            return True
    return False


def check_fours(board, line, own):
    """Raise AssertionError unless a line is a win by continuous fours for a side.

    Every move of the attacker threatens five, the defender never threatens it before him, each reply is the only cell
    that stops the five, and the last move makes five.
    """
    other = "O" if own == "X" else "X"
    assert len(line) % 2 == 1, "the attacker moves last"
    for i, cell in enumerate(line[:-1]):
        assert board.cells[cell] == ".", "the cell is taken"
        if i % 2 == 0:
            assert not (own == "X" and board.is_forbidden(cell)), "black may not play there"
            board.put(cell, own)
            assert not board.wins(cell), "the line goes on behind its end"
            assert winning_cells(board, own), "not a four"
            assert not winning_cells(board, other), "the defender makes five first"
        else:
            threats = winning_cells(board, own)
            last = i == len(line) - 2
            assert cell in threats, "not a reply"
            assert threats == {cell} or last, "another reply was possible"
            board.put(cell, other)
            assert not board.wins(cell), "the reply wins"
    assert line[-1] in winning_cells(board, own), "not five"


def _double_fours(board, own):
    """Return the cells on which a side makes two fives possible at once."""
    found = []
    for cell in board.empties():
        if not (own == "X" and board.is_forbidden(cell)):
            board.put(cell, own)
            if len({five for way in DIRECTIONS for five in board.completions(cell, way)}) > 1:
                found.append(cell)
            board.put(cell, ".")
    return found


def check_threats(board, own, choose):
    """Raise AssertionError unless the moves that ``choose`` gives win for a side, to move, against every reply.

    ``choose`` is asked for a move in each position. A reply that makes no four and leaves a cell on which the attacker
    makes two fives possible is lost. Every other legal reply is answered by the next move. Returns the number of
    positions. Not for caro, where two fives can be stopped by one reply.
    """
    other = "O" if own == "X" else "X"
    seen = set()

    def fives_through(cell):
        return {five for way in DIRECTIONS for five in board.completions(cell, way)}

    def check():
        key = "".join(board.cells.values())
        if key in seen:
            return
        seen.add(key)
        if winning_cells(board, own):
            return
        dangers = winning_cells(board, other)
        assert len(dangers) < 2, "the defender makes five"
        cell = choose(board)
        assert board.cells[cell] == ".", "the cell is taken"
        assert dangers <= {cell}, "the defender makes five"
        assert not (own == "X" and board.is_forbidden(cell)), "black may not play there"
        board.put(cell, own)
        fives = winning_cells(board, own)
        wins = [] if fives else _double_fours(board, own)
        for reply in [] if len(fives) > 1 else fives or board.empties():
            if not (other == "X" and board.is_forbidden(reply)):
                board.put(reply, other)
                if fives or fives_through(reply) or not any(stays(win) for win in wins if win != reply):
                    check()
                board.put(reply, ".")
        board.put(cell, ".")

    def stays(cell):
        if own == "X" and board.is_forbidden(cell):
            return False
        board.put(cell, own)
        won = len(fives_through(cell)) > 1
        board.put(cell, ".")
        return won

    check()
    return len(seen)
