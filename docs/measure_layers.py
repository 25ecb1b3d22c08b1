"""Measure the layers of a PyTorch model on this machine's accelerator, for `topofinder train`.

    python measure_layers.py torchvision.models:resnet50 --input 64,3,224,224 -o resnet50.json
    python measure_layers.py my_models:make_gpt --input 8,1024 --vocabulary 50257 -o gpt.json
    topofinder train --profile resnet50.json --n 256 --d 4 --alpha 10us --bandwidth 100Gbps

A model is named as MODULE:FUNCTION; the function takes nothing and gives an nn.Module. Layers are
the modules without children, and those of classes named by --block, as a whole. One pass of the
model records what each layer gets; then each runs alone on that, forward and backward, some times,
and the median of each is written, with its parameters and the bytes of what it gives for a sample
(or, with --vocabulary, for a token). What a model computes between its layers, in functions,
belongs to none: name the class around it by --block.

The file is a table of layers (docs/training.md): layers with experts get `experts` and `routed` by
hand. It needs PyTorch and nothing else.
"""

import argparse
import json
import sys
import time
from importlib import import_module
from pathlib import Path
from statistics import median

import torch
from torch import nn

TYPES = {
    torch.float64: "float64",
    torch.float32: "float32",
    torch.bfloat16: "bfloat16",
    torch.float16: "float16",
}


def main():
    """Measure the model that the command line names, and write its table."""
    asked = parse_arguments()
    device = torch.device(asked.device or find_device())
    torch.manual_seed(0)
    model = make_model(asked.model).to(device=device, dtype=getattr(torch, asked.dtype)).train()
    data = make_input(asked, device)
    units = data.numel() if asked.vocabulary else len(data)
    layers = measure_model(model, data, units, set(asked.block), asked.repeat)
    table = {
        "name": asked.model.partition(":")[2][:100],
        "unit": "token" if asked.vocabulary else "sample",
        "batch": units,
        "source": f"measured on {describe_device(device)} by PyTorch {torch.__version__}",
        "layers": layers,
    }
    Path(asked.output).write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    spent = sum(layer["forward_seconds"] + layer["backward_seconds"] for layer in layers)
    print(f"{asked.output}: {len(layers)} layers, {spent * 1e3:.3f} ms an iteration")


def parse_arguments():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", help="MODULE:FUNCTION, which gives an nn.Module")
    parser.add_argument("--input", required=True, help="shape with the batch, such as 64,3,224,224")
    parser.add_argument("--vocabulary", type=int, default=0, help="inputs are tokens below this")
    parser.add_argument("--block", action="append", default=[], help="a class that is one layer")
    parser.add_argument("--dtype", default="float32", choices=sorted(TYPES.values()))
    parser.add_argument("--device", help="such as cuda or cpu; else the accelerator there is")
    parser.add_argument("--repeat", type=int, default=20, help="runs of each layer")
    parser.add_argument("-o", "--output", required=True, help="the .json file to write")
    asked = parser.parse_args()
    if not asked.output.endswith(".json"):
        parser.error(f"output: {asked.output} is no .json file")
    if asked.repeat < 1:
        parser.error(f"repeat: at least 1, not {asked.repeat}")
    return asked


def make_model(name):
    """What MODULE:FUNCTION gives, MODULE being looked for in the current folder too."""
    module, _, function = name.partition(":")
    sys.path.insert(0, "")
    try:
        found = getattr(import_module(module), function)()
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        refuse(f"model: {name} cannot be made: {error}")
    if not isinstance(found, nn.Module):
        refuse(f"model: {name} gives no nn.Module")
    for layer in found.modules():
        if getattr(layer, "inplace", False):
            layer.inplace = False  # what a layer gets is needed again
    return found


def refuse(text):
    """End with one line that says why."""
    print(f"measure_layers: {text}", file=sys.stderr)
    sys.exit(2)


def make_input(asked, device):
    """Random tokens, or random numbers, of the shape that is asked for."""
    try:
        shape = [int(part) for part in asked.input.split(",")]
        if min(shape) < 1:
            raise ValueError
    except ValueError:
        refuse(f"input: {asked.input} is no shape such as 64,3,224,224")
    if asked.vocabulary:
        return torch.randint(asked.vocabulary, shape, device=device)
    return torch.randn(shape, device=device, dtype=getattr(torch, asked.dtype))


