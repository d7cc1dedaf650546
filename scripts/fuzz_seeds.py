"""Writes small programs for coverage-guided fuzzing to start from, and the words it may insert.

    fuzz_seeds.py DIR
"""

import pathlib
import re
import sys

import tools

LARGEST = 16 << 10


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    roots = [tools.ROOT / "tests", tools.ROOT / "examples", *filter(None, [tools.corpus()])]
    words, count = set(), 0
    for root in roots:
        for path in sorted(root.rglob("*.mlir")):
            if path.stat().st_size <= LARGEST:
                text = path.read_text()
                (folder / f"seed-{count}").write_text(text)
                words.update(re.findall(r"[a-z_]+\.[a-z_]+|#?[a-z]+\.[a-z_]+<|[A-Za-z_]{4,24}", text))
                count += 1
    dictionary = tools.ROOT / "fuzz/tokens.dict"
    dictionary.write_text("".join(f'"{word}"\n' for word in sorted(words)))
    print(f"{count} programs, {len(words)} words")


if __name__ == "__main__":
    main()
