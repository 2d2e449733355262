"""Seeded randomness for kernels: xoshiro256++, seeded and split by numpy's SeedSequence.

Blackman & Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47, 2021.

A generator is a ``uint64`` array of four words. It is always passed as an argument and never global, so the same seed
gives the same draws whatever else runs.
"""

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import int64, kernel

Rng = NDArray[np.uint64]

_17 = np.uint64(17)
_23 = np.uint64(23)
_32 = np.uint64(32)
_41 = np.uint64(41)
_45 = np.uint64(45)
_19 = np.uint64(19)
_11 = np.uint64(11)


def new_rng(seed: int) -> Rng:
    """Return a generator for ``seed`` (any non-negative int)."""
    return np.random.SeedSequence(seed).generate_state(4, np.uint64).astype(np.uint64)


def split_rng(seed: int, count: int) -> list[Rng]:
    """Return ``count`` independent generators for one seed, one per thread."""
    return [child.generate_state(4, np.uint64).astype(np.uint64) for child in np.random.SeedSequence(seed).spawn(count)]


@kernel(inline=True)
def next_word(rng: Rng) -> np.uint64:
    """Advance ``rng`` and return 64 random bits."""
    s0, s1, s2, s3 = rng[0], rng[1], rng[2], rng[3]
    total = s0 + s3
    word = ((total << _23) | (total >> _41)) + s0
    s2 ^= s0
    s3 ^= s1
    rng[1] = s1 ^ s2
    rng[0] = s0 ^ s3
    rng[2] = s2 ^ (s1 << _17)
    rng[3] = (s3 << _45) | (s3 >> _19)
    return word


@kernel
def reseed(rng: Rng, seed: int, index: int) -> None:
    """Reset ``rng`` to stream number ``index`` of ``seed``.

    The words come from splitmix64: Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    word = np.uint64(int64(seed)) ^ (np.uint64(int64(index)) * np.uint64(0xD1B54A32D192ED03))
    for i in range(4):
        word += np.uint64(0x9E3779B97F4A7C15)
        mixed = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        rng[i] = mixed ^ (mixed >> np.uint64(31))


@kernel(inline=True)
def below(rng: Rng, n: int) -> int:
    """Return a random integer in ``range(n)``, for n < 2**31.

    Multiply and shift: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29, 2019. Without his
    rejection step, probabilities differ by at most 2**-32, which no search notices.
    """
    return int64(((next_word(rng) >> _32) * np.uint64(n)) >> _32)


@kernel(inline=True)
def uniform(rng: Rng) -> float:
    """Return a random float in [0, 1)."""
    return np.float64(next_word(rng) >> _11) * (1.0 / 9007199254740992.0)


@kernel(inline=True)
def draw_cards(rng: Rng, deck: int, count: int) -> int:
    """Return a mask of ``count`` random cards from the mask ``deck``, which must hold at least that many."""
    drawn = int64(0)
    left = count
    while left > 0:
        bit = int64(1) << below(rng, 54)
        if deck & bit and not drawn & bit:
            drawn |= bit
            left -= 1
    return drawn
