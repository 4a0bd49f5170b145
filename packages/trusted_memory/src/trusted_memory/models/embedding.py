"""Embeddings, for semantic recall: they bring candidates to the front, and nothing is ever decided by them."""

from langchain_core.embeddings import Embeddings
from langchain_nvidia_ai_endpoints import Model, NVIDIAEmbeddings

from trusted_memory.models.nvidia import HOSTED, Endpoint, name_hosted


def embedder(endpoint: Endpoint, model: str) -> Embeddings:
    """NVIDIA's client for `/embeddings`; too long a text is cut off. Asks nobody anything until it is used."""
    url = endpoint.base_url or HOSTED
    name_hosted(Model(id=model, model_type="embedding", client="NVIDIAEmbeddings"), url, "embeddings")
    return NVIDIAEmbeddings(
        model=model, base_url=url, api_key=endpoint.api_key, truncate="END", usage_telemetry_enabled=False
    )
