"""The list of mutants stays usable: each still applies, none is missing, and the runner tells caught from survived."""

import tomllib
from pathlib import Path

import pytest

from tools import mutants
from tools.bootstrap import ROOT
from tools.mutants import Mutant, Unusable


def test_every_mutant_still_applies() -> None:
    """The text of each entry stands exactly once in its file, and its test exists."""
    broken = []
    for mutant in mutants.listed():
        path = ROOT / mutant.file
        times = path.read_text("utf-8").count(mutant.find) if path.is_file() else 0
        if times != 1 or mutant.find == mutant.replace:
            broken.append(f"{mutant.name}: found {times} times in {mutant.file}")
        file, _, test = mutant.caught_by.partition("::")
        if file not in mutants.CHECKS and f"def {test.partition('[')[0]}(" not in (ROOT / file).read_text("utf-8"):
            broken.append(f"{mutant.name}: {mutant.caught_by} does not exist")
    assert broken == []


def test_names_are_unique() -> None:
    """A name stands for one mutant."""
    names = [mutant.name for mutant in mutants.listed()]
    assert sorted(set(names)) == sorted(names)


def test_every_contract_is_broken_by_a_mutant() -> None:
    """No import contract is taken on trust."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = {f"{contract['name']} BROKEN" for contract in pyproject["tool"]["importlinter"]["contracts"]}
    assert contracts == {mutant.says for mutant in mutants.listed() if mutant.caught_by == "imports"}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project with a rule and its test."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the plug-ins take two seconds a run
    (tmp_path / "rule.py").write_text("def rule():\n    return 1\n")
    (tmp_path / "test_rule.py").write_text("import rule\n\ndef test_rule():\n    assert rule.rule() < 3\n")
    return tmp_path


def mutant(find: str, replace: str, says: str = "") -> Mutant:
    return Mutant("m", "rule.py", find, replace, "test_rule.py::test_rule", says)


def test_a_caught_mutant_is_caught_and_taken_back(tree: Path) -> None:
    """The named test fails, for the reason that was expected, and the file is as before."""
    assert mutants.verify_unmutated(["test_rule.py::test_rule"], tree) == ""
    assert mutants.attempt(mutant("return 1", "return 3", says="assert 3 < 3"), tree) == ""
    assert (tree / "rule.py").read_text() == "def rule():\n    return 1\n"


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (mutant("return 1", "return 2"), "SURVIVED"),
        (mutant("return 1", "return 3", says="something else"), "without saying"),
        (mutant("return 1", "return ("), "did not run to its end"),
    ],
)
def test_what_proves_nothing_is_a_problem(tree: Path, changed: Mutant, problem: str) -> None:
    """A survivor, a failure for another reason, and code that does not even load are told apart from a catch."""
    assert problem in mutants.attempt(changed, tree)


@pytest.mark.parametrize("find", ["return 2", "r"])
def test_a_text_that_moved_is_a_problem(tree: Path, find: str) -> None:
    """An entry whose text is gone or stands twice cannot be applied."""
    with pytest.raises(Unusable, match="times in rule"):
        mutants.attempt(mutant(find, "x"), tree)
