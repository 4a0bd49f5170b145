"""The data of an embedded PostgreSQL: made once, as a whole or not at all, and served."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trusted_memory.offline.programs import INSTEAD, Account, PostgresError, find_programs

_SETTINGS = ("listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "shared_buffers=128MB")
_FAST = ("fsync=off", "full_page_writes=off")  # without synchronous_commit a kill -9 would lose commits
_LOCALE = ("--encoding=UTF8", "--locale=C")
_LOCALE_17 = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8")  # the same on every machine, knows Ä and ä


@dataclass(frozen=True, slots=True)
class Cluster:
    """One data folder with the programs that fit it. Every process that works on the data inherits and holds `lock`."""

    path: Path
    lock: int
    account: Account
    programs: Path
    major: int

    @classmethod
    def open(cls, path: Path, lock: int) -> "Cluster":
        """The data in this folder, made if there is none."""
        account = Account.choose(path)
        cluster = cls(path, lock, account, *find_programs(path, account))
        if not (path / "PG_VERSION").exists():
            cluster._make()
        cluster.hand_over()
        return cluster

    def _make(self) -> None:
        for half_made in self.path.parent.glob("new-*"):
            shutil.rmtree(half_made)
        if self.path.exists() and any(self.path.iterdir()):
            raise PostgresError(f"{self.path} is not a PostgreSQL database cluster. Move it away and start again.")
        new = replace(self, path=Path(tempfile.mkdtemp(prefix="new-", dir=self.path.parent)))
        new.hand_over()
        locale = (*_LOCALE, *_LOCALE_17) if self.major >= 17 else _LOCALE
        # `app` is the superuser because it is the only role: tests copy databases, extensions can be created.
        new.run("initdb", "--username=app", *locale, "--auth-host=scram-sha-256", "--auth-local=reject")
        new.sql("CREATE DATABASE app")
        new.path.rename(self.path)

    def hand_over(self) -> None:
        """Give the data to the account that serves it; it may have been made by another one."""
        uid, gid = self.account.uid, self.account.gid
        if uid is not None and gid is not None and self.path.stat().st_uid != uid:
            for path in (self.path, *self.path.rglob("*")):
                os.chown(path, uid, gid, follow_symlinks=False)

    def sql(self, statement: str) -> None:
        """Run a statement while there is no server."""
        self.run("postgres", "--single", "-c", "exit_on_error=true", "postgres", given=f"{statement}\n")

    def run(self, program: str, *words: str, given: str = "") -> None:
        with self._order(program, *words) as order:
            done = subprocess.run(**order, input=given, capture_output=True, text=True, check=False)
        if done.returncode:
            raise PostgresError(f"{program} failed on {self.path}: {done.stderr.strip()[-2000:]}\n{INSTEAD}")

    def serve(self, port: int, users: Path, log: Path, *, fast: bool) -> None:
        """Have a supervisor start the server; returns before the server answers."""
        settings = (f"port={port}", *_SETTINGS, *(_FAST if fast else ()))
        supervisor = (sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py")))
        with (
            self._order("postgres", *(f"--{setting}" for setting in settings)) as server,
            log.open("w") as out,
        ):
            order = json.dumps({"users": str(users), "server": server})
            subprocess.run(
                (*supervisor, order),
                check=False,  # users notice by the lock, and the log says why
                cwd="/",
                pass_fds=server["pass_fds"],
                start_new_session=True,  # Ctrl-C in our terminal is not for the server
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )

    @contextmanager
    def _order(self, program: str, *words: str) -> Iterator[dict[str, Any]]:
        """How to run a program on the data.

        Another user gets there through an open descriptor, whatever the folders above allow (/root is 0700).
        """
        folder = os.open(self.path, os.O_DIRECTORY | os.O_NOFOLLOW)
        data = str(self.path) if self.account.uid is None else f"/proc/self/fd/{folder}"
        try:
            yield self.account.order(str(self.programs / program), *words, data=data, pass_fds=(self.lock, folder))
        finally:
            os.close(folder)
