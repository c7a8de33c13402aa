"""The positions like Figures 4 and 5: what is dead in them, by brute force in the corner, and what the report prints."""

import sys

import numpy as np
import pytest

from tesuji.games.go.state import STRIDE
from tesuji.knowledge.go.mogo_playouts import approach_move
from tesuji.knowledge.go.patterns import fits_pattern
from tesuji.lab import reproduce
from tesuji.lab.reproduce import mogo
from tesuji.lab.reproduce.mogo import PROBLEMS, GoProblem

COLUMNS = "ABCDEFGHJ"
BLACK, WHITE = 0, 1


def point(name):
    return COLUMNS.index(name[0]), int(name[1:]) - 1


def neighbours(place):
    column, row = place
    steps = (column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)
    return [(c, r) for c, r in steps if 0 <= c < 9 and 0 <= r < 9]


def string_at(board, place):
    """Its stones and its liberties."""
    stones, liberties, todo = {place}, set(), [place]
    while todo:
        for near in neighbours(todo.pop()):
            if near not in board:
                liberties.add(near)
            elif board[near] == board[place] and near not in stones:
                stones.add(near)
                todo.append(near)
    return stones, liberties


def after(board, place, player):
    """The board after a move, None for suicide."""
    board = {**board, place: player}
    for near in neighbours(place):
        if board.get(near) == 1 - player:
            stones, liberties = string_at(board, near)
            if not liberties:
                board = {at: owner for at, owner in board.items() if at not in stones}
    return board if string_at(board, place)[1] else None


class Corner:
    """Who wins the fight for one stone, all moves being in the corner. Two passes save it; no position may come back."""

    def __init__(self, problem: GoProblem, target: str):
        rows = problem.rows.split()
        signs = {(column, 8 - down): sign for down, row in enumerate(rows) for column, sign in enumerate(row)}
        self.board = {place: "XO".index(sign) for place, sign in signs.items() if sign != "."}
        self.target, self.owner = point(target), self.board[point(target)]
        near = [place for place in signs if place[0] < 7 and place[1] < 5]
        self.places = sorted(place for place in near if place not in self.board or self.is_small(place))
        self.known: dict = {}

    def is_small(self, place):
        """Whether a string may be captured and played upon again without deciding the fight."""
        stones, liberties = string_at(self.board, place)
        return len(stones) <= 4 and len(liberties) <= 2

    def is_lost(self, board, player, passes=0, path=None):
        """Whether the target is captured, and the earliest position of the path that this answer depends on."""
        path = {} if path is None else path
        here, depth = frozenset(board.items()), len(path)
        if (here, player, passes) in self.known:
            return self.known[here, player, passes], sys.maxsize
        is_new = path.setdefault(here, depth) == depth
        needs, attacks, lost = sys.maxsize, player != self.owner, None
        for place in self.places:
            new = after(board, place, player) if place not in board else None
            if new is None or (self.target not in new and not attacks):
                continue
            if self.target not in new:
                lost = True
            elif frozenset(new.items()) in path:
                needs = min(needs, path[frozenset(new.items())])
            else:
                answer, on = self.is_lost(new, 1 - player, 0, path)
                needs, lost = min(needs, on), answer if answer == attacks else None
            if lost is not None:
                break
        if lost is None:
            lost, on = (False, needs) if passes else self.is_lost(board, 1 - player, 1, path)
            needs = min(needs, on)
        if is_new:
            del path[here]
        if needs >= depth:
            self.known[here, player, passes] = lost
        return lost, needs

    def lost_after(self, text, player):
        board = after(self.board, point(text), player)
        assert board is not None
        return self.is_lost(board, 1 - player)[0]


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if p.without == mogo.NAKADE], ids=lambda p: p.label)
def test_the_corner_is_dead_once_it_is_cut_off(problem):
    corner = Corner(problem, "A1")
    assert corner.lost_after(problem.wrong[1], BLACK)
    assert not corner.lost_after(problem.right[0], WHITE)


def test_the_semeai_is_decided_by_the_approach_move():
    problem = PROBLEMS[-1]
    corner = Corner(problem, "D3")
    assert problem.without == mogo.APPROACH
    for place in corner.places:
        name = f"{COLUMNS[place[0]]}{place[1] + 1}"
        if place not in corner.board and place[1] < 3:
            assert corner.lost_after(name, WHITE) == (name in problem.right), name
            assert corner.lost_after(name, BLACK) == (name != "C3"), name
    _, state = mogo.set_up(problem)
    first, instead = (np.int64((row + 1) * STRIDE + column + 1) for column, row in (point("A2"), point("C3")))
    assert fits_pattern(state, first, np.int64(BLACK)) and approach_move(state, first, np.int64(BLACK)) == instead


def test_a_short_run(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.setattr(mogo, "PLAYOUTS", (2,))
    monkeypatch.setattr(mogo, "PROBLEMS", PROBLEMS[-1:])
    report = reproduce.run("mogo/positions", runs=2, jobs=1)
    assert isinstance(report, reproduce.Report)
    assert [row.n for row in report.rows] == [2] * 4
    assert all(0.0 <= row.measured <= 1.0 for row in report.rows if isinstance(row.measured, float))
    assert "semeai, 2" in report.text
