"""Learn weights from game records, or test how well weights predict the moves of records.

`tesuji learn categories FILE... --out WEIGHTS` counts how often each move category of Lines of Action is played where it is
available, in SGF files or tab-separated tables with a column 'moves'. A game with an illegal move or broken text, and
a file without records, is reported and skipped.

JSON: game, games, positions, refused (a line for each game or file left out), learned_from, held_out, prediction
(positions, log_likelihood, top1, uniform_log_likelihood, uniform_top1), out.

`tesuji learn evaluation FILE... --out WEIGHTS` fits the weights of the nine features of the evaluation to the results of such
records, of self-play games (--self-play), or both.

JSON: game, games, self_play, refused, without_result, learned_from, held_out, judgements (by name: positions,
log_likelihood, accuracy, decided, decided_right), weights (by feature, in points), out.

`tesuji learn tactics FILE... --out POSITIONS` looks for positions near the end of such games that the side to move wins by
force, finds the shortest win of each and all first moves of it, and leaves out wins in one move. A FILE may also be a table of
positions. `tesuji reproduce mcts-solver/tactics --positions POSITIONS` tests players on them.

JSON: game, games, self_play, refused, candidates, positions (how many, by plies of the win), out.

`tesuji learn patterns FILE... --out WEIGHTS` learns from game records of Go how often moves are played by the pattern of their
nearest neighbours, and tests how well that predicts the moves of games held out. Games with a handicap are left out. `--game
go:13` takes only games of that size, `--game go` all. With `--game hex` it learns the strengths of patterns and of other
features of moves by minorization-maximization.

JSON: game, games, positions, refused, learned_from, held_out, patterns, prediction (positions, top1, top5, top10,
log_likelihood, uniform_top1, uniform_log_likelihood), for Hex also summed (the same, by the sum of two patterns), out.

`tesuji learn openings --game hex:N --out FILE` searches after each first move of Hex, to know which to swap. A FILE that has
other sizes already keeps them.

JSON: game, playouts, chances (Black's, by first move), fairest, swapped (how many first moves), out.

`tesuji learn network GAME FILE... --run FOLDER` learns a network: learn_network.py. `tesuji learn games` plays games to learn
from: learn_games.py.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tesuji.cli import learn_games, learn_network, options, output
from tesuji.core.errors import UserError
from tesuji.core.files import FileKind, check_can_write
from tesuji.core.words import counted

if TYPE_CHECKING:
    from tesuji.learn.categories import Prediction
    from tesuji.learn.evaluation import Judgement
    from tesuji.learn.patterns import PatternPrediction
    from tesuji.learn.records import Collection, RecordedGame

SUMMARY = "learn weights from game records"
HELD_OUT = 0.1  # of the games
# By the first word of the game: the class of the patterns and the module of their learning.
PATTERN_LEARNERS = {
    "go": ("tesuji.knowledge.go.pattern_weights:PatternWeights", "tesuji.learn.patterns"),
    "hex": ("tesuji.knowledge.hex.patterns.weights:HexPatterns", "tesuji.learn.hex_patterns"),
}
PREDICTORS = {"prediction": "patterns", "summed": "sum of two patterns"}


def add_options(parser: argparse.ArgumentParser) -> None:
    tasks = parser.add_subparsers(title="what to learn", metavar="WHAT", dest="task", required=True)
    categories = tasks.add_parser("categories", help="move categories of Lines of Action: how often each is played")
    categories.add_argument("files", metavar="FILE", nargs="+", help="game records: SGF, or a table with a column 'moves'")
    categories.add_argument("--out", metavar="FILE", help="write the weights learned from all games")
    categories.add_argument("--weights", metavar="FILE", help="learn nothing: test these weights on the records")
    categories.add_argument("--held-out", type=_share, metavar="SHARE", help="share of the games to test on (default 0.1)")
    options.add_common(categories, "seed that draws the games held out")
    categories.set_defaults(learn=learn_categories)
    evaluation = tasks.add_parser("evaluation", help="weights of the evaluation of Lines of Action")
    evaluation.add_argument("files", metavar="FILE", nargs="*", help="game records: SGF, or a table with a column 'moves'")
    evaluation.add_argument("--out", metavar="FILE", help="write the weights fitted to all games")
    evaluation.add_argument("--weights", metavar="FILE", help="learn nothing: test these weights on the games")
    add_self_play(evaluation)
    evaluation.add_argument("--held-out", type=_share, metavar="SHARE", help="share of the games to test on (default 0.1)")
    options.add_common(evaluation, "seed that draws the games held out, and those of self-play")
    evaluation.set_defaults(learn=learn_evaluation)
    patterns = tasks.add_parser("patterns", help="patterns of Go and Hex: how often moves are played, by what is around them")
    patterns.add_argument("files", metavar="FILE", nargs="+", help="game records: SGF or a table, also packed by gzip")
    patterns.add_argument(
        "--game", default="go:19", help="go:N or hex:N for the games of that size, go or hex for all (default go:19)"
    )
    patterns.add_argument("--out", metavar="FILE", help="write the patterns learned from all games but those held out")
    patterns.add_argument("--weights", metavar="FILE", help="learn nothing: test these patterns on the records")
    patterns.add_argument("--held-out", type=_share, metavar="SHARE", help="share of the games to test on (default 0.1)")
    patterns.add_argument(
        "--least", type=options.count, metavar="N", help="keep patterns played N times (Go) or seen N times (Hex) or more"
    )
    options.add_common(patterns, "seed that draws the games held out")
    patterns.set_defaults(learn=learn_patterns)
    tactics = tasks.add_parser("tactics", help="forced wins in Lines of Action, from the ends of games")
    tactics.add_argument("files", metavar="FILE", nargs="*", help="game records as above, or tables of positions")
    tactics.add_argument("--out", metavar="FILE", required=True, help="write the positions to this file")
    add_self_play(tactics)
    tactics.add_argument("--plies", type=_plies, default=7, metavar="N", help="longest win, an odd number of plies (default 7)")
    tactics.add_argument("--each", type=options.count, metavar="N", help="at most N positions of each length (all)")
    options.add_common(tactics, "seed of the games of self-play")
    tactics.set_defaults(learn=learn_tactics)

    openings = tasks.add_parser("openings", help="first moves of Hex: which to swap, by a search after each")
    openings.add_argument("--game", default="hex:11", help="hex:N (default hex:11)")
    openings.add_argument("--out", metavar="FILE", required=True, help="write the chances, beside those of other sizes there")
    openings.add_argument(
        "--playouts", type=options.playouts_number, default=20_000, metavar="N", help="playouts for each first move (20,000)"
    )
    options.add_common(openings, "seed of the searches")
    openings.set_defaults(learn=learn_openings)
    learn_network.add_options(tasks)
    learn_games.add_options(tasks)


def add_self_play(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--self-play", type=options.count, default=0, metavar="N", help="play N games and use them too")
    parser.add_argument(
        "--player", metavar="PLAYER", help="the player of these games (default: mc-loa with hand-set evaluation)"
    )
    parser.add_argument("--playouts", type=options.playouts_number, metavar="N", help="playouts a move in these games (300)")
    options.add_cluster(parser, "play these games")


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0.0 <= value < 1.0:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a share: a number from 0 and below 1")


def _plies(text: str) -> int:
    if text.isdecimal() and len(text) <= 2 and int(text) % 2 == 1 and int(text) >= 3:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text[:20]!r} is not the length of a win: an odd number of plies from 3 to 99")


def run(args: argparse.Namespace) -> int:
    return args.learn(args)


def learn_categories(args: argparse.Namespace) -> int:
    from tesuji.games.registry import find_game
    from tesuji.knowledge.loa.weights import GAME, KIND, CategoryWeights
    from tesuji.learn import categories

    check_task(args)
    if args.out is not None:
        check_out(args.out, args.files, KIND.file)
    weights = None if args.weights is None else CategoryWeights.load(args.weights)
    game = find_game(GAME)
    collection = read(game, args.files)
    with output.Progress("learn categories") as progress:
        progress.update(text="counting")
        if weights is not None:
            prediction = categories.predict(weights, categories.positions_of(game, collection.games))
            learned_from, held_out = 0, len(collection.games)
        else:
            learned = categories.learn_categories(game, collection.games, share_held_out(args), args.seed or 0)
            prediction, learned_from, held_out = learned.prediction, learned.learned_from, learned.held_out
            learned.weights.save(str(args.out))
    facts = {
        "game": game.name,
        "games": len(collection.games),
        "positions": collection.positions,
        "refused": collection.refused,
        "learned_from": learned_from,
        "held_out": held_out,
        "prediction": None if prediction is None else prediction.as_json(),
        "out": args.out,
    }
    if args.json:
        output.print_json(facts)
    else:
        _print(facts, prediction)
    return 0


def learn_evaluation(args: argparse.Namespace) -> int:
    from tesuji.games.registry import find_game
    from tesuji.knowledge.loa.evaluation_weights import GAME, KIND, EvaluationWeights
    from tesuji.knowledge.loa.features import FEATURES
    from tesuji.learn import evaluation

    check_task(args)
    if not args.files and not args.self_play:
        raise UserError("give files of game records, or --self-play N for games of the program's own, or both")
    if args.out is not None:
        check_out(args.out, args.files, KIND.file)
    weights = None if args.weights is None else EvaluationWeights.load(args.weights)
    game = find_game(GAME)
    seed = args.seed or 0
    collection = read(game, args.files) if args.files else None
    recorded = [] if collection is None else collection.games
    games = [one for one in recorded if one.outcome is not None]
    games += games_of_self_play(game, args)
    if not games:
        raise UserError(
            "none of the games says who won (RE of SGF, a column 'winner' with B, W or draw): there is nothing to learn from"
        )
    with output.Progress("learn evaluation") as progress:
        progress.update(text="fitting")
        if weights is not None:
            judgements = evaluation.judge_all(weights.terms, evaluation.examples_of(game, games))
            learned_from, held_out = 0, len(games)
        else:
            learned = evaluation.learn_evaluation(game, games, share_held_out(args), seed)
            judgements, learned_from, held_out = learned.judgements, learned.learned_from, learned.held_out
            weights = learned.weights
            weights.save(str(args.out))
    facts = {
        "game": game.name,
        "games": len(games),
        "self_play": args.self_play,
        "refused": [] if collection is None else collection.refused,
        "without_result": len(recorded) + args.self_play - len(games),
        "learned_from": learned_from,
        "held_out": held_out,
        "judgements": {name: one.as_json() for name, one in judgements.items()},
        "weights": {name: float(term) for name, term in zip(FEATURES, weights.terms, strict=True)},
        "out": args.out,
    }
    if args.json:
        output.print_json(facts)
    else:
        _print_evaluation(facts, judgements)
    return 0


def learn_patterns(args: argparse.Namespace) -> int:
    from tesuji.games.registry import find_game

    check_task(args)
    if args.weights is not None and args.least is not None:
        raise UserError("--weights are tested as they are, so leave --least out")
    game = find_game(args.game)
    family = game.name.partition(":")[0]
    if game.source or family not in PATTERN_LEARNERS:
        there = " and ".join(one.title() for one in PATTERN_LEARNERS)
        raise UserError(f"patterns are learned from games of {there}, not of {game.name}: --game go, or go:N for one size")
    place, learner = PATTERN_LEARNERS[family]
    module, _, name = place.partition(":")
    kind, patterns = getattr(import_module(module), name), import_module(learner)
    if args.out is not None:
        check_out(args.out, args.files, kind.KIND.file)
    weights = None if args.weights is None else kind.load(args.weights)
    collection = read(game, args.files, any_size=args.game == family, even_only=True)
    learned_from, held_out = 0, len(collection.games)
    predictions: Mapping[str, PatternPrediction | None] = {}
    with output.Progress("learn patterns", total=1.0) as progress:
        if weights is not None:
            progress.update(0.0, "predicting")
            predictions = patterns.predictions(weights, collection.games)
        else:
            least = patterns.LEAST if args.least is None else args.least
            share = share_held_out(args)
            learned = patterns.learn_patterns(collection.games, share, args.seed or 0, least, progress.update)
            weights, predictions = learned.weights, learned.predictions
            learned_from, held_out = learned.learned_from, learned.held_out
            weights.save(str(args.out))
    facts = {
        "game": args.game,
        "games": len(collection.games),
        "positions": collection.positions,
        "refused": collection.refused,
        "learned_from": learned_from,
        "held_out": held_out,
        "patterns": weights.count,
        **{name: None if one is None else one.as_json() for name, one in predictions.items()},
        "out": args.out,
    }
    if args.json:
        output.print_json(facts)
    else:
        _print_patterns(facts, {name: one for name, one in predictions.items() if one is not None})
    return 0


def learn_tactics(args: argparse.Namespace) -> int:
    from tesuji.games.registry import find_game
    from tesuji.learn import tactics

    if not args.files and not args.self_play:
        raise UserError("give files of game records or positions, or --self-play N for games of the program's own, or both")
    check_out(args.out, args.files, tactics.PROBLEMS)
    game = find_game(tactics.FAMILY)
    tables = [path for path in args.files if tactics.is_problem_file(path)]
    records = [path for path in args.files if path not in tables]
    collection = read(game, records) if records else None
    games = [] if collection is None else list(collection.games)
    games += games_of_self_play(game, args)
    candidates = [(problem.game, problem.source) for path in tables for problem in tactics.read_problems(path)]
    candidates += tactics.candidates_of(game, games)
    with output.Progress("learn tactics", total=1.0) as progress:
        problems = tactics.problems_of(candidates, args.plies, args.each, progress.update)
    if not problems:
        positions = counted(len(candidates), "position")
        raise UserError(f"of {positions} none is won by force within {args.plies} plies and not at once")
    tactics.write_problems(args.out, problems)
    lengths = [problem.plies for problem in problems]
    counts = {plies: lengths.count(plies) for plies in range(3, args.plies + 1, 2)}
    facts = {
        "game": game.name,
        "games": len(games),
        "self_play": args.self_play,
        "refused": [] if collection is None else collection.refused,
        "candidates": len(candidates),
        "positions": counts,
        "out": args.out,
    }
    if args.json:
        output.print_json(facts)
    else:
        own = f", {args.self_play} of them played by the program" if args.self_play else ""
        print(f"{counted(len(games), 'game')}{own}; {counted(len(candidates), 'position')} looked at")
        won = ", ".join(f"{count} in {plies} plies" for plies, count in counts.items())
        print(f"{args.out}: {counted(len(problems), 'position')}, won {won}")
    return 0


def learn_openings(args: argparse.Namespace) -> int:
    from tesuji.games.registry import find_game
    from tesuji.knowledge.hex.policies.openings import FAIR, GAME, KIND, FirstMoves, fairest
    from tesuji.learn.hex_openings import compute_openings

    game = find_game(args.game)
    if game.source or not game.name.removeprefix(f"{GAME}:").isdecimal():
        raise UserError(f"openings are those of Hex on an empty square board, not of {game.name}: --game hex:N")
    check_out(args.out, [], KIND.file)
    known = FirstMoves.load(args.out) if os.path.exists(args.out) else FirstMoves({})
    size = int(game.name.removeprefix(f"{GAME}:"))
    with output.Progress("learn openings", total=1.0) as progress:
        chances = compute_openings(size, args.playouts, args.seed or 0, progress.update)
    known.with_size(size, chances).save(args.out)
    texts = [game.text(game.initial, move) for move in range(len(chances))]
    facts = {
        "game": game.name,
        "playouts": args.playouts,
        "chances": {text: round(float(chance), 3) for text, chance in zip(texts, chances, strict=True)},
        "fairest": texts[fairest(chances)],
        "swapped": int((chances > FAIR).sum()),
        "out": args.out,
    }
    if args.json:
        output.print_json(facts)
    else:
        print(f"{facts['swapped']} of {len(chances)} first moves are to be swapped; the fairest is {facts['fairest']}")
        print(f"{args.out}: sizes {', '.join(map(str, sorted({*known.chances, size})))}")
    return 0


def check_task(args: argparse.Namespace) -> None:
    """Refuses what does not say whether to learn or to test, and options that are of no use to a test."""
    if (args.out is None) == (args.weights is None):
        raise UserError("give either --out FILE for the weights, or --weights FILE to test some")
    if args.weights is not None and args.held_out is not None:
        raise UserError("--weights are tested on all games, so leave --held-out out")
    if args.weights is not None and args.seed is not None and not getattr(args, "self_play", 0):
        raise UserError("--weights are tested on all games, so leave --seed out: nothing is drawn")


def share_held_out(args: argparse.Namespace) -> float:
    return HELD_OUT if args.held_out is None else args.held_out


def games_of_self_play(game: Any, args: argparse.Namespace) -> list[RecordedGame]:
    """The games that --self-play asks for, none without it."""
    from tesuji.learn.evaluation import games_for_evaluation
    from tesuji.learn.self_play import self_play
    from tesuji.players.presets import find_player

    if not args.self_play:
        if args.player is not None or args.playouts is not None or args.cluster is not None:
            raise UserError("--player, --playouts and --cluster are for games of --self-play N")
        return []
    player = None if args.player is None else find_player(args.player, may_load=True)
    if player is not None:
        player.settings_for(game)  # says in one line if it does not play this game
    with output.Progress("self-play", total=1.0) as progress:
        if args.cluster is not None:
            from tesuji.lab.cluster.connection import connect
            from tesuji.lab.cluster.self_play import self_play_on_cluster

            cluster = connect(args.cluster)
            arguments = (args.self_play, args.seed or 0, args.playouts, args.player or "", output.note, progress.update)
            return self_play_on_cluster(cluster, game.name, *arguments)
        play = games_for_evaluation(game, args.seed or 0, args.playouts, player)
        return self_play(play, args.self_play, progress.update)


def read(game: Any, files: list[str], **which: bool) -> Collection:
    """The games of the files; those left out are named on stderr."""
    from tesuji.learn.records import read_collection

    with output.Progress("read records", total=1.0) as progress:
        collection = read_collection(game, files, progress.update, **which)
    if not collection.games and len(collection.refused) == 1:
        raise UserError(collection.refused[0])
    for line in collection.refused:
        output.note(f"left out: {line}")
    if not collection.games:
        raise UserError(f"no game of {game.name} could be used, so nothing is learned")
    return collection


def check_out(path: str, inputs: list[str], kind: FileKind) -> None:
    """Refuses to write over a file of another kind or a record, and what could not be written, before any work is done."""
    if any(os.path.exists(one) and os.path.exists(path) and os.path.samefile(one, path) for one in inputs):
        raise UserError(f"--out {path} is one of the records; name another file")
    check_can_write(path, kind)


def _used(facts: dict[str, Any]) -> str:
    games, positions = counted(facts["games"], "game"), counted(facts["positions"], "position")
    return f"{games}, {positions}; {len(facts['refused'])} left out"


def _tested(facts: dict[str, Any], positions: str) -> str:
    """The line above the figures of a test on so many positions."""
    learned = f"learned from {counted(facts['learned_from'], 'game')}, " if facts["learned_from"] else ""
    return f"{learned}tested on {counted(facts['held_out'], 'game')} ({positions}):"


def _written(facts: dict[str, Any]) -> str:
    """Which games the weights that were written are from: those held out of the test, too."""
    return f"{facts['out']}: weights of {'all ' * (facts['games'] > 1)}{counted(facts['games'], 'game')}"


def _print(facts: dict[str, Any], prediction: Prediction | None) -> None:
    print(_used(facts))
    if prediction is not None:
        print(_tested(facts, f"{counted(prediction.positions, 'position')} with a choice of moves"))
        rows = [
            ("categories", f"{prediction.log_likelihood:.4f}", f"{100 * prediction.top1:.2f}%"),
            ("uniform", f"{prediction.uniform_log_likelihood:.4f}", f"{100 * prediction.uniform_top1:.2f}%"),
        ]
        output.print_table(
            ["", "mean log likelihood", "first choice right"], rows, right=["mean log likelihood", "first choice right"]
        )
    if facts["out"]:
        print(_written(facts))


def _print_patterns(facts: dict[str, Any], predictions: dict[str, PatternPrediction]) -> None:
    print(_used(facts))
    if predictions:
        first = next(iter(predictions.values()))
        print(_tested(facts, counted(first.positions, "move")))
        rows = [
            (
                PREDICTORS[name],
                *(f"{100 * share:.2f}%" for share in (one.top1, one.top5, one.top10)),
                f"{one.log_likelihood:.4f}",
            )
            for name, one in predictions.items()
        ]
        rows.append(("uniform", f"{100 * first.uniform_top1:.2f}%", "", "", f"{first.uniform_log_likelihood:.4f}"))
        columns = ["first choice right", "among 5", "among 10", "mean log likelihood"]
        output.print_table(["", *columns], rows, right=columns)
    if facts["out"]:
        print(f"{facts['out']}: {counted(facts['patterns'], 'pattern')} of {counted(facts['learned_from'], 'game')}")


def _print_evaluation(facts: dict[str, Any], judgements: dict[str, Judgement]) -> None:
    own = f", {facts['self_play']} of them played by the program" if facts["self_play"] else ""
    left_out = f"{len(facts['refused'])} left out, {facts['without_result']} without a result"
    print(f"{counted(facts['games'], 'game')}{own}; {left_out}")
    if judgements:
        print(_tested(facts, counted(next(iter(judgements.values())).positions, "position")))
        columns = ["mean log likelihood", "winner ahead", "decided", "of these right"]
        output.print_table(["", *columns], [(name, *_cells(one)) for name, one in judgements.items()], right=columns)
    output.print_table(
        ["feature", "points"], [(name, f"{points:.4g}") for name, points in facts["weights"].items()], right=["points"]
    )
    if facts["out"]:
        print(_written(facts))


def _cells(one: Judgement) -> tuple[str, ...]:
    right = "-" if one.decided_right is None else f"{100 * one.decided_right:.2f}%"
    return f"{one.log_likelihood:.4f}", f"{100 * one.accuracy:.2f}%", f"{100 * one.decided:.2f}%", right
