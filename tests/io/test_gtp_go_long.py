"""GTP for Go over thousands of lines: moves, handicaps, set-up positions, files and noise, against a naive board."""

import copy
import random

import pytest
from gtp_helpers import GO_PLAYER, Session, vertex
from naive_go import NaiveGo

NOISE = (
    "play b Q20",
    "komi none",
    "boardsize 0",
    "gogui-play_sequence b A1 w A1",
    "fixed_handicap 10",
    "set_free_handicap A1 A1",
    "loadsgf nowhere.sgf",
    "play w",
    "undo 3",
    "list_stones green",
    "time_left b x 1",
    "7",
    "# nothing",
    "",
)


class Model:
    """What the session should hold: positions, and whether each was reached by a move, which alone can be undone."""

    def __init__(self, size):
        self.size = size
        self.history = [(NaiveGo(size), "start")]

    @property
    def now(self):
        return self.history[-1][0]

    def play(self, player, point):
        """False if the move is illegal. Out of turn, or after two passes, play is resumed: what ko forbade is allowed."""
        new = copy.copy(self.now)  # a move replaces its board, it changes none
        if player != new.player or new.passes >= 2:
            new.player, new.passes, new.forbidden = player, 0, None
        if point is not None and new.result(point) is None:
            return False
        new.play(point)
        self.history.append((new, "move"))
        return True

    def undo(self, kind):
        if self.history[-1][1] != kind:
            return False
        self.history.pop()
        return True

    def set_up(self, stones):
        """Puts stones down beside those that are there; False if a string would have no liberty."""
        new = NaiveGo(self.size)
        new.stones = {**self.now.stones, **{point: player for player, point in stones}}
        if not all(new.string(new.stones, point)[1] for point in new.stones):
            return False
        self.history.append((new, "set-up"))
        return True


def files(size):
    """Records, each with the stones that it sets up and its moves."""
    top = size - 1
    return {
        f"(;GM[1]SZ[{size}]KM[0.5];B[aa];W[ba];B[gg])": ([], [(0, (0, top)), (1, (1, top)), (0, (6, top - 6))]),
        f"(;GM[1]SZ[{size}]HA[2]AB[cc][ee];W[cd];B[dd])": (
            [(0, (2, top - 2)), (0, (4, top - 4))],
            [(1, (2, top - 3)), (0, (3, top - 3))],
        ),
        f"(;GM[1]SZ[{size}]AB[ab][bb][cb]AW[ac][bc][cc]PL[W])": (
            [(0, (x, top - 1)) for x in range(3)] + [(1, (x, top - 2)) for x in range(3)],
            [],
        ),
    }


def named(stones):
    return {vertex(point): ("black", "white")[owner] for point, owner in stones.items()}


@pytest.mark.parametrize(("size", "lines", "low", "high"), [(7, 3000, 2, 4), (19, 300, 3, 15)])
def test_a_long_session_agrees_with_a_naive_board(monkeypatch, tmp_path, size, lines, low, high):
    """`low` and `high` are the lines of the handicap points."""
    monkeypatch.setenv("TESUJI_PURE", "1")
    chance = random.Random(4)
    session = Session(f"go:{size}", GO_PLAYER)
    model = Model(size)
    done = dict.fromkeys(("play", "undo", "clear", "handicap", "setup", "undo setup", "komi", "file"), 0)

    def point():
        return chance.randrange(size), chance.randrange(size)

    def expect(line, good, kind):
        answer = session.raw(line)
        assert answer.startswith("=" if good else "?"), (number, line, answer)
        done[kind] += good

    for number in range(lines):
        kind = chance.random()
        if kind < 0.8:
            player = model.now.player if chance.random() < 0.9 else chance.randrange(2)
            where = None if chance.random() < 0.05 else point()
            expect(f"play {'bw'[player]} {'pass' if where is None else vertex(where)}", model.play(player, where), "play")
        elif kind < 0.88:
            expect("undo", model.undo("move"), "undo")
        elif kind < 0.89 or (kind < 0.9 and model.history[-1][1] == "set-up"):
            expect("gogui-undo_setup", model.undo("set-up"), "undo setup")
        elif kind < 0.9:
            session.ok("clear_board")
            model = Model(size)
            done["clear"] += 1
            if chance.random() < 0.5:
                points = list({point() for _ in range(3)} | {(3, 3), (4, 4)})
                line = f"set_free_handicap {' '.join(map(vertex, points))}"
                if chance.random() < 0.5:
                    line = f"{chance.choice(('fixed_handicap', 'place_free_handicap'))} 3"
                    points = [(low, low), (high, high), (low, high)]
                assert model.set_up([(0, where) for where in points])
                model.now.player = 1
                expect(line, True, "handicap")
        elif kind < 0.91:
            stones = [(chance.randrange(2), where) for where in {point() for _ in range(3)} if where not in model.now.stones]
            if stones:
                words = " ".join(f"{'bw'[player]} {vertex(where)}" for player, where in stones)
                expect(f"gogui-setup {words}", model.set_up(stones), "setup")
        elif kind < 0.93:
            expect(f"komi {chance.randrange(-20, 20) / 2}", True, "komi")
        elif kind < 0.935:
            text, (stones, moves) = chance.choice(list(files(size).items()))
            path = tmp_path / "game.sgf"
            path.write_text(text)
            model = Model(size)
            assert not stones or model.set_up(stones)
            assert all(model.play(*move) for move in moves)
            expect(f"loadsgf {path}", True, "file")
            model.now.player = 0 if session.ok("gogui-rules_side_to_move") == "black" else 1
        else:
            session.raw(chance.choice(NOISE))
        if number % 25 == 0:
            assert session.stones() == named(model.now.stones), number
    assert session.stones() == named(model.now.stones)
    assert session.engine.played.game.name.startswith(f"go:{size}")
    assert min(done.values()) >= lines // 2000 and done["play"] > lines / 5, done


@pytest.mark.parametrize("line", ["loadsgf {}", 'loadsgf "{}" 1'])
def test_what_is_no_file_or_is_too_large_is_refused(monkeypatch, tmp_path, line):
    import gzip
    import os
    from dataclasses import replace

    from tesuji.io.sgf import tree

    session = Session("go:5", GO_PLAYER)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is not a regular file" in session.fails(line.format(pipe)), "it would wait for ever"
    monkeypatch.setattr(tree, "SGF", replace(tree.SGF, most=1 << 20))
    large = tmp_path / "large.sgf.gz"
    large.write_bytes(gzip.compress(b"(;C[" + b"a" * (2 << 20) + b"])"))
    assert "is too large: an SGF file has 1 MiB at most" in session.fails(line.format(large))
    large.write_bytes(b"(;C[" + b"a" * (2 << 20) + b"])")
    assert "is too large" in session.fails(line.format(large))
