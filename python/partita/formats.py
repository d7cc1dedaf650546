"""Programs in the formats that other tools write, as the StableHLO text that Partita reads."""

from __future__ import annotations

import os
import pathlib

from jax import export
from jax._src.interpreters import mlir
from jax._src.lib import _jax
from jax._src.lib.mlir import ir

from partita.errors import Error

_BYTECODE = b"ML\xefR"


def read(source: export.Exported | bytes | str | os.PathLike) -> str:
    """The StableHLO text of a program: of `jax.export`, or of a file (or its bytes) that holds text, MLIR bytecode, a serialized `jax.export`
    artifact, or an HLO proto.

    >>> import jax
    >>> exported = export.export(jax.jit(lambda x: 2 * x))(jax.ShapeDtypeStruct((4,), "float32"))
    >>> "stablehlo.multiply" in read(exported)
    True
    """
    if isinstance(source, export.Exported):
        return source.mlir_module()
    name = "the program" if isinstance(source, (bytes, bytearray)) else f"`{source}`"
    data = bytes(source) if isinstance(source, (bytes, bytearray)) else pathlib.Path(source).read_bytes()
    if data.startswith(_BYTECODE):
        return _text_of_bytecode(data, name)
    try:
        text = data.decode()
        if "\0" not in text:
            return text
    except UnicodeDecodeError:
        pass
    # Both are binary without a mark of their own: what cannot be read as one may be the other.
    try:
        return export.deserialize(bytearray(data)).mlir_module()
    except Exception:  # noqa: BLE001  flatbuffers fail in many ways on other data
        pass
    try:
        return _text_of_bytecode(_jax.mlir.hlo_to_stablehlo(data), name)
    except Exception as error:  # noqa: BLE001
        message = f"{name} is neither StableHLO text, MLIR bytecode, an artifact of `jax.export`, nor an HLO proto"
        raise Error(message, "format") from error


def _text_of_bytecode(data: bytes, name: str) -> str:
    with mlir.make_ir_context():
        try:
            module = _jax.mlir.deserialize_portable_artifact(data)
        except Exception:  # noqa: BLE001  plain bytecode is no portable artifact
            try:
                module = ir.Module.parse(data)
            except ir.MLIRError as error:
                raise Error(f"{name} is MLIR bytecode that this JAX cannot read: {error}", "format") from error
        return module.operation.get_asm(enable_debug_info=True)
