"""examples/torch_evaluator.py and onnx_evaluator.py play, where PyTorch and ONNX Runtime are installed; how fast leaves are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tesuji
from tesuji.core.limits import Limits

EXAMPLES = Path(__file__).parent.parent / "examples"


def searched(player: tesuji.Player, playouts: int):
    search = player.engine(tesuji.game("connect4:7x6"), seed=1, pure=True)
    result = search.run(Limits(playouts=playouts))
    assert result.playouts == playouts and result.best_move is not None
    return search


def test_a_network_of_pytorch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: make network installs it where it can")
    torch.manual_seed(1)
    player = tesuji.player(f"{EXAMPLES}/torch_evaluator.py:player", memory=4)
    search = searched(player, 60)
    assert search.evaluation.calls < 30 and len({*search.tree.nodes["prior"][1:8].tolist()}) == 7


def test_a_network_of_onnx(tmp_path, monkeypatch):
    onnx = pytest.importorskip("onnx", reason="onnx is not installed (make onnx)")
    pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed (make onnx)")
    weights = np.random.default_rng(1).standard_normal((4 * 42, 43)).astype(np.float32)
    helper, tensors = onnx.helper, onnx.TensorProto.FLOAT
    model = helper.make_model(
        helper.make_graph(
            [
                helper.make_node("Flatten", ["planes"], ["flat"]),
                helper.make_node("MatMul", ["flat", "weights"], ["numbers"]),
                helper.make_node("Split", ["numbers", "parts"], ["policy", "logit"], axis=1),
                helper.make_node("Sigmoid", ["logit"], ["value"]),
            ],
            "small",
            [helper.make_tensor_value_info("planes", tensors, ["batch", 4, 6, 7])],
            [helper.make_tensor_value_info(name, tensors, ["batch", width]) for name, width in (("policy", 42), ("value", 1))],
            [onnx.numpy_helper.from_array(weights, "weights"), onnx.numpy_helper.from_array(np.array([42, 1]), "parts")],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=9,
    )
    onnx.save(model, tmp_path / "small.onnx")
    monkeypatch.setenv("MODEL", str(tmp_path / "small.onnx"))
    search = searched(tesuji.player(f"{EXAMPLES}/onnx_evaluator.py:player", memory=4), 60)

    def same(planes):
        numbers = planes.reshape(len(planes), -1) @ weights
        return numbers[:, :42], 1 / (1 + np.exp(-numbers[:, 42]))

    other = searched(tesuji.player("network", evaluator=tesuji.Evaluator(same), batch=16, memory=4), 60)
    assert np.array_equal(search.tree.nodes["visits"][:100], other.tree.nodes["visits"][:100])
