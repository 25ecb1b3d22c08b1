"""The script that measures a PyTorch model's layers, on the processor with tiny models."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.torch_ranks import HAS_TORCH, REASON, ROOT
from topofinder.api.train import train
from topofinder.model.training_files import read_training_model

needs_torch = pytest.mark.skipif(not HAS_TORCH, reason=REASON)
MODELS = """
import torch
from torch import nn


def make_net():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(8, 5)
    )


class Block(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.forth, self.back = nn.Linear(wide, 4 * wide), nn.Linear(4 * wide, wide)

    def forward(self, x):
        return x + self.back(torch.nn.functional.gelu(self.forth(x)))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.places = nn.Parameter(torch.zeros(7, 16))
        self.blocks = nn.ModuleList([Block(16), Block(16)])
        self.head = nn.Linear(16, 50, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens):
        x = self.words(tokens) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def make_nothing():
    return 3
"""


def measure(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "tiny_models.py").write_text(MODELS)
    script = ROOT / "docs" / "measure_layers.py"
    return subprocess.run(
        [sys.executable, str(script), *words, "--device", "cpu", "--repeat", "3"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


@needs_torch
def test_a_network_is_measured_layer_by_layer(tmp_path: Path) -> None:
    done = measure(tmp_path, "tiny_models:make_net", "--input", "4,3,3,3", "-o", "net.json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("net.json: 5 layers, ")
    model = read_training_model(tmp_path / "net.json")
    assert (model.name, model.unit, model.batch) == ("make_net", "sample", 4)
    assert [layer.parameters for layer in model.layers] == [8 * 28, 16, 0, 0, 45]
    assert [layer.activation_bytes for layer in model.layers] == [32, 32, 32, 32, 20]
    assert all(layer.measured_ticks and min(layer.measured_ticks) > 0 for layer in model.layers[:3])
    found = train(None, 8, 2, alpha="10us", bandwidth="100Gbps", profile=tmp_path / "net.json")
    assert found.record.estimate is None
    assert found.record.parameters == 8 * 28 + 16 + 45


@needs_torch
def test_blocks_are_measured_whole_and_what_is_shared_counts_once(tmp_path: Path) -> None:
    words = ("tiny_models:Words", "--input", "2,7", "--vocabulary", "50", "--block", "Block")
    done = measure(tmp_path, *words, "--dtype", "bfloat16", "-o", "words.json")
    assert done.returncode == 0, done.stderr
    model = read_training_model(tmp_path / "words.json")
    assert (model.unit, model.batch) == ("token", 14)
    assert [(layer.name, layer.parameters) for layer in model.layers] == [
        ("others", 7 * 16),
        ("words", 50 * 16),
        ("blocks.0", 2 * 64 * 16 + 80),
        ("blocks.1", 2 * 64 * 16 + 80),
        ("head", 0),
    ]
    assert [layer.activation_bytes for layer in model.layers] == [0, 32, 32, 32, 100]
    assert {layer.dtype for layer in model.layers} == {"bfloat16"}
    assert json.loads((tmp_path / "words.json").read_text())["source"].startswith(
        "measured on cpu by PyTorch "
    )


@needs_torch
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("tiny_models:none", "--input", "4"), "model: tiny_models:none cannot be made"),
        (("missing:none", "--input", "4"), "model: missing:none cannot be made: No module"),
        (("tiny_models:make_nothing", "--input", "4"), "make_nothing gives no nn.Module"),
        (("tiny_models:make_net", "--input", "4,x"), "input: 4,x is no shape such as 64,3,224"),
        (("tiny_models:make_net", "--input", "4,7,7,7"), "input: the model cannot take it: "),
        (("tiny_models:make_net", "--input", "4,0"), "input: 4,0 is no shape such as 64,3,224"),
    ],
)
def test_mistakes_get_one_line(tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    done = measure(tmp_path, *words, "-o", "net.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("measure_layers: ")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "net.json").exists()
