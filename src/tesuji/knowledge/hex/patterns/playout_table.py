"""The table of playout weights: what a cell's pattern is worth to each player, as whole numbers.

Weights are in units of cap / 65535, `cap` being the largest weight that a pattern has anywhere on the board; so sums are exact,
whatever their order, compiled and in pure Python. An entry is two words: the code of the pattern (low half) and its weights for
Black and for White, 16 bits each; then its weights as a reply to a move nearby, 32 bits each. A code is found by open
addressing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.knowledge.hex.geometry import RING
from tesuji.knowledge.hex.patterns.codes import SIX, SIX_CLASS, is_outside, reflected, six_of, turned
from tesuji.knowledge.hex.patterns.open_addressing import MULTIPLIER, places_of

UNITS = 65535  # of the largest weight
MOST_LOCAL = (1 << 32) - 1
CODE_MASK, U1, U16, U32 = np.uint64(0xFFFFFFFF), np.uint64(1), np.uint64(16), np.uint64(32)
LOW_16, U64 = np.uint64(0xFFFF), np.uint64(64)
FREE = np.uint64(0)  # no entry looks so: its weights are never 0


class PatternTable(NamedTuple):
    words: np.ndarray  # uint64, two for each entry
    shift: np.uint64  # 64 - the bits of an entry's number
    unknown: np.uint64  # both weights of a pattern that is not there, as `weights_of` returns them


@kernel
def find_entry(table, code):
    """The index of a pattern's first word, or of the free place where it would be."""
    words = table.words
    key = np.uint64(code)
    place = (key * MULTIPLIER >> table.shift) << U1
    last = np.uint64(len(words) - 1)
    while words[place] != FREE and words[place] & CODE_MASK != key:
        place = (place + np.uint64(2)) & last
    return place


@kernel
def find_pattern(table, code):
    """The index of the entry for a 12-cell pattern, or of that for its 6 cells; of a free place if it has neither."""
    place = find_entry(table, code)
    return place if table.words[place] != FREE else find_entry(table, six_of(code))


@kernel
def weights_of(table, place):
    """The weights of an entry: Black's in the low half, White's in the high half. A free place has those of unknown
    patterns.
    """
    both = table.words[place] >> U32
    return (both & LOW_16) | (both >> U16) << U32 if both != FREE else table.unknown


@kernel
def reply_weight(table, place, player):
    """The weight of an entry as a reply by this player."""
    return table.words[place + U1] >> (U32 * np.uint64(player)) & CODE_MASK


# -- making one ----------------------------------------------------------------------------------------------------------------
def all_sixes() -> np.ndarray:
    """The codes of all 6-cell patterns, of all edge classes."""
    codes = []
    for edge in np.unique(SIX_CLASS):
        inside = [cell for cell in range(RING) if not is_outside(int(edge & ~SIX) >> 24, cell)]
        contents = np.zeros(1, np.uint32)
        for cell in inside:
            contents = np.concatenate([contents | np.uint32(colour << 2 * cell) for colour in range(3)])
        codes.append(contents | edge)
    return np.concatenate(codes)


def images(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The codes that stand for these patterns of Black to move: (codes with Black to move, with White to move)."""
    halves = turned(codes)
    return np.concatenate([codes, halves]), np.concatenate([reflected(codes), reflected(halves)])


class PatternValues:
    """What one player's patterns are worth: a value for each code, with the 6-cell pattern as a fall-back."""

    def __init__(self, codes: np.ndarray, values: np.ndarray, default: float):
        order = np.argsort(codes, kind="stable")
        self.codes, self.values, self.default = codes[order], values[order], default

    def of(self, codes: np.ndarray) -> np.ndarray:
        """The values of patterns, by their own code, else by that of their six cells, else the default."""
        found, known = self._look_up(codes)
        sixes = np.where(codes & SIX, codes, six_of(codes & ~SIX))
        by_six, known_six = self._look_up(sixes)
        return np.where(known, found, np.where(known_six, by_six, self.default))

    def _look_up(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not len(self.codes):
            return np.zeros(len(codes)), np.zeros(len(codes), bool)
        at = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return self.values[at], self.codes[at] == codes


def make_table(
    codes: np.ndarray, gammas: np.ndarray, local_codes: np.ndarray, local_gammas: np.ndarray, cap: float, tiny
) -> PatternTable:
    """The table of the patterns with these strengths, as Black to move sees them; a missing one has strength 1.

    `tiny(codes, player)` gives, by code, the strength of moves that are provably useless, or 0 for others: such have no weight
    as a reply. Every 6-cell pattern gets an entry.
    """
    of_black, of_white = images(codes)
    local_black, local_white = images(local_codes)
    double = np.concatenate([gammas, gammas])
    local_double = np.concatenate([local_gammas, local_gammas])
    keys = np.unique(np.concatenate([of_black, of_white, local_black, local_white, all_sixes()]))
    unit = UNITS / cap
    first, second = np.zeros(len(keys), np.uint64), np.zeros(len(keys), np.uint64)
    first |= keys.astype(np.uint64)
    for player, own, own_local in ((0, of_black, local_black), (1, of_white, local_white)):
        useless = tiny(keys, player)
        everywhere = np.where(useless > 0, useless, np.minimum(PatternValues(own, double, 1.0).of(keys), cap))
        nearby = np.where(useless > 0, 0.0, PatternValues(own_local, local_double, 0.0).of(keys))
        weights = np.clip(np.rint(everywhere * unit), 1, UNITS).astype(np.uint64)
        replies = np.clip(np.rint(nearby * unit), 0, MOST_LOCAL).astype(np.uint64)
        first |= weights << np.uint64(32 + 16 * player)
        second |= replies << np.uint64(32 * player)
    bits = max(4, (3 * len(keys) // 2).bit_length())
    words, places = np.zeros(2 << bits, np.uint64), places_of(keys.astype(np.uint64), bits)
    words[2 * places], words[2 * places + 1] = first, second
    return PatternTable(words, np.uint64(64 - bits), np.uint64(UNITS | UNITS << 32))
