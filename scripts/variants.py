"""Variants of the example models for the search: other widths, depths and batches, on many meshes of several kinds of devices. Used by other scripts."""

import dataclasses
import itertools
import random
import sys
from types import SimpleNamespace

import tools

# What is scaled together; everything else stays as the papers have it.
BATCH = ("batch", "groups", "experts", "nodes", "edges")
WIDTH = ("embed", "mlp", "expert_mlp", "heads", "channels", "hidden", "joint")

MESHES = ["x=8", "x=64", "x=2,y=4", "x=8,y=4", "x=4,y=16", "x=32,y=8", "x=64,y=16", "x=4,y=4,z=2", "x=16,y=4,z=4"]
DEVICES = {"tpu-v3": 16, "tpu-v4": 32, "tpu-v5e": 16, "h100": 80, "a100": 80}


@dataclasses.dataclass(frozen=True)
class Variant:
    """One program: a model with a batch and widths of these parts of what the paper has, and so many times its smallest number of layers."""
    model: str
    batch: float
    width: float
    layers: int

    def file(self, folder):
        """Its file in a folder, made where it is not there yet."""
        file = folder / f"{self.model}-{self.batch}-{self.width}-{self.layers}.mlir"
        if not file.exists():
            file.write_text(self.lowered())
        return file

    def lowered(self):
        sys.path.insert(0, str(tools.ROOT / "examples"))
        import lower

        model = lower.MODELS[self.model]
        config = scaled(model.configs["real"], self.batch, self.width)
        # The depth of a network for images is part of its shape.
        if "dilations" not in vars(config) and not isinstance(vars(config).get("channels"), tuple):
            config.layers = self.layers * getattr(config, "layer_unit", 1)
        model.configs["variant"] = config
        return lower.lower(self.model, "variant", "none", "sdy").as_text(debug_info=True)


def scaled(config, batch, width):
    """A configuration with its batch and widths multiplied."""
    def value(name, old):
        factor = batch if name in BATCH else width if name in WIDTH else 1
        if isinstance(old, SimpleNamespace):
            return scaled(old, batch, width)
        if factor == 1 or not isinstance(old, (int, tuple)):
            return old
        return tuple(max(1, int(one * factor)) for one in old) if isinstance(old, tuple) else max(1, int(old * factor))

    return SimpleNamespace(**{name: value(name, old) for name, old in vars(config).items()})


@dataclasses.dataclass(frozen=True)
class Case:
    """A program, and where it is to run."""
    program: Variant
    mesh: str
    device: str
    memory: str

    def options(self):
        return ["--mesh", self.mesh, "--device", self.device, "--memory", self.memory]


def cases(model, seed, programs, settings):
    """Variants of a model, each on several meshes and devices, some of which have little memory."""
    draw = random.Random(f"{model} {seed}")
    found = []
    for batch, width, layers in draw.sample(list(itertools.product([1, 1 / 4, 1 / 16], [1, 1 / 2, 1 / 4], [1, 2, 3])), programs):
        for _ in range(settings):
            device = draw.choice(list(DEVICES))
            memory = f"{DEVICES[device] * 1024 // draw.choice([1, 4, 16])}M"
            found.append(Case(Variant(model, batch, width, layers), draw.choice(MESHES), device, memory))
    return found
