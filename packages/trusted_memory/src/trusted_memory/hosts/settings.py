"""Reading an application's settings so that every mistake is named by its variable; and a secret for one machine."""

import secrets
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError
from pydantic_settings import BaseSettings, SettingsError

S = TypeVar("S", bound=BaseSettings)


class BadSettings(ValueError):
    """The environment or .env holds what can't be; a line for each problem names the variable."""


def read_settings(kind: type[S]) -> S:
    """The settings of this process, from the environment and .env. Raises BadSettings."""
    try:
        return kind()
    except ValidationError as error:
        raise BadSettings("\n".join(_problems(error, kind))) from None
    except SettingsError:  # the budget is the only setting that may be JSON
        raise BadSettings("APP_BUDGET: expected JSON, or single limits such as APP_BUDGET__TOTAL=16000") from None


def kept_secret(folder: Path) -> str:
    """A random secret beside the data, made once: fine for one machine, no good for several."""
    path = folder / "secret"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x") as file:
            path.chmod(0o600)
            file.write(secrets.token_hex(32))
    except FileExistsError:
        pass
    return path.read_text()


def _problems(error: ValidationError, kind: type[BaseSettings]) -> list[str]:
    """One line each. Defaults that follow from a value that is wrong are not wrong themselves."""
    return [
        f"{_variable(problem['loc'], kind)}: {problem['msg'].removeprefix('Value error, ')}"
        for problem in error.errors(include_url=False, include_input=False)
        if problem["type"] != "default_factory_not_called"
    ]


def _variable(loc: tuple[int | str, ...], kind: type[BaseSettings]) -> str:
    """What the environment calls it. Names of others than ours are spelled out in `loc`."""
    if loc == ("budget",):  # its limits don't go together
        return "APP_BUDGET__…"
    name = "__".join(str(part) for part in loc).upper()
    return name if loc[0] not in kind.model_fields else f"APP_{name}"
