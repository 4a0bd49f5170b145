"""Ends a child with its parent, however the parent ended: `python -m tools.parent PID MODULE [ARGUMENT …]`.

A launcher that is killed cannot stop what it started, so the child watches: when a parent ends, its child gets another.
"""

import os
import runpy
import signal
import sys
import threading
import time

LOOK_EVERY = 0.5
PATIENCE = 15.0  # a shutdown may wait for ever for what ended with the launcher, such as the database


def end_with_parent(expected: int, patience: float = PATIENCE) -> None:
    """SIGTERM to this process when process `expected` is no longer its parent; SIGKILL if that does not end it."""

    def watch() -> None:
        while os.getppid() == expected:
            time.sleep(LOOK_EVERY)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(patience)
        if os.getpgrp() == os.getpid():  # its own children too
            os.killpg(os.getpid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, name="watch the parent", daemon=True).start()


if __name__ == "__main__":
    end_with_parent(int(sys.argv[1]))
    module = sys.argv[2]
    sys.argv = sys.argv[2:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
