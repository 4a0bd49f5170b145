"""The application: its parts put together as hosts and commands want them."""

from functools import cache

from graph.context import Caller
from graph.deps import Deps
from graph.deps import deps as shared
from graph.graph import assistant, memory
from trusted_memory import Application

DEMO = (
    "OFFLINE DEMO MODEL: no model is configured, so answers come from a few rules for the example shop, in English. "
    "This proves the plumbing only, not the quality of any model. For a real one set NVIDIA_BASE_URL (a NIM or any "
    "OpenAI-compatible server) or NVIDIA_API_KEY."
)


def application(deps: Deps) -> Application:
    """The application on these deps, as hosts and commands want it."""
    settings, demo = deps.settings, deps.settings.offline_model
    return Application(
        deps.memory,
        deps.conversation,
        assistant=lambda: assistant(deps),
        reader=lambda: memory(deps),
        caller=lambda subject: Caller(subject=subject),
        instructions=deps.instructions,
        tools=lambda: deps.tools,
        migrate=deps.migrate,
        close=deps.close,
        database_is="configured" if settings.database_uri else f"embedded, data in {settings.data_dir}",
        model_is="the offline demo model: it proves the plumbing only" if demo else "configured",
        notice=DEMO if demo else "",
        checkpoints_kept=settings.checkpoints_kept,
        lag_warning_seconds=settings.lag_warning_seconds,
    )


@cache
def ours() -> Application:
    """The process's own application."""
    return application(shared())
