"""Makes the environment in .venv, once, with nothing but Python's standard library.

`python tools/bootstrap.py [EXTRA …|all]` (extras default to `offline`). Brings uv into .tools/ when the machine has
none, installs exactly what uv.lock names, and leaves a stamp; while the stamp is true it returns at once and asks no
network.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
TOOLS = ROOT / ".tools"
STAMP = VENV / "made-by-bootstrap.json"
# The first uv that reads both dependency groups and this lock file's format.
OLDEST_UV = (0, 8)
# Only these parts of pyproject.toml decide what is installed: editing a lint rule must not ask the network.
INSTALLED_FROM = ("project", "dependency-groups", "build-system")


class Failed(Exception):
    """Something the reader has to put right; the message says what."""


def fingerprint() -> str:
    """What .venv was made from. The path is in it, because installed commands carry it in their first line."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    tool = pyproject.get("tool", {})
    parts = [pyproject.get(name) for name in INSTALLED_FROM] + [tool.get(name) for name in ("setuptools", "uv")]
    text = json.dumps([str(ROOT), parts], sort_keys=True)
    return hashlib.sha256(text.encode() + (ROOT / "uv.lock").read_bytes()).hexdigest()


def stamp() -> dict[str, object]:
    try:
        read = json.loads(STAMP.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def is_made(extras: set[str]) -> bool:
    """True when .venv holds at least these extras, from these files, at this place, for the Python asked for."""
    if not (VENV / "bin/python").exists():  # also false for a link to a Python that is gone
        return False
    made = stamp()
    wanted = "{}.{}".format(*sys.version_info[:2])
    if os.environ.get("PYTHON") and made.get("python") != wanted:
        return False
    have = made.get("extras")
    return made.get("fingerprint") == fingerprint() and isinstance(have, list) and extras <= set(have)


def uv_version(uv: str) -> tuple[int, ...]:
    try:
        said = subprocess.run([uv, "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(int(part) for part in re.findall(r"\d+", said)[:2])


def find_uv() -> str | None:
    """The uv on PATH if it is new enough, else the one brought earlier."""
    for candidate in (shutil.which("uv"), str(TOOLS / "uv/bin/uv")):
        if candidate and uv_version(candidate) >= OLDEST_UV:
            return candidate
    return None


def bring_uv() -> str:
    """Puts uv into a private environment: nothing outside the project's folder changes."""
    say("bringing uv into .tools/ (this machine has none)")
    home = TOOLS / "uv"
    shutil.rmtree(home, ignore_errors=True)
    made = subprocess.run([sys.executable, "-m", "venv", str(home)], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise Failed(
            f"{sys.executable} cannot make a virtual environment:\n{made.stdout}{made.stderr}\n"
            "Install its venv module (Debian, Ubuntu: apt-get install python3-venv), or put uv on PATH."
        )
    pip = [str(home / "bin/python"), "-m", "pip"]
    install = ["install", "--quiet", "--disable-pip-version-check", "--retries", "5", "uv>={}.{}".format(*OLDEST_UV)]
    # First as the machine is configured (a mirror, a proxy's certificate); a configuration that cannot work here
    # (a constraint on uv, `user = true`) is set aside the second time.
    as_configured = os.environ | {"PIP_USER": "0"}
    set_aside = {k: v for k, v in os.environ.items() if not k.startswith("PIP_")} | {"PIP_CONFIG_FILE": os.devnull}
    for env in (as_configured, set_aside):
        if subprocess.run([*pip, *install], env=env, check=False).returncode == 0:
            return str(home / "bin/uv")
    raise Failed("pip could not install uv (its message is above). Check the network, or put uv on PATH.")


def uv_environment() -> dict[str, str]:
    env = dict(os.environ)
    env.pop("VIRTUAL_ENV", None)  # somebody else's active environment is not ours to fill
    env["UV_PROJECT_ENVIRONMENT"] = str(VENV)
    env["UV_PYTHON_DOWNLOADS"] = "never"
    env.setdefault("UV_HTTP_TIMEOUT", "180")
    # uv trusts its own list of authorities; behind a company's proxy only the machine's list knows the certificate.
    paths = ssl.get_default_verify_paths()
    if paths.cafile or (paths.capath and any(Path(paths.capath).iterdir())):
        env.setdefault("UV_SYSTEM_CERTS", "1")
    home = Path(os.environ.get("HOME") or "/nonexistent")
    if not os.access(home, os.W_OK):
        env.setdefault("UV_CACHE_DIR", str(TOOLS / "cache"))
    return env


def sync(uv: str, extras: set[str]) -> None:
    made = stamp()
    if VENV.exists() and made.get("root", str(ROOT)) != str(ROOT):
        shutil.rmtree(VENV)  # the folder was moved or copied: every command in it starts the other folder's Python
    chosen = ["--all-extras"] if "all" in extras else [f"--extra={name}" for name in sorted(extras)]
    python = [] if (VENV / "bin/python").exists() and not os.environ.get("PYTHON") else ["--python", sys.executable]
    STAMP.unlink(missing_ok=True)
    say(f"installing what uv.lock names into .venv ({', '.join(sorted(extras))}); the first time takes a minute or two")
    quiet = [] if sys.stderr.isatty() else ["--quiet"]
    command = [uv, "sync", "--frozen", *quiet, *chosen, *python]
    env = uv_environment()
    own_certificates = {name: value for name, value in env.items() if name != "UV_SYSTEM_CERTS"}
    # First from uv's cache alone: with it a second clone needs no network, and without it this fails in a moment.
    from_cache = subprocess.run([*command, "--offline"], cwd=ROOT, env=env, capture_output=True, check=False)
    if from_cache.returncode != 0 and not any(
        subprocess.run(command, cwd=ROOT, env=attempt, check=False).returncode == 0
        for attempt in (env, own_certificates)
    ):
        raise Failed("uv could not install the environment (its message is above). Check the network; then repeat.")
    have = set(optional_dependencies()) if "all" in extras else extras
    python_version = subprocess.run(
        [str(VENV / "bin/python"), "-c", "import sys; print('{}.{}'.format(*sys.version_info[:2]))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    record = {
        "fingerprint": fingerprint(),
        "extras": sorted(have | ({"all"} if "all" in extras else set())),
        "python": python_version,
        "root": str(ROOT),
    }
    STAMP.write_text(json.dumps(record, indent=1), "utf-8")


def optional_dependencies() -> list[str]:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return list(pyproject["project"].get("optional-dependencies", {}))


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Two makes at once: the second waits, then finds the work done."""
    TOOLS.mkdir(exist_ok=True)
    with (TOOLS / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another make is preparing the environment; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def say(text: str) -> None:
    print(f"bootstrap: {text}", file=sys.stderr, flush=True)


def main(arguments: list[str]) -> int:
    extras = set(arguments) or {"offline"}
    unknown = extras - {"all", *optional_dependencies()}
    if unknown:
        say(f"no such extra: {', '.join(sorted(unknown))}; there are: all, {', '.join(optional_dependencies())}")
        return 2
    try:
        with alone():
            if not is_made(extras):
                have = stamp().get("extras")
                kept = extras | (set(have) & set(optional_dependencies()) if isinstance(have, list) else set())
                sync(find_uv() or bring_uv(), kept)
    except Failed as failure:
        say(str(failure))
        return 1
    except OSError as error:
        say(f"{error}. The project's folder must be writable.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
