"""Several processes train as one does; where one is killed, the others end and say which."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "distributed.py"
# The slower of these tests are for the long tier.
LONG = pytest.mark.skipif("PARTITA_LONG" not in os.environ, reason="set PARTITA_LONG to run it")


def command(*arguments):
    return [sys.executable, str(EXAMPLE), *map(str, arguments)]


def losses(*arguments):
    done = subprocess.run(command("--steps", 5, *arguments), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    return [float(loss) for loss in re.findall(r"^loss (.*)$", done.stdout, re.MULTILINE)]


@pytest.mark.parametrize("processes", [2, pytest.param(8, marks=LONG)])
def test_processes_train_as_one_does(processes):
    one = losses("--devices", 8)
    assert losses("--processes", processes, "--devices", 8 // processes) == pytest.approx(one, abs=2e-6)
    assert len(one) == 5


@LONG
def test_a_process_that_is_killed_is_named_and_nobody_hangs():
    arguments = ["--processes", 2, "--devices", 4, "--steps", 1000, "--pause", 0.2, "--timeout", 10]
    parent = subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for line in parent.stdout:
            if line.startswith("loss"):
                break
        children = subprocess.run(["pgrep", "--parent", str(parent.pid)], capture_output=True, text=True, check=True).stdout.split()
        os.kill(int(children[1]), signal.SIGKILL)
        start = time.monotonic()
        rest, _ = parent.communicate(timeout=60)
        assert parent.returncode != 0 and time.monotonic() - start < 40
        assert "process 1 ended with -9" in rest and "process 0 ended with" in rest
    finally:
        parent.kill()
