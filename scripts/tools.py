"""What the scripts share: where things are, and how to call Partita and jaxlib."""

import os
import pathlib
import subprocess
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTITA = pathlib.Path(os.environ.get("PARTITA", ROOT / "target/release/partita"))


def corpus():
    """The folder of other projects' programs, or None where it is not on this machine."""
    folder = pathlib.Path(os.environ.get("PARTITA_CORPUS", ROOT.parent / "shared/corpus"))
    return folder if folder.is_dir() else None


def need_partita():
    """Builds the command unless the environment names one."""
    if "PARTITA" not in os.environ:
        subprocess.run(["cargo", "build", "--release", "--quiet", "--bin", "partita"], cwd=ROOT, check=True)


def partita(*args, **options):
    """Runs a command of Partita; gives its exit code, standard output and error."""
    return subprocess.run([PARTITA, *map(str, args)], capture_output=True, text=True, **options)


def mlir_context():
    """A fresh MLIR context with the dialects that jaxlib has; others are let through in the generic form."""
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import chlo, mhlo, sdy, stablehlo

    context = ir.Context()
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for dialect in (stablehlo, chlo, sdy):
        dialect.register_dialect(context)
    mhlo.register_mhlo_dialect(context)
    context.allow_unregistered_dialects = True
    return context


def finish(passed, failures):
    """Prints the failures and the sum, and ends the script."""
    for name, reason in failures:
        print(f"FAILED {name}: {reason}")
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)
