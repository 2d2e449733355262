"""Sequence in plain Python: a board of letters, hands as lists of names; slow, and shares no code with the kernels."""

LAYOUT = [
    "jk 2s 3s 4s 5s 6s 7s 8s 9s jk",
    "6c 5c 4c 3c 2c ah kh qh th ts",
    "7c as 2d 3d 4d 5d 6d 7d 9h qs",
    "8c ks 6c 5c 4c 3c 2c 8d 8h ks",
    "9c qs 7c 6h 5h 4h ah 9d 7h as",
    "tc ts 8c 7h 2h 3h kh td 6h 2d",
    "qc 9s 9c 8h 9h th qh qd 5h 3d",
    "kc 8s tc qc kc ac ad kd 4h 4d",
    "ac 7s 6s 5s 4s 3s 2s 2h 3h 5d",
    "jk ad kd qd td 9d 8d 7d 6d jk",
]
CARD_AT = {(r, c): card for r, line in enumerate(LAYOUT) for c, card in enumerate(line.split())}
HEART = [(4, 4), (4, 5), (5, 4), (5, 5)]
DIRECTIONS = [(1, 0), (0, 1), (1, 1), (1, -1)]
PLAIN, SOLID = "rbg", "RBG"  # a team's chips, and those of its sequences


class Oracle:
    """One game; ``course`` is the course variant with two players, else the official rules."""

    def __init__(self, players, teams, hand, goal, course):
        self.players, self.teams, self.hand_size, self.goal, self.course = players, teams, hand, goal, course
        self.chips = {place: "#" if card == "jk" else "_" for place, card in CARD_AT.items()}
        self.deck = sorted(rank + suit for rank in "23456789tjqka" for suit in "cdhs" for _ in range(2))
        self.hands = [[] for _ in range(players)]
        self.draft, self.discards = [], []
        self.sequences = [0] * teams
        self.mover, self.step, self.traded, self.again = 0, "deal", False, False
        self.winner, self.turns, self.passes = None, 0, 0

    @property
    def team(self):
        return self.mover % self.teams

    def dead(self):
        squares = {card: [p for p in CARD_AT if CARD_AT[p] == card] for card in set(self.hands[self.mover])}
        return {c for c, places in squares.items() if c[0] != "j" and all(self.chips[p] != "_" for p in places)}

    def legal(self):
        """Return the set of moves: tuples of a kind, a card and a place."""
        if self.step == "pick":
            return {("choose", card, None) for card in self.draft}
        exchanges = set() if self.traded else {("exchange", card, None) for card in self.dead()}
        if exchanges and self.course:
            return exchanges | {("keep", None, None)}
        moves = set(exchanges)
        for card in set(self.hands[self.mover]):
            for place, here in self.chips.items():
                if card in ("jd", "jc") or CARD_AT[place] == card:
                    if here == "_":
                        moves.add(("place", card, place))
                elif card in ("jh", "js") and here in PLAIN and here != PLAIN[self.team]:
                    moves.add(("remove", card, place))
        return moves or {("pass", None, None)}

    def apply(self, move):
        kind, card, place = move
        hand = self.hands[self.mover]
        if kind == "choose":
            self.draft.remove(card)
            hand.append(card)
            self.step = "refill"
            if not self.deck:
                self.proceed()
        elif kind == "keep":
            self.traded = True
        elif kind == "pass":
            self.passes += 1
            self.next_turn()
        else:
            self.passes = 0
            hand.remove(card)
            self.discards.append(card)
            if kind == "exchange":
                self.traded = self.again = True
            elif self.chip(kind, place):
                return
            self.replace_card()

    def chip(self, kind, place):
        if kind == "remove":
            self.chips[place] = "_"
            return False
        self.chips[place] = PLAIN[self.team]
        self.sequences[self.team] += self.score_course(place) if self.course else self.score_official(place)
        if self.sequences[self.team] < self.goal:
            return False
        self.winner, self.step = self.team, "over"
        return True

    def replace_card(self):
        if self.course:
            self.step = "pick"
            return
        if not self.deck:
            self.deck, self.discards = self.discards, []
        self.step = "take"
        if not self.deck:
            self.proceed()

    def draw(self, card):
        """Let a card come up."""
        self.deck.remove(card)
        if self.step == "refill":
            self.draft.append(card)
            self.proceed()
        elif self.step == "take":
            self.hands[self.mover].append(card)
            self.proceed()
        elif self.course and len(self.draft) < 5:
            self.draft.append(card)
        else:
            self.hands[self.mover].append(card)
            if len(self.hands[self.mover]) == self.hand_size:
                self.mover = (self.mover + 1) % self.players
                self.step = "deal" if self.mover else "play"

    def proceed(self):
        if self.course and not self.draft:
            self.finish()
        elif self.again:
            self.again, self.step = False, "play"
        else:
            self.next_turn()

    def next_turn(self):
        self.turns += 1
        self.mover, self.traded, self.step = (self.mover + 1) % self.players, False, "play"
        if self.turns == (400 if self.course else 300) or self.passes == self.players:
            self.finish()

    def finish(self):
        self.step, self.winner = "over", "draw"
        best = [team for team in range(self.teams) if self.sequences[team] == max(self.sequences)]
        if self.course and len(best) == 1:
            self.winner = best[0]

    def owned(self, place, letters):
        return self.chips[place] in letters

    def score_official(self, place):
        own, locked = PLAIN[self.team], SOLID[self.team]
        found = 0
        for down, right in DIRECTIONS:
            for back in range(4, -1, -1):
                line = [(place[0] + (i - back) * down, place[1] + (i - back) * right) for i in range(5)]
                if not all(p in self.chips and self.chips[p] in (own, locked, "#") for p in line):
                    continue
                if sum(self.chips[p] == locked for p in line) <= 1:
                    found += 1
                    for p in line:
                        self.chips[p] = locked if self.chips[p] == own else self.chips[p]
        return found

    def score_course(self, place):
        """Score as the course framework does, its oddities included."""
        own, locked = PLAIN[self.team], SOLID[self.team]
        to_lock, score, shared_before = [], 0, False
        if all(self.chips[p] in (own, locked) for p in HEART):
            score += 2
            to_lock += HEART
        for down, right in DIRECTIONS:
            line = [(place[0] + i * down, place[1] + i * right) for i in range(-4, 5)]
            line = [p for p in line if p in self.chips]
            text = "".join(
                "y" if self.chips[p] in (own, "#") else "Y" if self.chips[p] == locked else "." for p in line
            )
            if text == "y" * 9:
                score += 2
                to_lock += line
            patterns = ["yyyyy"]
            if "Y" in text and not shared_before:
                patterns += ["yyyyY", "yyyYy", "yyYyy", "yYyyy", "Yyyyy"]
            start = next((text.index(pattern) for pattern in patterns if pattern in text), None)
            if start is not None:
                score += 1
                to_lock += line[start : start + 5]
                shared_before = shared_before or "Y" in text
        for p in to_lock:
            self.chips[p] = locked if self.chips[p] == own else self.chips[p]
        return score
