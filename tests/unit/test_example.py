"""The example domain stands in for the project's own, in every test, whatever that has become in a fork."""

import subprocess
import sys

import pytest

from evals import example
from graph import domain, tools
from graph.prompting import Prompts
from tools.bootstrap import ROOT

SHIPPED = "The worked example is an online retailer's assistant." in (ROOT / "graph/domain.py").read_text("utf-8")
COPIED = {
    "graph/domain.py": "domain.py",
    "graph/tools.py": "tools.py",
    **{f"prompts/{file.name}": f"prompts/{file.name}" for file in sorted((example.HERE / "prompts").glob("*.md"))},
}


def test_tests_run_on_the_example() -> None:
    """What the product imports as its domain, its tools and its prompts are the example's files."""
    assert [domain.__file__, tools.__file__] == [str(example.HERE / "domain.py"), str(example.HERE / "tools.py")]
    texts = {file.stem: file.read_text("utf-8").strip() for file in (example.HERE / "prompts").glob("*.md")}
    assert {name: text.template for name, text in Prompts().texts.items()} == texts


def test_the_example_is_never_mixed_with_another_domain() -> None:
    """Where the project's own domain came first, standing in for it is refused instead of done by half."""
    late = [sys.executable, "-c", "import graph.domain, evals"]
    done = subprocess.run(late, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "ImportError: graph.domain came first" in done.stderr


def test_prompts_can_be_measured_as_the_project_has_them() -> None:
    """`evals extract` reads with the project's own prompts: they are what it is to judge."""
    own = "import evals.example; evals.example.own_prompts(); import prompts; print(prompts.__file__)"
    done = subprocess.run([sys.executable, "-c", own], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(ROOT / "prompts/__init__.py")


if SHIPPED:  # else it is a fork, whose domain is its own

    @pytest.mark.parametrize("file", COPIED)
    def test_the_copy_is_the_shipped_example(file: str) -> None:
        """Nothing can be right in the copy, which is tested, and wrong in what is shipped."""
        assert (ROOT / file).read_text("utf-8") == (example.HERE / COPIED[file]).read_text("utf-8"), (
            f"Copy {file} to evals/example/{COPIED[file]}; or, if this is your own domain, let the first lines "
            "of graph/domain.py say so, instead of that it is the worked example."
        )
