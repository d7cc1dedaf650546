"""What the scripts share: where things are, and how to call Partita and jaxlib."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

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


def answer(*args):
    """What a command of Partita says with `--json`; of one that is refused, the error."""
    done = partita(*args, "--json")
    said = json.loads(done.stdout or "{}")
    return said if done.returncode == 0 else {"error": said.get("error", {"message": done.stderr})}


def partita_json(*args):
    """Runs a command of Partita with `--json`; gives what it says as data, its processor time in seconds and the most
    memory it held, in bytes. What Partita refuses is an error.

    The memory is no less than what this script holds when it starts the command: to measure it, call this before
    jaxlib is loaded.
    """
    process = subprocess.Popen([PARTITA, *map(str, args), "--json"], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if not output:
        raise RuntimeError(f"partita {args[0]}: exit code {process.returncode}")
    answer = json.loads(output)
    if process.returncode != 0:
        raise RuntimeError(answer["error"]["message"])
    return answer, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def lower_decoder(folder, notation="sdy", layers=24):
    """The decoder of the examples at its real size as a file in a folder."""
    command = [sys.executable, ROOT / "examples/lower.py", "--size", "real", "--layers", str(layers)]
    command += ["--strategy", "megatron", "--notation", notation, "--out", folder, "decoder_unrolled"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(pathlib.Path(folder).glob(f"*.{notation}.mlir"))


@contextlib.contextmanager
def quiet_errors():
    """Keeps what libraries write to standard error from being seen."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def xla_profile(text, devices, passes="spmd-partitioner"):
    """What XLA's compiler does with a program, by its own profile: events with times in nanoseconds, and when it was
    called. Only some passes are run, which makes the backend fail in the end; that is no matter."""
    from jaxlib import _profiler, xla_client
    from jaxlib._profile_data import ProfileData
    import numpy as np

    client = xla_client.make_cpu_client(num_devices=devices)
    options = xla_client.CompileOptions()
    build = options.executable_build_options
    options.num_partitions = build.num_partitions = devices
    build.use_spmd_partitioning = True
    build.use_shardy_partitioner = "sdy." in text
    build.debug_options.xla_enable_hlo_passes_only = passes
    options.device_assignment = xla_client.DeviceAssignment.create(np.arange(devices, dtype=np.int32)[None, :])
    settings = _profiler.ProfileOptions()
    settings.host_tracer_level, settings.python_tracer_level = 2, 0
    session = _profiler.ProfilerSession(settings)
    with quiet_errors(), _profiler.TraceMe("xla_profile"):
        try:
            client.compile_and_load(text, list(client.devices()), options)
        except Exception:
            pass
    profile = ProfileData.from_serialized_xspace(session.stop())
    events = [event for plane in profile.planes for line in plane.lines for event in line.events]
    return events, min(e.start_ns for e in events if e.name == "xla_profile")


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


def load(path):
    """The arrays of an NPZ file by name; bfloat16, which numpy stores as two raw bytes, as such."""
    import ml_dtypes
    import numpy as np

    with np.load(path) as arrays:
        named = {name: arrays[name] for name in arrays.files}
    return {name: a.view(ml_dtypes.bfloat16) if a.dtype == np.dtype("V2") else a for name, a in named.items()}


def error_in_ulps(actual, expected):
    """The largest difference, in units in the last place of the largest magnitude; 0 where integers are equal.

    Sums of floats may be added up in another order, which moves small elements of a tensor by as much as large ones.
    """
    import ml_dtypes
    import numpy as np

    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return float("inf")
    if actual.size == 0 or not (np.issubdtype(actual.dtype, np.inexact) or actual.dtype == ml_dtypes.bfloat16):
        return 0.0 if np.array_equal(actual, expected) else float("inf")
    real = np.zeros((), actual.dtype).real.dtype
    wide = np.complex128 if np.iscomplexobj(actual) else np.float64
    a, e = actual.astype(wide), expected.astype(wide)
    finite = np.isfinite(e)
    if not np.array_equal(a[~finite], e[~finite], equal_nan=True):
        return float("inf")
    largest = np.max(np.abs(e[finite]), initial=0.0)
    info = ml_dtypes.finfo(real)
    ulp = max(float(largest) * float(info.eps), float(info.smallest_subnormal))
    return float(np.max(np.abs(a[finite] - e[finite]), initial=0.0)) / ulp


def compare_results(outputs, expected, limit):
    """The largest error of the arrays `out0`, `out1`, …, and the reason of a failure or None."""
    names = [name for name in expected if name.startswith("out")]
    missing = [name for name in names if name not in outputs]
    if missing:
        return float("inf"), f"no {missing[0]}"
    errors = {name: error_in_ulps(outputs[name], expected[name]) for name in names}
    worst = max(errors, key=errors.get, default=None)
    if worst is None or errors[worst] <= limit:
        return errors.get(worst, 0.0), None
    return errors[worst], f"{worst} is off by {errors[worst]:.1f} ulp of its maximum; {limit} are allowed"


def finish(passed, failures):
    """Prints the failures and the sum, and ends the script."""
    for name, reason in failures:
        print(f"FAILED {name}: {reason}")
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)
