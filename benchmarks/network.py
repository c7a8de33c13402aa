"""Networks: evaluations a second of the compiled forward pass and of ONNX Runtime on the same weights, run alternately.

    .venv/bin/python benchmarks/network.py [--networks 4x32,6x64] [--games go:9,go:11,go:19] [--rounds R] [--seconds S] [--json]

One position at a time on one thread: planes, forward pass and priors here, the forward pass alone there. First both must give
the same results, or nothing is measured. Each figure is the median over the rounds of evaluations per second of CPU time, the
ratio is the median of the ratios of neighbouring rounds. Then two threads with one network against one: evaluations per second
of elapsed time, which other programs disturb, and of CPU time, which shows whether threads hinder each other. Without onnx and
onnxruntime (pip install onnx onnxruntime) there is nothing to compare with. Weights are by chance: they do not matter here.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.games.registry import find_game
from tesuji.knowledge.network.forward import board_network, evaluate_network, network_room
from tesuji.knowledge.network.network import MEAN_SIDE, SIDE_SCALE, Network, NetworkShape, random_network

VALUE_CHANNELS, HIDDEN = 16, 32
MOST_DIFFERENCE = 1e-3


@kernel
def evaluate_often(network, room, state, moves, count, priors, times):
    for _ in range(times):
        evaluate_network(network, room, state, moves, count, priors)


class Ours:
    def __init__(self, game: Any, network: Network):
        self.network = board_network(network, game.encoding)
        self.encoding, self.state = game.encoding, game.new_state()
        self.moves = np.array(game.legal_moves(self.state), np.int32)
        self.run = compiled(evaluate_often)
        self.room = network_room(self.network, self.encoding)

    def evaluate(self, times: int, room: Any = None) -> None:
        priors = np.zeros(len(self.moves))
        self.run(self.network, room or self.room, self.state, self.moves, len(self.moves), priors, times)

    def evaluate_by_threads(self, times: int, threads: int) -> tuple[float, float]:
        """Evaluations per second of elapsed time, and of CPU time."""
        rooms = [network_room(self.network, self.encoding) for _ in range(threads)]
        with ThreadPoolExecutor(threads) as pool:
            began, cpu_began = time.monotonic(), time.process_time()
            for done in [pool.submit(self.evaluate, times, room) for room in rooms]:
                done.result()
            evaluations = threads * times
            return evaluations / (time.monotonic() - began), evaluations / (time.process_time() - cpu_began)


class InOnnx:
    """The same network in ONNX Runtime, on one thread."""

    def __init__(self, game: Any, network: Network):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        model = onnx_model(network, game.encoding)
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def result(self, planes: np.ndarray) -> np.ndarray:
        self.planes = np.ascontiguousarray(planes.transpose(2, 0, 1)[None])
        return np.asarray(self.session.run(None, {"planes": self.planes})[2])[0]

    def evaluate(self, times: int) -> None:
        for _ in range(times):
            self.session.run(None, {"planes": self.planes})


def onnx_model(network: Network, encoding: Any) -> bytes:
    """The formulas of knowledge/network/network.py as an ONNX graph."""
    from onnx import TensorProto, checker, helper, numpy_helper

    nodes: list[Any] = []
    constants: list[Any] = []

    def constant(array: np.ndarray) -> str:
        constants.append(numpy_helper.from_array(np.ascontiguousarray(array), f"c{len(constants)}"))
        return constants[-1].name

    def node(kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        nodes.append(helper.make_node(kind, inputs, [name or f"n{len(nodes)}"], **attributes))
        return nodes[-1].output[0]

    def convolution(x: str, weights: np.ndarray, bias: np.ndarray, side: int = 3, name: str = "") -> str:
        kernel_ = weights.reshape(side, side, -1, weights.shape[-1]).transpose(3, 2, 0, 1)
        return node("Conv", x, constant(kernel_), constant(bias), name=name, pads=[side // 2] * 4)

    axes = constant(np.array([2, 3]))
    scale = constant(np.float32((np.sqrt(encoding.rows * encoding.columns) - MEAN_SIDE) * SIDE_SCALE))

    def pooled(x: str) -> str:
        mean, largest = node("ReduceMean", x, axes, keepdims=0), node("ReduceMax", x, axes, keepdims=0)
        return node("Concat", mean, node("Mul", mean, scale), largest, axis=1)

    def dense(x: str, weights: np.ndarray, bias: np.ndarray, name: str = "") -> str:
        return node("Gemm", x, constant(weights), constant(bias), name=name)

    p = encoding.policy_planes
    x = node("Relu", convolution("planes", network.entry, network.entry_bias))
    for block in range(len(network.layers) // 2):
        y = convolution(x, network.layers[2 * block], network.biases[2 * block])
        if block % 2 and len(network.pools):
            pool = network.pools[block // 2]
            more = node("MatMul", pooled(x), constant(pool))
            y = node("Add", y, node("Unsqueeze", more, axes))
        y = convolution(node("Relu", y), network.layers[2 * block + 1], network.biases[2 * block + 1])
        x = node("Relu", node("Add", y, x))
    convolution(x, network.heads[:, :p], network.head_bias[:p], 1, name="policy")
    g = pooled(node("Relu", convolution(x, network.heads[:, p:], network.head_bias[p:], 1)))
    dense(g, network.others, network.others_bias, name="others")
    dense(node("Relu", dense(g, network.hidden, network.hidden_bias)), network.value, network.value_bias, name="value")
    shapes = {"policy": [1, p, encoding.rows, encoding.columns], "others": [1, encoding.others], "value": [1, 3]}
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    planes = [1, encoding.planes, encoding.rows, encoding.columns]
    graph = helper.make_graph(
        nodes, "network", [helper.make_tensor_value_info("planes", TensorProto.FLOAT, planes)], outputs, constants
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    checker.check_model(model)
    return model.SerializeToString()


def has_onnx() -> bool:
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError:
        return False
    return True


def measure(name: str, blocks: int, channels: int, rounds: int, seconds: float) -> dict[str, Any]:
    game = find_game(name)
    encoding = game.encoding
    if encoding is None or encoding.others == 0:
        raise SystemExit(f"{name} cannot be measured: this needs a game with an encoding and a move beside the board")
    shape = NetworkShape(
        encoding.planes, encoding.policy_planes, encoding.others, channels, blocks, blocks // 2, VALUE_CHANNELS, HIDDEN, 3
    )
    network = random_network(shape, seed=1)
    ours = Ours(game, network)
    ours.evaluate(1)
    theirs = InOnnx(game, network) if has_onnx() else None
    if theirs is not None:
        difference = float(np.abs(theirs.result(ours.room.planes) - ours.room.result).max())
        if difference > MOST_DIFFERENCE:
            raise SystemExit(f"{name}: the results differ by {difference:g}: the graph is not the same network any more")
    sides = {"ours": ours.evaluate} | ({"onnx": theirs.evaluate} if theirs is not None else {})
    counts = {label: times_in(seconds, evaluate) for label, evaluate in sides.items()}
    rates: dict[str, list[float]] = {label: [] for label in sides}
    for number in range(rounds):
        for label in list(sides) if number % 2 else reversed(sides):
            began = time.process_time()
            sides[label](counts[label])
            rates[label].append(counts[label] / (time.process_time() - began))
    row: dict[str, Any] = {"network": f"{blocks}x{channels}", "game": name, "tile": ours.network.tile, "rounds": rounds}
    row["evaluations_per_second"] = round(statistics.median(rates["ours"]))
    if theirs is not None:
        row["onnx_evaluations_per_second"] = round(statistics.median(rates["onnx"]))
        row["ratio"] = round(statistics.median(a / b for a, b in zip(rates["ours"], rates["onnx"], strict=True)), 2)
    pairs = []
    for _ in range(rounds):
        one, two = (ours.evaluate_by_threads(counts["ours"], threads) for threads in (1, 2))
        pairs.append((two[0] / one[0], two[1] / one[1]))
    elapsed, cpu = (statistics.median(ratios) for ratios in zip(*pairs, strict=True))
    row |= {"two_threads": round(elapsed, 2), "two_threads_per_cpu_second": round(cpu, 2)}
    return row


def times_in(seconds: float, evaluate: Any) -> int:
    """How many evaluations take about so long."""
    times, spent = 1, 0.0
    while spent < seconds / 4:
        times *= 2
        began = time.process_time()
        evaluate(times)
        spent = time.process_time() - began
    return max(1, int(times * seconds / spent))


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--networks", default="4x32,6x64", help="blocks x channels")
    parser.add_argument("--games", default="go:9,go:11,go:19")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.2, help="of each side in each round")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    if is_pure():
        print("network: the compiler is switched off (TESUJI_PURE, NUMBA_DISABLE_JIT)", file=sys.stderr)
        return 2
    if not has_onnx():
        print("network: onnx and onnxruntime are not installed, so there is nothing to compare with", file=sys.stderr)
    for text in options.networks.split(","):
        blocks, channels = map(int, text.split("x"))
        for name in options.games.split(","):
            row = measure(name, blocks, channels, options.rounds, options.seconds)
            print(json.dumps(row) if options.json else in_words(row), flush=True)
    return 0


def in_words(row: dict[str, Any]) -> str:
    text = f"{row['network']:<5} {row['game']:<6} {row['evaluations_per_second']:>7,}/s"
    if "ratio" in row:
        text += f"   ONNX Runtime {row['onnx_evaluations_per_second']:>6,}/s   ratio {row['ratio']:.2f}"
    return text + f"   two threads {row['two_threads']:.2f} ({row['two_threads_per_cpu_second']:.2f} per CPU second)"


if __name__ == "__main__":
    sys.exit(main())
