"""The process that owns an embedded PostgreSQL: stops it after its last user, starts it again when it was killed.

postgres.py runs this file as a script, `supervisor.py JSON`, so it imports nothing but the standard library.
It works without process ids: a lock dies with the processes that hold it, however they end.
"""

import ctypes
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

_PR_SET_PDEATHSIG = 1


def main() -> None:
    order: dict[str, Any] = json.loads(sys.argv[1])
    if os.fork():
        os._exit(0)  # our starter waits for this process; the server belongs to its child, which nobody has to reap
    for wish in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(wish, lambda *_: sys.exit(0))
    users = os.open(order["users"], os.O_RDWR)
    patience = 0
    while True:
        server = subprocess.Popen(
            **order["server"],
            preexec_fn=_die_with(os.getpid()),  # noqa: PLW1509 - there is one thread here
            stdin=subprocess.DEVNULL,
        )
        try:
            while server.poll() is None:
                if _nobody_holds(users):
                    return  # the lock is kept until this process ends, so newcomers wait until the data is free
                time.sleep(0.1)
        finally:
            _stop(server)
        if server.returncode < 0:  # killed: sessions that outlive it may block its successor for a while
            patience = 60
        if not patience:
            sys.exit(1)  # it ended by itself; the log says why
        patience -= 1
        time.sleep(0.5)


def _nobody_holds(users: int) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _die_with(parent: int) -> Any:
    """What the server does before it runs: on Linux, ask to be shut down should this process be killed."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() != parent:
            os._exit(1)

    return ask


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Fast shutdown, then immediate (recovers at the next start), then by force."""
    for how, seconds in ((signal.SIGINT, 30), (signal.SIGQUIT, 5), (signal.SIGKILL, 5)):
        server.send_signal(how)
        with suppress(subprocess.TimeoutExpired):
            server.wait(seconds)
            return


if __name__ == "__main__":
    main()