def find_device():
    """The accelerator of this machine, or the processor."""
    if torch.cuda.is_available():  # ROCm too
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def describe_device(device):
    """Its name."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)


def measure_model(model, data, units, blocks, repeat):
    """The rows of the table, in the order in which the layers first run."""
    calls = record_calls(model, data, blocks)
    counted, rows = set(), []
    for name, (layer, each) in calls.items():
        times = [measure_call(layer, inputs, options, repeat) for inputs, options in each]
        rows.append(
            {
                "name": name,
                **count_parameters(layer.parameters(), counted),
                "activation_bytes": -(-sum(sent for _, _, sent in times) // units),
                "forward_seconds": sum(forward for forward, _, _ in times),
                "backward_seconds": sum(backward for _, backward, _ in times),
            }
        )
    rest = count_parameters(model.parameters(), counted)
    if rest["parameters"]:  # such as embeddings of places, which stand in no layer
        rows.insert(0, {"name": "others", **rest, "forward_seconds": 0, "backward_seconds": 0})
    return rows


def record_calls(model, data, blocks):
    """By name every layer with the inputs of all its calls in one pass."""
    calls, hooks = {}, []

    def record(name):
        def note(layer, inputs, options):
            calls.setdefault(name, (layer, []))[1].append((inputs, options))

        return note

    for name, layer in find_layers(model, blocks):
        hooks.append(layer.register_forward_pre_hook(record(name), with_kwargs=True))
    try:
        with torch.no_grad():
            model(data)
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        refuse(f"input: the model cannot take it: {str(error).strip().partition(chr(10))[0]}")
    for hook in hooks:
        hook.remove()
    return calls


def find_layers(module, blocks, name=""):
    """The modules that are layers, with their names."""
    children = list(module.named_children())
    if not children or type(module).__name__ in blocks:
        yield name or type(module).__name__, module
        return
    for own, child in children:
        yield from find_layers(child, blocks, f"{name}.{own}" if name else own)


def measure_call(layer, inputs, options, repeat):
    """Median seconds forward and backward, and the bytes of what the layer gives."""
    inputs = [copy_input(one) for one in inputs]
    options = {name: copy_input(one) for name, one in options.items()}
    wanted = [one for one in [*inputs, *options.values(), *layer.parameters()] if needs_grad(one)]
    forth, back, sent = [], [], 0
    for turn in range(repeat + 1):
        began = read_clock()
        tensors = list_tensors(layer(*inputs, **options))
        middle = read_clock()
        sent = sum(one.numel() * one.element_size() for one in tensors)
        sources = [one for one in tensors if needs_grad(one)]
        ones = [torch.ones_like(one) for one in sources]
        before = read_clock()
        if sources and wanted:
            torch.autograd.grad(sources, wanted, ones, allow_unused=True)
        after = read_clock()
        if turn:  # the first run loads what the others have
            forth.append(middle - began)
            back.append(after - before)
    return median(forth), median(back), sent


def copy_input(one):
    """A tensor that a layer may get again, and whose gradient can be asked for."""
    if not isinstance(one, torch.Tensor):
        return one
    copy = one.detach().clone()
    return copy.requires_grad_() if copy.is_floating_point() else copy


def needs_grad(one):
    """Whether a gradient goes through it."""
    return isinstance(one, torch.Tensor) and one.requires_grad


def list_tensors(found):
    """The tensors of what a layer gives: one, several, or a mapping of them."""
    if isinstance(found, torch.Tensor):
        return [found]
    parts = found.values() if isinstance(found, dict) else found
    if not isinstance(found, dict | list | tuple):
        return []
    return [one for part in parts for one in list_tensors(part)]


def read_clock():
    """Seconds, when all that was asked of the accelerator is done."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    elif torch.backends.mps.is_available():
        torch.mps.synchronize()
    return time.perf_counter()


def count_parameters(parameters, counted):
    """How many are new, and their type; what several layers share counts in the first."""
    new = [one for one in parameters if id(one) not in counted]
    counted.update(map(id, new))
    kind = TYPES.get(new[0].dtype, "bfloat16") if new else "bfloat16"
    return {"parameters": sum(one.numel() for one in new), "dtype": kind}


if __name__ == "__main__":
    main()
