"""Which models speak, read and summarize: any LangChain chat model does. ChatNVIDIA, put right, comes along."""

from contextlib import ExitStack
from dataclasses import dataclass

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel

from graph.settings import Settings
from trusted_memory import Endpoint, chat_model, embedder

DEMO_MODEL = "offline-demo"
DEFAULT_MODEL = "meta/llama-3.3-70b-instruct"


@dataclass
class Models:
    """The three roles, configurable apart. `max_tokens` is bound to each request's own bound again."""

    chat: BaseChatModel
    extraction: BaseChatModel
    summary: BaseChatModel


def make_models(settings: Settings, opened: ExitStack) -> Models:
    """CHANGE ME for another provider: return that provider's classes here. Asks nobody anything; may block a moment.

    Without a model configured the offline demo model is served, until `opened` is closed.
    """
    base_url = settings.nvidia_base_url
    if settings.offline_model:
        from trusted_memory.offline.model import demo_model  # noqa: PLC0415  # an extra, absent from a server image

        base_url = opened.enter_context(demo_model())
    chat = DEMO_MODEL if settings.offline_model else settings.chat_model or DEFAULT_MODEL
    roles = [
        (chat, settings.model_timeout, settings.budget.output_reserve),
        (settings.extraction_model or chat, settings.extraction_timeout, settings.budget.output_reserve),
        (settings.summary_model or chat, settings.summary_timeout, settings.budget.summary),
    ]
    return Models(
        *(
            chat_model(Endpoint(base_url, settings.api_key, timeout), name, max_tokens=most)
            for name, timeout, most in roles
        )
    )


def make_embeddings(settings: Settings) -> Embeddings | None:
    """For semantic recall, where APP_EMBEDDING_MODEL names a model."""
    if not settings.embedding_model:
        return None
    url = settings.embedding_base_url or settings.nvidia_base_url
    return embedder(Endpoint(url, settings.api_key, settings.model_timeout), settings.embedding_model)
