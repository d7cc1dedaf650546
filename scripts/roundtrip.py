"""Whether jaxlib sees the same module before and after Partita printed it.

For every program of the corpora and of the examples, the module jaxlib reads from the original is compared with the one it
reads from what Partita prints: in the pretty form, in the generic form, and once more after Partita has read jaxlib's own
generic text. Compared is jaxlib's generic text with all locations in it.

    roundtrip.py [FILE…]        the corpora and the examples, or just these files
"""

import concurrent.futures
import multiprocessing
import pathlib
import re
import sys
import tempfile
import time

import tools

# Programs that Partita refuses by design, by a part of their path.
REFUSED = {
    "quantized_ops": "quantized types",
    "dynamic_shaped_func_output_skipped": "dynamic dimensions",
    "all_ops.": "dynamic dimensions and quantized types: every op of StableHLO at once",
}

# Programs of a specification newer than this jaxlib, which it cannot read.
UNREADABLE = {
    "collective_broadcast.8": "jaxlib takes one operand",
    "collective_broadcast.9": "jaxlib takes one operand",
    "collective_reduce.0": "jaxlib does not have the op",
}

# The pretty forms of dialects that jaxlib does not have, and the generic ones to put in their place.
UNKNOWN_DIALECTS = re.compile(r"^\s*(?:%\S+ = )?(?:check|interpreter)\.", re.MULTILINE)
VALUE, ELEMENTS, TYPE = r"(%[\w#]+)", r"(dense<.*?>\s*:\s*(tensor<\S*>))", r"(tensor<\S*>)"
TO_GENERIC = [
    (
        rf"check\.expect_almost_eq_const {VALUE}, {ELEMENTS} \{{(tolerance = .*?)\}}",
        r'"check.expect_almost_eq_const"(\1) <{\4, value = \2}> : (\3) -> ()',
    ),
    (rf"check\.expect_(eq|almost_eq)_const {VALUE},\s*{ELEMENTS}", r'"check.expect_\1_const"(\2) <{value = \3}> : (\4) -> ()'),
    (rf"check\.expect_(eq|almost_eq) {VALUE}, {VALUE} : {TYPE}", r'"check.expect_\1"(\2, \3) : (\4, \4) -> ()'),
    (
        rf"check\.expect_almost_eq {VALUE}, {VALUE}, tolerance = (\S+) : {TYPE}",
        r'"check.expect_almost_eq"(\1, \2) <{tolerance = \3 : f64}> : (\4, \4) -> ()',
    ),
    (
        rf"check\.expect_close {VALUE}, {VALUE}, max_ulp_difference = (\d+) : (.*)",
        r'"check.expect_close"(\1, \2) <{max_ulp_difference = \3 : ui64}> : (\4) -> ()',
    ),
    (
        rf'check\.expect_serialized_eq {VALUE}, probe_id = (".*?"), iter = (\d+) : {TYPE}',
        r'"check.expect_serialized_eq"(\1) <{iteration = \3 : ui32, probe_id = \2}> : (\4) -> ()',
    ),
    (
        rf'check\.expect_serialized_eq {VALUE}, probe_id = (".*?") : {TYPE}',
        r'"check.expect_serialized_eq"(\1) <{probe_id = \2}> : (\3) -> ()',
    ),
    (
        rf'interpreter\.probe {VALUE}, probe_id = (".*?") : {TYPE}',
        r'"interpreter.probe"(\1) <{probe_id = \2}> : (\3) -> \3',
    ),
    (rf"interpreter\.print {VALUE} : {TYPE}", r'"interpreter.print"(\1) : (\2) -> ()'),
    (r'("interpreter\.run_parallel"\([^)]*\)) (\{[^}]*\})', r"\1 <\2>"),
]
TO_GENERIC = [(re.compile(pattern, re.DOTALL if "dense" in pattern else 0), text) for pattern, text in TO_GENERIC]

