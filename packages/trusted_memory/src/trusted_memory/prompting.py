"""Prompts: one Markdown file each, loaded at import, with $holes that must all be filled."""

from importlib import resources
from string import Template

STRAY = "prompts/{}.md has a '$' that names nothing; write '$$' for a dollar sign"


class PromptError(ValueError):
    """A prompt is missing, or its holes and what fills them don't match."""


class Prompts:
    """The prompts of a package, by file name without the ending; of None there are none."""

    def __init__(self, package: str | None = "prompts") -> None:
        self.package = package
        files = resources.files(package).iterdir() if package else ()
        self.texts = {
            file.name.removesuffix(".md"): Template(file.read_text(encoding="utf-8").strip())
            for file in files
            if file.name.endswith(".md")
        }

    def check(self, **holes: set[str]) -> None:
        """Every prompt named is there and has no other holes than these. Called at start, not in a turn."""
        for name, allowed in holes.items():
            template = self._get(name)
            if not template.is_valid():
                raise PromptError(STRAY.format(name))
            if unknown := set(template.get_identifiers()) - allowed:
                raise PromptError(f"prompts/{name}.md asks for {sorted(unknown)}; it can have {sorted(allowed)}")

    def render(self, name: str, **values: str) -> str:
        """The prompt with its holes filled."""
        template = self._get(name)
        try:
            return template.substitute(values)
        except ValueError:  # a '$' that names nothing
            raise PromptError(STRAY.format(name)) from None
        except KeyError as error:
            raise PromptError(f"prompts/{name}.md asks for ${error.args[0]}; it can have {sorted(values)}") from error

    def _get(self, name: str) -> Template:
        if name not in self.texts:
            raise PromptError(f"prompts/{name}.md is missing; the prompts there are {sorted(self.texts)}")
        return self.texts[name]
