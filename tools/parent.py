"""Ends a child with its parent, however the parent ended: `python -m tools.parent PID MODULE [ARGUMENT …]`.

A launcher that is killed cannot stop what it started; on Linux the kernel does it then. The child asks for that itself,
since asking between fork and exec is unsafe once the launcher has threads.
"""

import ctypes
import os
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1


def end_with_parent(expected: int | None = None) -> None:
    """SIGTERM when the parent ends. `expected` is its process id, in case it has ended already."""
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    if expected is not None and os.getppid() != expected:
        sys.exit(f"the launcher (process {expected}) has ended already")


if __name__ == "__main__":
    end_with_parent(int(sys.argv[1]))
    module = sys.argv[2]
    sys.argv = sys.argv[2:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
