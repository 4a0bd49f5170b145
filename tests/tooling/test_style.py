"""What the linters cannot say about the tests themselves."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tools.bootstrap import ROOT

TESTS = (ROOT / "tests", ROOT / "packages/trusted_memory/tests")


def functions_in(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node


def test_every_test_says_what_holds() -> None:
    """Every test has a docstring, so that a failure tells which promise is broken."""
    silent = [
        f"{path.relative_to(ROOT)}::{test.name}"
        for folder in TESTS
        for path in sorted(folder.rglob("test_*.py"))
        for test in functions_in(path)
        if not ast.get_docstring(test)
    ]
    assert silent == []


def test_every_exception_has_its_reason() -> None:
    """A lint rule or a type error that is switched off says why, on the same line."""
    bare = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("graph", "packages", "tools", "tests", "evals")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search(r"# (noqa: [A-Z0-9, ]+|type: ignore\[[a-z, -]+\])\s*$", line)
    ]
    assert bare == []


def test_what_the_pages_name_is_there() -> None:
    """A file that README or docs/ link to, or name with its folder, exists: pages are the first to fall behind."""
    gone = []
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = page.read_text("utf-8")
        linked = re.findall(r"(?:\]\(|^\[[^\]]+\]: )(?!https?:)([\w./-]+)", text, re.MULTILINE)
        named = re.findall(r"`((?:graph|packages|prompts|evals|tests|tools|docs)/[\w./-]+)`", text)
        paths = [page.parent / path for path in linked] + [ROOT / path for path in named]
        gone += [f"{page.name}: {path}" for path in paths if not path.exists()]
    assert gone == []
