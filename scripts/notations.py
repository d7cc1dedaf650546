"""Whether programs go from one notation of shardings to the other and back, and whether XLA takes them either way.

Every program of the corpora and of the examples is completed (`partita propagate`) and written with axes (`sdy`) and with tiles
(`mhlo`). Then

  sdy → mhlo    what is read from the axes and written in tiles must be the text that was written in tiles
  mhlo → mhlo   what is read from the tiles and written in tiles must be the same text
  sdy → sdy     what is read from the axes and written with axes must be the same text
  mhlo → sdy → mhlo  the tiles, read, written with axes, read and written in tiles, must be the same text
  XLA           jaxlib must turn both texts into an HLO module

Tiles are compared, not axes, since the axes of a program in tiles have no names.

    notations.py [--all] [FILE…]        the corpora and the examples, or just these files

Programs without shardings (the tests of StableHLO) are part of it with `--all` only.
"""

import collections
import concurrent.futures
import multiprocessing
import os
import pathlib
import re
import sys
import tempfile
import time

import tools

# Programs that Partita refuses, by a part of their path. docs/notations.md has the reasons at length.
REFUSED = {
    "source_result_different_meshes_not_propagated": "meshes of 3 and of 6 devices",
    "dynamic_shaped_func_output_skipped": "dynamic dimensions",
    "quantized_ops": "quantized types",
    "triangular_solve.19": "two functions, none of them `@main`",
}
# As are programs that say themselves what runs where.
PARALLEL = "interpreter.run_parallel"

# Programs that jaxlib does not turn into HLO whoever writes the shardings: a part of the path, notation, reason.
NOT_FOR_XLA = [
    ("dot_general_with_unreduced_result", "sdy", "`sdy.reshard` has no HLO"),
    ("custom_call_erf", "", "a sharding on the call ends XLA's process"),
    ("custom_call_partial_reduce", "", "a sharding on the call ends XLA's process"),
    ("interpret/probe", "", "the dialect `interpreter`"),
    ("printing.1", "", "elements of 6 bits end XLA's process"),
]

COLUMNS = ["sdy", "mhlo", "sdy→sdy", "mhlo→mhlo", "sdy→mhlo", "mhlo→sdy→mhlo", "XLA sdy", "XLA mhlo"]


def propagate(notation, path="-", **options):
    done = tools.partita("propagate", "--notation", notation, path, **options)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


# Operations of dialects that jaxlib does not have. They give nothing, so what is left is a program too.
FOREIGN = re.compile(r"^ *(?:check\.|interpreter\.print).*\n", re.MULTILINE)
# Propagation leaves one function; XLA wants its name.
FUNCTION = re.compile(r"(func\.func (?:public |private )?@)[\w.$]+")


def to_hlo(text):
    """Turns a program into HLO in a child of this process, since XLA ends its process over some of what it does not like."""
    import jaxlib._jax

    if "@main" not in text:
        text = FUNCTION.sub(r"\1main", text, count=1)
    text = FOREIGN.sub("", text)
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
                jaxlib._jax.mlir.mlir_module_to_xla_computation(text, use_tuple_args=False, return_tuple=False)
                code = 0
            except Exception as error:
                os.write(1, f"\nREASON {error}".encode())
            finally:
                os._exit(code)
        if os.waitpid(child, 0)[1]:
            said.seek(0)
            lines = said.read().split("REASON ")[-1].splitlines()
            raise RuntimeError(next((line for line in lines if "error" in line or "failure" in line), " ".join(lines[:3])))


def same(before, after):
    if before == after:
        return
    for a, b in zip(before.splitlines(), after.splitlines()):
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            window = slice(max(0, at - 80), at + 160)
            raise RuntimeError(f"differs\n    before {a[window]}\n    after  {b[window]}")
    raise RuntimeError("more lines or fewer")


def check(path):
    """The columns that pass, and those that fail with the reason of each."""
    failed, texts = {}, {}

    def attempt(column, action):
        try:
            texts[column] = action()
        except Exception as error:  # of jaxlib, mostly
            failed[column] = str(error)[:700]

    attempt("sdy", lambda: propagate("sdy", path))
    attempt("mhlo", lambda: propagate("mhlo", path))
    sdy, mhlo = texts.get("sdy"), texts.get("mhlo")
    if sdy is not None:
        attempt("sdy→sdy", lambda: same(sdy, propagate("sdy", input=sdy)))
        attempt("XLA sdy", lambda: to_hlo(sdy))
    if mhlo is not None:
        attempt("mhlo→mhlo", lambda: same(mhlo, propagate("mhlo", input=mhlo)))
        attempt("XLA mhlo", lambda: to_hlo(mhlo))
        attempt("mhlo→sdy→mhlo", lambda: same(mhlo, propagate("mhlo", input=propagate("sdy", input=mhlo))))
    if sdy is not None and mhlo is not None:
        attempt("sdy→mhlo", lambda: same(mhlo, propagate("mhlo", input=sdy)))
    return list(texts), failed


def refused(path):
    """The reason why a program is not taken, or None."""
    if PARALLEL in path.read_text():
        return "runs functions in parallel itself"
    return next((reason for part, reason in REFUSED.items() if part in str(path)), None)


def unexpected(path, failed):
    """What fails and should not, or the other way round."""
    why = refused(path)
    if why is not None:
        return {} if {"sdy", "mhlo"} <= failed.keys() else {"sdy": f"is taken, though listed as refused: {why}"}
    known = [f"XLA {n}" for part, of, _ in NOT_FOR_XLA if part in str(path) for n in ("sdy", "mhlo") if of in ("", n)]
    strange = {column: reason for column, reason in failed.items() if column not in known}
    strange.update({column: "passes, though listed" for column in known if column not in failed})
    return strange


def programs(everything):
    """All programs by group."""
    groups = {"examples": sorted((tools.ROOT / "examples/tiny").glob("*.mlir"))}
    if root := tools.corpus():
        for name in ("programs", "shardy", "xla") + (("stablehlo",) if everything else ()):
            groups[name] = sorted((root / name).rglob("*.mlir"))
    return groups


def main():
    tools.need_partita()
    names = [name for name in sys.argv[1:] if name != "--all"]
    groups = {"files": [pathlib.Path(name) for name in names]} if names else programs("--all" in sys.argv)
    passed, failures = 0, []
    print(f"{'group':<12}{'programs':>9}{'refused':>9}" + "".join(f"{c:>{len(c) + 3}}" for c in COLUMNS) + f"{'seconds':>9}")
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as pool:
        for group, paths in groups.items():
            start = time.monotonic()
            count = collections.Counter()
            for path, (done, failed) in zip(paths, pool.map(check, paths, chunksize=8)):
                count.update(done)
                strange = unexpected(path, failed)
                passed += not strange
                failures += [(f"{group}/{path.name} {column}", reason) for column, reason in strange.items()]
            row = "".join(f"{count[c]:>{len(c) + 3}}" for c in COLUMNS)
            out = sum(refused(path) is not None for path in paths)
            print(f"{group:<12}{len(paths):>9}{out:>9}{row}{time.monotonic() - start:>9.1f}", flush=True)
    listed = set(path for paths in groups.values() for path in map(str, paths))
    for part, reason in REFUSED.items():
        if any(part in path for path in listed):
            print(f"refused: {part} ({reason})")
    for part, notation, reason in NOT_FOR_XLA:
        if any(part in path for path in listed):
            print(f"not for XLA{' in ' + notation if notation else ''}: {part} ({reason})")
    tools.finish(passed, failures)


if __name__ == "__main__":
    main()
