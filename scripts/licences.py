"""Whether every crate we build has a licence that `deny.toml` allows.

`cargo deny check` says more (advisories, yanked and duplicate crates) but has to be installed; the long tier runs it.
"""

import json
import re
import subprocess
import tomllib

import tools


def allowed(expression, licences):
    """Whether an SPDX expression can be satisfied: one side of each OR, both of each AND."""
    tokens = re.findall(r"\(|\)|[^\s()/]+|/", expression)

    def either():
        result = both()
        while tokens and tokens[0] in ("OR", "/"):
            tokens.pop(0)
            result = both() or result
        return result

    def both():
        result = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            result = one() and result
        return result

    def one():
        token = tokens.pop(0)
        if token == "(":
            result = either()
            tokens.pop(0)
            return result
        if tokens and tokens[0] == "WITH":
            token = f"{token} WITH {tokens[1]}"
            del tokens[:2]
        return token in licences

    return either()


def main():
    config = tomllib.loads((tools.ROOT / "deny.toml").read_text())
    licences = set(config["licenses"]["allow"])
    metadata = ["cargo", "metadata", "--format-version", "1", "--locked"]
    packages = json.loads(subprocess.run(metadata, cwd=tools.ROOT, check=True, capture_output=True).stdout)["packages"]
    failures = []
    for package in packages:
        licence = package["license"]
        if not licence or not allowed(licence, licences):
            failures.append((package["name"], f"its licence is {licence or 'not stated'}"))
    tools.finish(len(packages) - len(failures), failures)


if __name__ == "__main__":
    main()
