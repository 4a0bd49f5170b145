"""Embeddings, for semantic recall: they bring candidates to the front, and nothing is ever decided by them."""

from langchain_core.embeddings import Embeddings
from langchain_nvidia_ai_endpoints import Model, NVIDIAEmbeddings, register_model
from langchain_nvidia_ai_endpoints._statics import lookup_model

from graph.models.nvidia import HOSTED, Endpoint


def embedder(endpoint: Endpoint, model: str) -> Embeddings:
    """NVIDIA's client for `/embeddings`; too long a text is cut off. Asks nobody anything until it is used."""
    url = endpoint.base_url or HOSTED
    if ".nvidia.com" in url and lookup_model(model) is None:  # as for chat models: else it fetches /v1/models now
        path = f"{url.rstrip('/')}/embeddings"
        register_model(Model(id=model, model_type="embedding", client="NVIDIAEmbeddings", endpoint=path))
    return NVIDIAEmbeddings(
        model=model, base_url=url, api_key=endpoint.api_key, truncate="END", usage_telemetry_enabled=False
    )
