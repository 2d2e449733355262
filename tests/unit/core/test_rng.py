"""Randomness: the published generator, the same draws for the same seed, and draws that are fair."""

import numpy as np
import pytest

from bromeliad.core.jit import JIT, kernel
from bromeliad.core.rng import below, draw_cards, new_rng, next_word, reseed, split_rng, uniform

pytestmark = pytest.mark.kernel
WORD = (1 << 64) - 1
SAMPLES = 200_000 if JIT else 20_000


def xoshiro(state):
    """One step of xoshiro256++ on Python's integers, as published by Blackman and Vigna."""

    def rotate(word, count):
        return (word << count | word >> (64 - count)) & WORD

    result = (rotate((state[0] + state[3]) & WORD, 23) + state[0]) & WORD
    shifted = state[1] << 17 & WORD
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = rotate(state[3], 45)
    return result


def splitmix(word, count):
    words = []
    for _ in range(count):
        word = (word + 0x9E3779B97F4A7C15) & WORD
        mixed = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & WORD
        words.append(mixed ^ mixed >> 31)
    return words


@kernel
def fill_below(rng, n, out):
    for i in range(len(out)):
        out[i] = below(rng, n)


@kernel
def fill_uniform(rng, out):
    for i in range(len(out)):
        out[i] = uniform(rng)


@kernel
def count_draws(rng, deck, count, draws, out):
    """Count how often each card is drawn; return how many draws were not ``count`` cards of ``deck``."""
    wrong = 0
    for _ in range(draws):
        drawn = draw_cards(rng, deck, count)
        wrong += drawn & ~deck != 0
        size = 0
        for card in range(54):
            size += drawn >> card & 1
            out[card] += drawn >> card & 1
        wrong += size != count
    return wrong


def test_the_published_sequence():
    rng = np.array([1, 2, 3, 4], np.uint64)
    assert [int(next_word(rng)) for _ in range(3)] == [41943041, 58720359, 3588806011781223]
    state = [int(word) for word in new_rng(7)]
    rng = new_rng(7)
    assert [int(next_word(rng)) for _ in range(200)] == [xoshiro(state) for _ in range(200)]
    assert rng.tolist() == state


def test_the_same_seed_gives_the_same_numbers():
    assert new_rng(1).tolist() == new_rng(1).tolist() != new_rng(2).tolist()
    assert new_rng(1).dtype == np.uint64
    big = new_rng(10**30)
    assert big.tolist() == new_rng(10**30).tolist()


def test_split_generators_differ_and_do_not_depend_on_how_many():
    two, four = split_rng(5, 2), split_rng(5, 4)
    assert [rng.tolist() for rng in two] == [rng.tolist() for rng in four[:2]]
    assert len({tuple(rng.tolist()) for rng in [*four, new_rng(5)]}) == 5


@pytest.mark.parametrize(("seed", "index"), [(0, 0), (1, 0), (1, 1), (12345, 99), (-1, 3), (2**62, 2**40)])
def test_reseed_is_splitmix(seed, index):
    rng = new_rng(3)
    reseed(rng, np.int64(seed), np.int64(index))
    start = (seed & WORD) ^ (index * 0xD1B54A32D192ED03 & WORD)
    assert [int(word) for word in rng] == splitmix(start, 4)


@pytest.mark.parametrize("n", [1, 2, 3, 52, 54])
def test_below_is_fair(n):
    out = np.zeros(SAMPLES, np.int64)
    fill_below(new_rng(11), n, out)
    counts = np.bincount(out, minlength=n)
    assert len(counts) == n
    expected = SAMPLES / n
    assert np.sum((counts - expected) ** 2 / expected) < n + 6 * np.sqrt(2 * n)  # chi squared, six deviations


def test_below_reaches_the_ends_of_a_large_range():
    out = np.zeros(SAMPLES, np.int64)
    n = 2**31 - 1
    fill_below(new_rng(12), n, out)
    assert 0 <= out.min() < n // 1000
    assert n - n // 1000 < out.max() < n


def test_uniform_is_in_range_and_even():
    out = np.zeros(SAMPLES, np.float64)
    fill_uniform(new_rng(13), out)
    assert out.min() >= 0.0
    assert out.max() < 1.0
    assert abs(out.mean() - 0.5) < 6 / np.sqrt(12 * SAMPLES)
    assert abs(out.var() - 1 / 12) < 0.005


@pytest.mark.parametrize(("missing", "count"), [((), 1), ((), 5), ((0, 1, 2, 51, 53), 3), (tuple(range(50)), 4)])
def test_draws_are_of_the_deck_and_fair(missing, count):
    deck = (1 << 54) - 1
    for card in missing:
        deck &= ~(1 << card)
    left = 54 - len(missing)
    draws = SAMPLES // 10
    out = np.zeros(54, np.int64)
    assert count_draws(new_rng(14), np.int64(deck), count, draws, out) == 0
    assert all(out[card] == 0 for card in missing)
    share = count / left
    deviation = np.sqrt(draws * share * (1 - share))
    present = [out[card] for card in range(54) if card not in missing]
    assert all(abs(times - draws * share) <= 5 * deviation for times in present)


def test_drawing_nothing_and_everything():
    rng = new_rng(15)
    assert draw_cards(rng, np.int64(0b1011), 0) == 0
    assert draw_cards(rng, np.int64(0b1011), 3) == 0b1011
