"""Long work lets other threads run, and Ctrl-C ends it."""

import os
import signal
import threading
import time

import jax
import numpy as np
import pytest
from jax.sharding import PartitionSpec as P

import partita
from partita import _native


def interrupted(work):
    """Seconds from the signal to the exception, and whether another thread of Python went on meanwhile."""
    sent, beats = [], []

    def press():
        for _ in range(2):
            beats.append(time.monotonic())
            time.sleep(0.1)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    ended = time.monotonic()
    thread.join()
    return ended - sent[0], len(beats) == 2


def test_a_long_run(mesh):
    step = lambda x: jax.lax.fori_loop(0, 1_000_000_000, lambda _, y: y * 1.5 + x, x)
    lowered = partita.lower(partita.jit(step, mesh=mesh, in_shardings=P("data")), np.ones(8, "f4"))
    seconds, others_ran = interrupted(lowered.verify)
    assert seconds < 2 and others_ran


def test_a_long_program():
    lines = [f"%{n + 1} = stablehlo.tanh %{n} : tensor<64xf32>" for n in range(400_000)]
    text = "func.func @main(%0: tensor<64xf32>) -> tensor<64xf32> {\n" + "\n".join(lines) + "\nreturn %400000 : tensor<64xf32>\n}"
    seconds, others_ran = interrupted(lambda: _native.partition(text, "<long>", [("x", 4)], [], []))
    assert seconds < 2 and others_ran
