"""Tables of layers and measured times: read back, and every mistake named with its line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from generators.errors import InvalidInput
from topofinder.model.training_files import (
    read_measured_model,
    read_profile,
    read_training_model,
)
from topofinder.model.training_model import DataType, TrainingLayer, TrainingModel, ticks_of

GOOD = """{"name": "two", "unit": "token", "batch": 8, "layers": [
  {"name": "a", "parameters": 10, "flops": 20},
  {"name": "b", "parameters": 40, "experts": 4, "activation_bytes": 2}
]}"""


def written(folder: Path, text: str, name: str = "model.json") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_json_is_read(tmp_path: Path) -> None:
    model = read_training_model(written(tmp_path, GOOD))
    assert (model.name, model.batch, model.parameters) == ("two", 8, 50)
    assert model.expert_counts == [4]
    assert [layer.gradient_bytes for layer in model.layers] == [20, 0]


def test_what_is_dumped_is_read_again(tmp_path: Path) -> None:
    model = read_training_model(written(tmp_path, GOOD))
    again = written(tmp_path, model.model_dump_json(), "again.json")
    assert read_training_model(again) == model


def test_csv_holds_layers(tmp_path: Path) -> None:
    text = (
        "name,parameters,dtype,forward_seconds,backward_seconds,experts\n"
        "a,10,float32,0.001,0.002,\nb,4,,,,2\n"
    )
    model = read_training_model(written(tmp_path, text, "net.csv"))
    assert model.name == "net"
    assert model.layers[0].measured_ticks == (1_000_000, 2_000_000)
    assert model.layers[0].gradient_bytes == 40
    assert model.layers[1].dtype is DataType.BFLOAT16
    assert model.layers[1].is_expert


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"parameters": 10', '"parameters": -1', r"line 2: layers\.0\.parameters: .*not -1"),
        ('"parameters": 40', '"parameters": "x"', r"line 3: layers\.1\.parameters: .*not 'x'"),
        ('"flops": 20', '"flop": 20', r"line 2: layers\.0\.flop: extra"),
        ('"flops": 20', '"forward_seconds": -1, "backward_seconds": 1', "line 2.*not -1"),
        ('"flops": 20', '"forward_seconds": 1', "line 2: .*both or neither"),
        ('"flops": 20', '"dtype": "int4"', "line 2: .*'int4'"),
        ('"experts": 4', '"experts": 4, "routed": 5', "line 3: .*routed to 5 of 4 experts"),
        ('"batch": 8', '"batch": 0', "line 1: batch: .*not 0"),
        ('"batch": 8', '"batch": 8, "global_batch": 9', "exclude each other"),
        ('"batch": 8', '"tensor_parallel": 2', "tensor_parallel: 2 is not simulated"),
        ('"batch": 8', '"pipeline_parallel": 4', "pipeline_parallel: 4 is not simulated"),
        ('"batch": 8,', '"batch": 8', "line 1, column"),
        (GOOD[GOOD.index("[") :], "[]}", "line 1: layers: at least 1 is needed$"),
    ],
)
def test_mistakes_in_json_are_named_with_their_line(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    path = written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(InvalidInput, match=told) as caught:
        read_training_model(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name,flops\na,1\nb,x\n", "line 3: flops: .*'x'"),
        ("name,flops\na,-1\n", "line 2: flops: .*'-1'"),
        ("name,flops\na\n", "line 2: 1 values for 2 columns"),
        ("name,speed\na,1\n", "line 1: no column 'speed'"),
        ("name,name\na,1\n", "line 1: no column 'name', or it comes twice"),
        ("flops\n1\n", "line 1: there is no column name"),
        ("name\n", "no layers in it"),
        ("", "line 1: there is no column name"),
        ("name,forward_seconds,backward_seconds\na,nan,1\n", "line 2: forward_seconds"),
        ("name\n\xff\n", None),
    ],
)
def test_mistakes_in_csv_are_named_with_their_line(
    tmp_path: Path, text: str, told: str | None
) -> None:
    path = tmp_path / "net.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidInput, match=told or "not UTF-8"):
        read_training_model(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"a \.json or a \.csv file"):
        read_training_model(written(tmp_path, "", "model.yaml"))
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_training_model(tmp_path / "none.json")


def test_a_profile_gives_every_layer_its_times(tmp_path: Path) -> None:
    model = read_training_model(written(tmp_path, GOOD))
    text = "layer,forward_seconds,backward_seconds\nb,3e-9,4e-9\na,1e-9,2e-9\n"
    timed = read_profile(written(tmp_path, text, "times.csv"), model)
    assert [layer.measured_ticks for layer in timed.layers] == [(1, 2), (3, 4)]
    assert [layer.parameters for layer in timed.layers] == [10, 40]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("a,1,2\n", "no times of 1 layers, such as b"),
        ("a,1,2\na,1,2\n", "line 3: 'a' is told twice"),
        ("c,1,2\n", "line 2: 'c' is no layer of two"),
        ("a,1,\n", "line 2: backward_seconds"),
        ("a,-1,2\n", "line 2: forward_seconds"),
    ],
)
def test_mistakes_in_a_profile_are_named(tmp_path: Path, lines: str, told: str) -> None:
    model = read_training_model(written(tmp_path, GOOD))
    path = written(tmp_path, "layer,forward_seconds,backward_seconds\n" + lines, "times.csv")
    with pytest.raises(InvalidInput, match=told):
        read_profile(path, model)


@given(st.floats(0, 1e6))
def test_times_are_rounded_to_the_nearest_tick(seconds: float) -> None:
    assert abs(ticks_of(seconds) - seconds * 1e9) <= 0.5 + seconds * 1e-6


def test_another_type_scales_what_is_sent() -> None:
    layer = TrainingLayer(name="a", parameters=5, activation_bytes=6)
    (wide,) = TrainingModel(name="m", layers=(layer,)).with_dtype(DataType.FLOAT32).layers
    assert (wide.gradient_bytes, wide.activation_bytes) == (20, 12)


def test_the_schema_names_every_field() -> None:
    schema = TrainingModel.model_json_schema()
    assert set(schema["properties"]) == set(TrainingModel.model_fields)
    assert set(schema["$defs"]["TrainingLayer"]["properties"]) == set(TrainingLayer.model_fields)
    with pytest.raises(ValidationError):
        TrainingModel(name="none", layers=())


def test_layers_of_one_name_have_no_profile(tmp_path: Path) -> None:
    model = read_training_model(written(tmp_path, "name,flops\na,1\nb,1\na,2\n", "net.csv"))
    path = written(tmp_path, "layer,forward_seconds,backward_seconds\na,1,1\n", "times.csv")
    with pytest.raises(InvalidInput, match=r"times\.csv: net has several layers 'a'$"):
        read_profile(path, model)


MEASURED = """{"name": "other", "layers": [
  {"name": "b", "parameters": 7, "forward_seconds": 3e-9, "backward_seconds": 4e-9},
  {"name": "a", "forward_seconds": 1e-9, "backward_seconds": 2e-9}
]}"""


def test_a_table_is_a_profile(tmp_path: Path) -> None:
    model = read_training_model(written(tmp_path, GOOD))
    path = written(tmp_path, MEASURED, "times.json")
    timed = read_profile(path, model)
    assert [layer.measured_ticks for layer in timed.layers] == [(1, 2), (3, 4)]
    assert [layer.parameters for layer in timed.layers] == [10, 40]
    assert read_measured_model(path) == read_training_model(path)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"a"', '"c"', "times.json, line 3: 'c' is no layer of two"),
        ('"a"', '"b"', "times.json, line 3: 'b' is told twice"),
        ('"a", "forward_seconds": 1e-9, "backward_seconds": 2e-9', '"a"',
         "times.json, line 3: 'a' has no forward_seconds and backward_seconds"),
        ("1e-9", "-1e-9", "times.json, line 3: layers.1.forward_seconds: input should be greater"),
    ],
)  # fmt: skip
def test_mistakes_in_a_table_of_times_are_named(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    model = read_training_model(written(tmp_path, GOOD))
    path = written(tmp_path, MEASURED.replace(old, new), "times.json")
    with pytest.raises(InvalidInput) as caught:
        read_profile(path, model)
    assert told in str(caught.value)


def test_only_a_measured_table_is_a_model(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="line 2: 'a' has no forward_seconds and backward"):
        read_measured_model(written(tmp_path, GOOD))
    with pytest.raises(InvalidInput, match=r"model: is needed beside .*times\.csv; a \.json"):
        read_measured_model(written(tmp_path, "layer\n", "times.csv"))
