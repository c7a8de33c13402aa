"""A network in a file of ONNX as the evaluator of a player: from the input `planes` to the outputs `policy` and `value`.

MODEL=connect4.onnx tesuji analyze connect4:7x6 --player examples/onnx_evaluator.py:player --playouts 400
"""

from __future__ import annotations

import os

import onnxruntime

import tesuji

session = onnxruntime.InferenceSession(os.environ["MODEL"], providers=onnxruntime.get_available_providers())


def evaluate(planes):
    return session.run(["policy", "value"], {"planes": planes})  # logits, and values from 0 to 1


player = tesuji.player("network", evaluator=tesuji.Evaluator(evaluate), batch=16)
