"""The example models: `MODELS` by name, and `build` to get one's training step."""
import importlib

from .program import Model, Program, build

FILES = ["decoder", "gpt3", "encoder", "moe", "conformer", "vit", "metnet", "unet3d", "graphnet", "multimodal", "pipelined"]
MODELS: dict[str, Model] = {m.name: m for f in FILES for m in importlib.import_module("." + f, __name__).MODELS}

__all__ = ["MODELS", "Model", "Program", "build"]
