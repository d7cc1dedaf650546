"""A PyTorch model, exported to StableHLO by torchax, partitioned and run by Partita, and compared with PyTorch itself.

    pip install torch==2.9.0 torchax==0.0.13 jax==0.10.2 flatbuffers    # PyTorch for Linux brings its CUDA libraries along: some 6 GB
    python examples/torch_model.py --partita target/release/partita [--keep DIR]

`torchax.export` turns what `torch.export` traces into a JAX program; its parameters become the arguments `states[0]`, `states[1]`, …, which are sharded here as Megatron does.
torchax 0.0.13 does not load beside PyTorch 2.15, whose table of operations has changed.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torchax.export


class Encoder(torch.nn.Module):
    """Tokens to logits through one layer of a transformer."""

    def __init__(self, vocab=64, width=32, heads=4, hidden=128):
        super().__init__()
        self.embed = torch.nn.Embedding(vocab, width)
        self.layer = torch.nn.TransformerEncoderLayer(width, heads, hidden, dropout=0.0, batch_first=True)
        self.head = torch.nn.Linear(width, vocab)

    def forward(self, tokens):
        return self.head(self.layer(self.embed(tokens)))


# The first matrix of the feed-forward layer by rows, the second by columns, as PyTorch stores them (out, in).
SHARDS = {"layer.linear1.weight": "model,_", "layer.linear1.bias": "model", "layer.linear2.weight": "_,model"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partita", default="partita", help="the command")
    parser.add_argument("--keep", type=pathlib.Path, help="where to keep the program and its arrays")
    args = parser.parse_args()
    torch.manual_seed(0)
    model = Encoder().eval()
    tokens = torch.randint(0, 64, (8, 16))
    program = torch.export.export(model, (tokens,))
    weights, exported = torchax.export.exported_program_to_stablehlo(program)
    names = [spec.target for spec in program.graph_signature.input_specs if spec.target]
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "encoder.mlir").write_text(exported.mlir_module())
        arrays = [np.asarray(w) for w in weights] + [tokens.numpy().astype("int32")]
        np.savez(folder / "in.npz", **{f"arg{n}": array for n, array in enumerate(arrays)})
        shards = [f"--shard=arg{names.index(name)}={dims}" for name, dims in SHARDS.items()] + [f"--shard=arg{len(weights)}=data,_"]
        run = [args.partita, "run", folder / "encoder.mlir", "--spmd", "--mesh", "data=2,model=4", *shards]
        run += ["--inputs", folder / "in.npz", "--outputs", folder / "out.npz"]
        subprocess.run(list(map(str, run)), check=True)
        found = np.load(folder / "out.npz")["out0"]
    expected = model(tokens).detach().numpy()
    error = float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
    print(f"eight devices against PyTorch on one: {error:.1e} of the largest logit")
    sys.exit(error > 1e-5)


if __name__ == "__main__":
    main()
