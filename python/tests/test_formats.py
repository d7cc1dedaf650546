"""Programs in other formats become text that can be partitioned."""

import jax
import jax.numpy as jnp
import pytest
from jax import export

import partita
from partita import _native

SHAPE = jax.ShapeDtypeStruct((8, 16), "float32")
PROGRAM = jax.jit(lambda x: jnp.tanh(x) + 1)


def exported():
    return export.export(PROGRAM)(SHAPE)


@pytest.mark.parametrize(
    "make",
    [
        exported,
        lambda: bytes(exported().serialize()),
        lambda: exported().mlir_module_serialized,
        lambda: PROGRAM.lower(SHAPE).compiler_ir("hlo").as_serialized_hlo_module_proto(),
        lambda: PROGRAM.lower(SHAPE).as_text().encode(),
    ],
)
def test_every_format_gives_a_program(make):
    program = _native.partition(partita.read(make()), "<test>", [("x", 4)], [(0, "x", [([("x", None)], False), ([], False)])], [])
    assert "tensor<2x16xf32>" in program.text and program.arguments[0][0] == ([("x", 1, 4)], 2)


def test_files_and_what_is_no_program(tmp_path):
    (tmp_path / "program.mlir").write_text(PROGRAM.lower(SHAPE).as_text())
    assert "stablehlo.tanh" in partita.read(tmp_path / "program.mlir")
    with pytest.raises(partita.Error, match="neither StableHLO text"):
        partita.read(b"\x00\xff\x00 no program")
