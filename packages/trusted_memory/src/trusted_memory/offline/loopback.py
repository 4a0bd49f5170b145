"""The loopback interface, which everything offline talks over. `unshare -n` starts a program with it down."""

import fcntl
import socket
import struct
import sys
from contextlib import suppress

_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1  # SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP


def require_loopback() -> None:
    """Return once 127.0.0.1 can be reached, bringing it up where we may; it is down only in a new network namespace."""
    if _reachable():
        return
    if sys.platform == "linux":
        with suppress(OSError):
            _bring_up()
    if not _reachable():
        raise ConnectionError(
            "127.0.0.1 cannot be reached: the loopback interface of this network namespace is down, and this user"
            " may not bring it up. Let root run `ip link set lo up` in it, then start again"
        )


def _reachable() -> bool:
    # Binding succeeds on an interface that is down; only connecting fails there (ENETUNREACH).
    with socket.socket() as listener, suppress(OSError):
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        socket.create_connection(listener.getsockname(), timeout=2).close()
        return True
    return False


def _bring_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = fcntl.ioctl(control, _GET_FLAGS, struct.pack("16sh22x", b"lo", 0))
        (flags,) = struct.unpack("16xh22x", request)
        fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sh22x", b"lo", flags | _UP))
