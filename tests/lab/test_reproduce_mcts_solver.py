"""The experiments of the MCTS-Solver paper at a small size: what they compute, not how long they take."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tesuji.cli.main import main
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import copy_state
from tesuji.games.loa.text import parse_position
from tesuji.games.registry import find_game
from tesuji.lab import reproduce
from tesuji.lab.match.plan import read_openings
from tesuji.lab.match.standing import Standing
from tesuji.lab.reproduce import matches
from tesuji.lab.reproduce.matches import MatchRow
from tesuji.lab.reproduce.mcts_solver import OPPONENTS, PAPER, TABLE_1_FORMS, TABLE_2, openings, tactics
from tesuji.lab.reproduce.runner import ExperimentRunner
from tesuji.learn.tactics import Problem, read_problems, write_problems
from tesuji.players.presets import find_player
from tesuji.proof.trusted.checker import check_certificate

IN_THREE = Problem("loa:8/2b5/1w6/8/b2w4/8/4b3/8:w", 3, ("d4-b4", "d4-d5", "b6-c6", "b6-b5"), "by hand")
IN_FIVE = Problem("loa:8/4b1b1/7w/8/8/8/3w4/1b6:w", 5, ("d2-f4", "h6-f4"), "by hand")


# -- time a move -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["score-bounded/1", "score-bounded", "crazy-stone/2"])
def test_experiments_without_a_time_refuse_one(text, capsys):
    with pytest.raises(UserError, match=rf"{text} has no time a move, so leave --seconds out; mcts-solver/1, "):
        reproduce.run(text, seconds=1.0)
    assert main(["reproduce", text, "--seconds", "1"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "wish", "message"),
    [
        ("mcts-solver/1", {"positions": "some.tsv"}, "mcts-solver/1 has no positions to choose, so leave --positions out"),
        ("mcts-solver/2", {"certificates": "some"}, "mcts-solver/2 has no certificates to keep, so leave --certificates out"),
        ("mcts-solver/tactics", {"full": True}, "mcts-solver/tactics has no larger form, so leave --full out; crazy-stone/1, "),
        ("score-bounded", {"full": True}, "score-bounded has no larger form"),
        ("crazy-stone", {"certificates": "some"}, "crazy-stone has no certificates to keep"),
    ],
)
def test_experiments_refuse_what_they_have_no_use_for(text, wish, message):
    with pytest.raises(UserError, match=message):
        reproduce.run(text, **wish)


def test_what_cannot_be_used_is_said_before_the_first_table(monkeypatch, tmp_path, capsys):
    asked = fake_matches(monkeypatch, POINTS | TABLE_1)
    (tmp_path / "file").write_text("")
    for wish in (["--positions", tmp_path / "none.tsv"], ["--certificates", tmp_path / "file"]):
        assert main(["reproduce", "mcts-solver", *map(str, wish)]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1 and not asked
    assert main(["reproduce", "score-bounded", "--certificates", str(tmp_path / "file")]) == 2


def test_a_certificate_that_is_refused_is_an_error(monkeypatch, tmp_path, capsys):
    write_problems(tmp_path / "some.tsv", [IN_THREE])
    monkeypatch.setattr(tactics, "check", lambda path: "it is not so")
    found = tactics.tactics_table(ExperimentRunner(jobs=1), None, 600.0, tmp_path / "some.tsv", players=("mcts-solver",))
    assert "refused: position-001.proof: it is not so" in found[1] and found[2] == "1 certificates were refused"
    monkeypatch.setitem(PAPER.experiments, "tactics", replace(PAPER.experiments["tactics"], measure=lambda *_words: found))
    assert main(["reproduce", "mcts-solver/tactics"]) == 2 and "it is not so" in capsys.readouterr().out


# -- openings --------------------------------------------------------------------------------------------------------------
def test_the_openings_are_those_that_are_drawn_anew():
    made = openings.make_openings()
    lines = [line for line in openings.FILE.read_text().splitlines() if not line.startswith("#")]
    assert lines == [" ".join(texts) for texts in made]
    assert len(set(lines)) == 100


def test_the_openings_are_legal_and_lead_to_different_positions():
    game = find_game("loa")
    found = read_openings(game, str(openings.FILE))  # refuses illegal moves, and openings that end the game
    assert {len(moves) for moves in found} == {3}
    boards = {tuple(sorted(game.board.stones(game.state_after(moves)).items())) for moves in found}
    assert len(boards) == 100


# -- matches ---------------------------------------------------------------------------------------------------------------
def fake_matches(monkeypatch, points, played=10, interrupted_at=None):
    """Lets every match end with the points that `points` has for its players; notes what was asked for."""
    asked = []

    @contextmanager
    def open_match(game, players, games, **others):
        asked.append((game, tuple(players), games, others))
        standing = Standing(a_wins=points[tuple(players)], b_wins=played - points[tuple(players)])
        interrupted = len(asked) == interrupted_at
        yield SimpleNamespace(
            standings=[standing],
            run=lambda: None,
            interrupted=interrupted,
            done=played,
            total=games,
            other_code=False,
            store=SimpleNamespace(path="matches/one.db"),
        )

    monkeypatch.setattr(matches, "open_match", open_match)
    return asked


TABLE_1 = {tuple(players): 7 for _, *players in TABLE_1_FORMS}


def test_table_1_from_all_openings_at_the_time_asked_for(monkeypatch):
    asked = fake_matches(monkeypatch, TABLE_1)
    report = reproduce.run("mcts-solver/1", runs=10, seconds=0.5, jobs=1)
    (game, players, games, others) = asked[0]
    assert (game, players, games) == ("loa", ("mcts-solver", "mcts:final_move=value"), 10)
    assert others["seconds"] == 0.5 and others["openings"] == str(openings.FILE)
    assert isinstance(report, reproduce.Report)
    assert [(row.paper, row.measured, row.n) for row in report.rows] == [(0.6465, 0.7, 10)] * 3
    assert "646.5 - 353.5" in report.text and report.text.count("2.33") == 3 and "1.83" in report.text
    asked.clear()
    reproduce.run("mcts-solver/1")
    assert [(one[1][0], one[2], one[3]["playouts"]) for one in asked] == [
        ("mcts-solver", 400, 6800),
        ("mcts-solver:exploration=0.39", 400, 6800),
        ("mcts-solver", 400, 6800),
    ]


def test_the_players_of_table_1_differ_by_the_solver_and_by_the_final_move_alone():
    game = find_game("loa")
    for _, first, second in TABLE_1_FORMS:
        a, b = (dict(find_player(player).settings_for(game)) for player in (first, second))
        assert {name for name in a.keys() & b.keys() if a[name] != b[name]} <= {"solver", "final_move"}


POINTS = {(p, o): round(TABLE_2[p][n] / 100) for p in TABLE_2 for n, o in enumerate(OPPONENTS)}


def test_table_2_is_laid_out_as_in_the_paper(monkeypatch):
    asked = fake_matches(monkeypatch, POINTS)
    report = reproduce.run("mcts-solver/2", runs=10)
    assert isinstance(report, reproduce.Report)
    assert len(asked) == 6 and {one[3]["seconds"] for one in asked} == {0.1}
    assert [row.label for row in report.rows] == [f"{p} against {o}" for o in OPPONENTS for p in TABLE_2]
    assert [row.paper for row in report.rows] == [0.5855, 0.692, 0.394, 0.5435, 0.0695, 0.1155]
    assert report.rows[0].measured == 0.6
    lines = report.text.splitlines()
    assert lines[2].split() == ["MIA", "2000", "MIA", "2002", "MIA", "2006"]
    assert lines[3].startswith("MCTS ") and lines[4].startswith("MCTS-Solver ")
    verdicts = [line.rpartition(": ") for line in lines if "by points" in line]  # 0.1 and 0.1 against MIA 2006
    assert [(text.partition(" (")[0], said) for text, _, said in verdicts] == [
        ("each program scores less against the later evaluation", "yes"),
        ("the solver scores more than the plain program against each", "no"),
    ]


def test_table_2_keeps_what_it_has_when_interrupted(monkeypatch):
    fake_matches(monkeypatch, POINTS, interrupted_at=3)
    report = reproduce.run("mcts-solver/2", runs=10)
    assert isinstance(report, reproduce.Report)
    assert len(report.rows) == 3 and "Interrupted" in report.text and "by points" not in report.text


def test_a_match_goes_on_from_its_file(apart):
    (apart / "openings.txt").write_text("1 2\n3 4\n")
    match = MatchRow("", "connect4:4x4", "uct:playouts=4", "uct:playouts=5")
    first, again, more = (
        matches.play(
            ExperimentRunner(jobs=1), match, "seconds=0.1", games, (0.0, 1.0), openings=str(apart / "openings.txt")
        ).standing
        for games in (2, 2, 4)
    )
    assert first.games == 2 and again == first and more.games == 4
    assert len(list((apart / "matches").glob("*.db"))) == 1


# -- tactics ---------------------------------------------------------------------------------------------------------------
def test_the_positions_that_come_with_it():
    problems = read_problems(tactics.FILE)  # refuses illegal positions and moves
    assert 60 <= len(problems) <= 100
    lengths = [problem.plies for problem in problems]
    assert set(lengths) == {3, 5, 7} and min(lengths.count(plies) for plies in (3, 5, 7)) >= 15
    assert len({problem.game for problem in problems}) == len(problems)
    assert all(problem.winning for problem in problems)
    for problem in problems:  # real positions: both sides have kept most of their pieces, and none wins at once
        stones, player = parse_position(problem.game.removeprefix("loa:"))
        assert min(list(stones.values()).count(side) for side in (0, 1)) >= 4
        game = find_game(problem.game)
        for text in problem.winning[:3]:
            after = copy_state(game.initial)
            rules.play(after, game.parse(after, text))
            assert not rules.is_over(after) and int(rules.to_play(after)) == 1 - player


def test_wins_are_proven_and_certified(tmp_path):
    """The shortest of the set and two of few pieces: the solver and alpha-beta prove them, and the certificates hold."""
    short = [problem for problem in read_problems(tactics.FILE) if problem.plies == 3][:3]
    write_problems(tmp_path / "some.tsv", [*short, IN_THREE, IN_FIVE])
    folder = tmp_path / "proofs"
    rows, text, error = tactics.tactics_table(
        ExperimentRunner(jobs=1), None, 600.0, tmp_path / "some.tsv", folder, players=("mcts-solver", "mia2006")
    )
    measured = {row.label: (row.measured, row.n) for row in rows}
    assert measured["mcts-solver solved"] == measured["mia2006 solved"] == (1.0, 5)
    assert measured["mcts-solver solved, 3 plies"] == (1.0, 4) and measured["mia2006 solved, 5 plies"] == (1.0, 1)
    assert measured["mcts-solver certificates accepted"] == (5, 5)
    assert "5 proofs, 5 of them with certificates that were checked and accepted" in text and not error
    proofs = sorted(folder.iterdir())
    assert len(proofs) == 5
    verdict = check_certificate(proofs[3])
    assert (verdict.valid, verdict.game, verdict.lower, verdict.upper) == (True, IN_THREE.game, -1, -1)
    assert verdict.nodes > 1


def test_who_does_not_prove_may_still_have_the_right_move(tmp_path, monkeypatch):
    monkeypatch.setattr(tactics, "judge", lambda *_: "right")
    found = tactics.attempt(ExperimentRunner(jobs=1), IN_FIVE, "mcts-solver:playouts=1", 1e-9, 0, tmp_path)
    assert (found.solved, found.right, found.certificate) == (False, True, None)


def test_moves_are_judged_by_the_list_or_by_a_proof():
    game = find_game(IN_THREE.game)
    runner = ExperimentRunner(jobs=1)
    listed, unlisted = (game.parse(game.initial, text) for text in IN_THREE.winning[:2])
    some = IN_THREE._replace(plies=None, winning=IN_THREE.winning[:1])
    assert tactics.judge(runner, some, game, listed) == "right"
    assert not runner.kept
    assert tactics.judge(runner, some, game, unlisted) == "right"
    assert runner.kept["tactics judged"] == {(IN_THREE.game, unlisted): "right"}


def test_a_move_that_lets_the_opponent_win_is_wrong():
    problem = Problem("loa:8/b1b5/w7/8/1b6/2w5/8/8:w", None, ("c3-c5",), "by hand")
    game, runner = find_game(problem.game), ExperimentRunner(jobs=1)
    verdicts = {
        text: tactics.judge(runner, problem, game, game.parse(game.initial, text)) for text in ("a6-b5", "c3-b3", "a6-b7")
    }
    assert verdicts == {"a6-b5": "right", "c3-b3": "wrong", "a6-b7": "wrong"}


def test_what_the_judge_cannot_prove_is_unknown(monkeypatch):
    monkeypatch.setattr(tactics, "JUDGE_NODES", 1)
    game = find_game(IN_FIVE.game)
    move = next(move for move in game.legal_moves(game.initial) if game.text(game.initial, move) not in IN_FIVE.winning)
    assert tactics.judge(ExperimentRunner(jobs=1), IN_FIVE, game, move) == "unknown"


def test_the_plain_search_has_solved_it_since_its_choice_stayed_right(monkeypatch):
    game = find_game(IN_THREE.game)
    right, other = (game.parse(game.initial, text) for text in IN_THREE.winning[:2])
    wrong = next(move for move in game.legal_moves(game.initial) if move not in (right, other))
    monkeypatch.setattr(tactics, "judge", lambda _r, _p, _g, move: {right: "right", other: "right"}.get(move, "unknown"))

    class Script:
        """A search that takes a second for each look, and changes its mind as told."""

        def __init__(self, *moves):
            self.moves, self.seconds, self.playouts = list(moves), 0.0, 0

        def run(self, limits, _on_progress, _with_moves=True):
            self.seconds += 1.0
            self.playouts += limits.playouts
            return SimpleNamespace(playouts=self.playouts, best_move=self.moves[int(self.seconds) - 1])

    def solve(*moves):
        return tactics.choose(ExperimentRunner(jobs=1), IN_THREE, game, Script(*moves), float(len(moves)))

    assert solve(wrong, right, other, right)[:3] == (True, True, 80)  # 64, and a quarter more at each look
    assert solve(right, wrong, right)[:3] == (True, True, 100)
    lost = solve(right, right, wrong)
    assert not lost.solved and not lost.right and lost.unknown


def test_positions_of_a_file_are_taken_evenly_and_rows_are_kept_when_interrupted(monkeypatch, tmp_path):
    problems = [IN_THREE._replace(source=str(n)) for n in range(10)]
    assert [one.source for one in tactics.some_of(problems, 4)] == ["0", "2", "5", "7"]
    assert tactics.some_of(problems, None) == tactics.some_of(problems, 99) == problems
    write_problems(tmp_path / "some.tsv", [IN_THREE, IN_FIVE])
    calls = []

    def attempt(_runner, problem, player, seconds, _index, _folder):
        calls.append((problem.plies, player, seconds))
        if len(calls) == 5:
            raise KeyboardInterrupt
        return tactics.Attempt(player != "mcts", True, 100, 0.5)

    monkeypatch.setattr(tactics, "attempt", attempt)
    report = reproduce.run("mcts-solver/tactics", positions=tmp_path / "some.tsv", seconds=2.0, jobs=1)
    assert isinstance(report, reproduce.Report)
    assert calls[:4] == [(3, "mcts", 2.0), (3, "mcts-solver", 2.0), (3, "mia2006", 2.0), (5, "mcts", 2.0)]
    assert {row.label: row.n for row in report.rows if row.label.endswith(" solved")} == {
        "mcts solved": 2,
        "mcts-solver solved": 1,
        "mia2006 solved": 1,
    }
    assert [row.measured for row in report.rows if row.label == "mcts move right"] == [1.0]
    assert "Interrupted" in report.text


def test_certificates_need_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot use the folder"):
        tactics.tactics_table(ExperimentRunner(), 1, 1.0, certificates=tmp_path / "file")
