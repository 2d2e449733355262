"""Positions up to suits: sorting the columns gives the smallest of all 24 permutations."""

import random
from itertools import permutations

from bromeliad.games.ofc.hands.canonical import (
    canonical,
    canonical_order,
    invert_order,
    permute_suits,
)

ORDERS = list(permutations(range(4)))


def random_masks(rng, count):
    """Return disjoint masks of few cards, so that equal columns are common; sometimes with a joker."""
    cards = rng.sample(range(54), rng.randint(count, 14))
    masks = [0] * count
    for card in cards:
        masks[rng.randrange(count)] |= 1 << card
    return masks


def move_card(card, order):
    return card if card >= 52 else order[card // 13] * 13 + card % 13


def test_permute_moves_each_card():
    rng = random.Random(1)
    for _ in range(200):
        (mask,) = random_masks(rng, 1)
        order = rng.choice(ORDERS)
        moved = sum(1 << move_card(card, order) for card in range(54) if mask >> card & 1)
        assert permute_suits(mask, order) == moved


def test_canonical_is_the_smallest_of_all_permutations():
    rng = random.Random(2)
    for _ in range(500):
        masks = random_masks(rng, rng.randint(1, 5))
        images = {tuple(permute_suits(mask, order) for mask in masks) for order in ORDERS}
        assert canonical(*masks) == min(images)


def test_every_image_has_the_same_canonical_form():
    rng = random.Random(3)
    for _ in range(50):
        masks = random_masks(rng, 3)
        assert len({canonical(*(permute_suits(mask, order) for mask in masks)) for order in ORDERS}) == 1


def test_the_order_can_be_undone():
    rng = random.Random(4)
    for _ in range(100):
        masks = random_masks(rng, 2)
        order = canonical_order(*masks)
        assert sorted(order) == [0, 1, 2, 3]
        back = invert_order(order)
        assert [permute_suits(mask, back) for mask in canonical(*masks)] == masks
