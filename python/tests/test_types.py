"""The package says its types, and `jit` keeps those of the function."""

import pathlib

import pytest

import partita

api = pytest.importorskip("mypy.api")

USER = """
from typing import assert_type
import jax
import partita

def step(x: jax.Array, *, scale: float = 1.0) -> tuple[jax.Array, float]:
    return x, scale

@partita.jit(donate_argnums=0)
def other(x: jax.Array) -> jax.Array:
    return x

assert_type(partita.jit(step)(jax.numpy.ones(3), scale=2.0), tuple[jax.Array, float])
assert_type(other(jax.numpy.ones(3)), jax.Array)
assert_type(partita.lower(step).memory(), dict[str, int])
partita.jit(step)("text")
partita.jit(step, shardings=3)
"""


def test_types(tmp_path, monkeypatch):
    package = pathlib.Path(partita.__file__).parent
    monkeypatch.setenv("MYPYPATH", str(package.parent))
    (tmp_path / "user.py").write_text(USER)
    words, errors, _ = api.run(["--disallow-untyped-defs", "--cache-dir", str(tmp_path / "cache"), str(package), str(tmp_path / "user.py")])
    found = [line.split(": ", 1) for line in words.splitlines() if ": error: " in line]
    assert not errors and all("user.py" in place for place, _ in found), words
    assert [place.rpartition(":")[2] for place, _ in found] == ["16", "17", "17"], words
