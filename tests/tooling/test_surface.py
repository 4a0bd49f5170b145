"""The engine's surface: small, documented, at hand without a wait, and the only door between the two houses.

That the application imports nothing else is an import contract. What a contract can't see is here: a surface that loads
each name when it is asked for imports nothing itself.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator

import pytest

import trusted_memory
from tests.tooling.test_contracts import PURE, contract
from tools.bootstrap import ROOT

ENGINE = ROOT / "packages/trusted_memory"
SRC = ENGINE / "src/trusted_memory"
MOST = 50  # names that an application's author can be asked to know
APPLICATION = {"graph", "prompts", "tests", "evals", "tools"}


def imports_in(tree: ast.AST) -> Iterator[tuple[str, list[str]]]:
    """Every module that is imported somewhere in the tree, with the names that are taken from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield node.module or "", [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, list[str]()) for alias in node.names)


def surface() -> dict[str, str]:
    """Each name of the surface, with the module that it lives in."""
    stub = ast.parse((SRC / "__init__.pyi").read_text("utf-8"))
    return {name: f"trusted_memory.{home}" for home, names in imports_in(stub) for name in names}


def at_home(name: str) -> ast.stmt:
    """The statement that makes a name, in the module where the surface says that it lives."""
    home = surface()[name]
    path = SRC.parent / f"{home.replace('.', '/')}.py"
    for node in ast.parse(path.read_text("utf-8")).body:
        match node:
            case ast.ClassDef(name=made) | ast.FunctionDef(name=made) | ast.AsyncFunctionDef(name=made):
                found = made == name
            case ast.Assign(targets=[ast.Name(id=made)]) | ast.AnnAssign(target=ast.Name(id=made)):
                found = made == name
            case _:
                found = False
        if found:
            return node
    pytest.fail(f"{home} makes no {name}: the surface names the module that does")


@pytest.mark.parametrize("name", surface())
def test_every_name_is_there_and_says_what_it_is(name: str) -> None:
    """A name that is listed can be had, and a class or function has a docstring where it is made."""
    made = at_home(name)
    assert getattr(trusted_memory, name) is not None
    if isinstance(made, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        assert ast.get_docstring(made), f"{surface()[name]}.{name} has no docstring"


def test_it_stays_small() -> None:
    """About forty names: who wants another one asks first whether a verb of Memory or Conversation would do."""
    assert len(surface()) <= MOST
    assert set(surface()) == set(vars(trusted_memory)["__all__"])


def test_no_name_is_a_module_s() -> None:
    """Importing `trusted_memory.x` sets the attribute `x`: a name of the surface that is called so would be lost."""
    assert not set(surface()) & {path.stem for path in SRC.iterdir()}


def test_declaring_a_domain_loads_no_framework() -> None:
    """What a domain takes from the surface is there at once: neither LangChain nor a driver is loaded for it."""
    loaded = (
        "import graph.domain, sys; print({'langchain_core', 'langgraph', 'psycopg', 'pydantic'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_domain_takes_data_alone() -> None:
    """domain.py gets no database or model through the surface: the names it takes live in modules that are pure."""
    pure = tuple(contract(PURE)["source_modules"])
    homes = surface()
    for module, names in imports_in(ast.parse((ROOT / "graph/domain.py").read_text("utf-8"))):
        if module == "trusted_memory":
            assert {name for name in names if not homes[name].startswith(pure)} == set()


def test_offline_parts_are_imported_where_they_are_started() -> None:
    """They are an extra: a module of graph/ that imports one as it is loaded can't be loaded in a server image."""
    eager = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in sorted((ROOT / "graph").rglob("*.py"))
        for node in ast.parse(path.read_text("utf-8")).body
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for module, _ in imports_in(node)
        if module.startswith("trusted_memory.offline")
    ]
    assert eager == []


def test_the_engines_tests_know_no_application() -> None:
    """The engine is tested on a domain of its own, so that a fork can change every line of the application's."""
    known = [
        f"{path.relative_to(ENGINE)}: {module}"
        for path in sorted((ENGINE / "tests").rglob("*.py"))
        for module, _ in imports_in(ast.parse(path.read_text("utf-8")))
        if module.partition(".")[0] in APPLICATION
    ]
    assert known == []
