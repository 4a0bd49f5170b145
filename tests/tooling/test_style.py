"""What the linters cannot say about the tests themselves."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.bootstrap import ROOT


def functions_in(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node


def test_every_test_says_what_holds() -> None:
    """Every test has a docstring, so that a failure tells which promise is broken."""
    silent = [
        f"{path.relative_to(ROOT)}::{test.name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for test in functions_in(path)
        if not ast.get_docstring(test)
    ]
    assert silent == []