# Where the text has no location jaxlib takes the place in the text, which printing changes.
PLACE = re.compile(r'loc\("-":\d+:\d+(?: to (?:\d+)?:\d+)?\)')


def seen_by_jaxlib(text):
    """The module that jaxlib reads, as text in which two equal modules are equal."""
    from jaxlib.mlir import ir

    with tools.mlir_context():
        module = ir.Module.parse(text)
        asm = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True, use_local_scope=True)
    return PLACE.sub("loc(unknown)", asm)


def check(path):
    """The reason why a file fails, or None."""
    try:
        return compare(path)
    except Exception as error:  # of jaxlib's parser, mostly
        return str(error)[:600]


def compare(path):
    if any(part in path.name for part in REFUSED):
        done = tools.partita("check", path)
        return None if done.returncode == 1 else f"exit code {done.returncode}, expected 1"
    if any(path.stem == name for name in UNREADABLE):
        return reads_its_own(path)
    text = path.read_text()
    foreign = UNKNOWN_DIALECTS.search(text) is not None
    for pattern, generic in TO_GENERIC if foreign or "interpreter.run_parallel" in text else []:
        text = pattern.sub(generic, text)
    original = seen_by_jaxlib(text)
    forms = {"generic": ["fmt", "--generic", path]}
    if not foreign:
        forms["pretty"] = ["fmt", path]
    for form, command in forms.items():
        reason = difference(original, form, command)
        if reason:
            return reason
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(original)
        file.flush()
        return difference(original, "generic text of jaxlib", ["fmt", "--generic", file.name])


def reads_its_own(path):
    """For programs that jaxlib cannot read: Partita's own text must not change when it is printed again."""
    once = tools.partita("fmt", path)
    again = tools.partita("fmt", "-", input=once.stdout)
    if once.returncode or again.returncode:
        return (once.stderr + again.stderr)[:600]
    return None if once.stdout == again.stdout else "printing again changes the text"


def difference(original, form, command):
    done = tools.partita(*command)
    if done.returncode != 0:
        return f"{form}: {done.stderr.strip()[:600]}"
    printed = seen_by_jaxlib(done.stdout)
    if printed == original:
        return None
    for a, b in zip(original.splitlines(), printed.splitlines()):
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            window = slice(max(0, at - 60), at + 100)
            return f"{form}: differs\n    before {a[window]}\n    after  {b[window]}"
    return f"{form}: {len(original.splitlines())} lines before, {len(printed.splitlines())} after"


def programs():
    """All programs by group."""
    groups = {"examples": sorted((tools.ROOT / "examples/tiny").glob("*.mlir")), "tests/print": sorted((tools.ROOT / "tests/print").glob("*.mlir"))}
    if root := tools.corpus():
        for path in sorted(root.rglob("*.mlir")):
            groups.setdefault(str(path.parent.relative_to(root)), []).append(path)
    return groups


def main():
    tools.need_partita()
    groups = {"files": [pathlib.Path(name) for name in sys.argv[1:]]} if len(sys.argv) > 1 else programs()
    passed, failures = 0, []
    print(f"{'group':<24}{'programs':>9}{'same':>7}{'seconds':>9}")
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as pool:
        for group, paths in groups.items():
            start = time.monotonic()
            failed = [(p, reason) for p, reason in zip(paths, pool.map(check, paths, chunksize=8)) if reason]
            passed += len(paths) - len(failed)
            failures += [(f"{group}/{p.name}", reason) for p, reason in failed]
            print(f"{group:<24}{len(paths):>9}{len(paths) - len(failed):>7}{time.monotonic() - start:>9.1f}", flush=True)
    for kind, names in {"refused by design": REFUSED, "not readable by jaxlib": UNREADABLE}.items():
        for name, reason in names.items():
            print(f"{kind}: {name} ({reason})")
    tools.finish(passed, failures)


if __name__ == "__main__":
    main()
