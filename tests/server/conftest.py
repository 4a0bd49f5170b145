"""A running `langgraph dev` over a database of its own, shared by the tests of a file: it takes seconds to start."""

import signal
import uuid
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from support.database import on
from tests.server.dev import Dev


@pytest.fixture(scope="module")
def server_database_uri(database_server: str, migrated_template: str) -> Iterator[str]:
    name = f"served_{uuid.uuid4().hex[:12]}"
    names = sql.Identifier(name), sql.Identifier(migrated_template)
    with psycopg.connect(database_server, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {} template {}").format(*names))
        yield on(database_server, name)
        connection.execute(sql.SQL("drop database {} with (force)").format(names[0]))


@pytest.fixture(scope="module")
def dev(server_database_uri: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dev]:
    server = Dev(tmp_path_factory.mktemp("served") / "project", server_database_uri)
    server.start()
    yield server
    if server.process and server.process.poll() is None:
        server.stop(signal.SIGKILL)
