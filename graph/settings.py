"""Every setting of the product, read from the environment or from .env. Only the composition root uses it."""

import re
from pathlib import Path
from typing import Any

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from trusted_memory import Budget
from trusted_memory import read_settings as read

ROOT = Path(__file__).parent.parent


class Settings(BaseSettings):
    """Names in the environment: APP_… for ours, NVIDIA_… as NVIDIA's own tools use them. See .env.example."""

    model_config = SettingsConfigDict(
        env_prefix="APP_",
        env_nested_delimiter="__",
        env_file=ROOT / ".env",
        extra="ignore",
        env_ignore_empty=True,
        hide_input_in_errors=True,  # keys and passwords are inputs, too
    )

    database_uri: SecretStr | None = None
    data_dir: Path = ROOT / ".data"
    auto_migrate: bool = True
    pool_size: int = Field(10, ge=2)

    nvidia_api_key: SecretStr | None = Field(None, validation_alias=AliasChoices("NVIDIA_API_KEY", "nvidia_api_key"))
    nvidia_base_url: str | None = Field(None, validation_alias=AliasChoices("NVIDIA_BASE_URL", "nvidia_base_url"))
    chat_model: str | None = None
    extraction_model: str | None = None
    summary_model: str | None = None
    embedding_model: str | None = None
    embedding_base_url: str | None = None
    model_timeout: float = Field(60.0, gt=0)
    extraction_timeout: float = Field(20.0, gt=0)
    summary_timeout: float = Field(60.0, gt=0)
    catch_up_seconds: float = Field(2.0, gt=0)

    budget: Budget = Field(default_factory=Budget)

    runtime: str | None = Field(None, validation_alias="LANGGRAPH_RUNTIME_EDITION")
    dev_customer: str | None = None
    secret: SecretStr | None = None
    checkpoints_kept: int = Field(10, ge=1)
    lag_warning_seconds: float = Field(30.0, gt=0)

    @field_validator("nvidia_base_url", "embedding_base_url", "embedding_model", "database_uri", mode="before")
    @classmethod
    def _blank_is_unset(cls, value: Any) -> Any:
        return value if not isinstance(value, str) or value.strip() else None

    @field_validator("database_uri")
    @classmethod
    def _is_postgres(cls, value: SecretStr | None) -> SecretStr | None:
        try:
            conninfo_to_dict(value.get_secret_value() if value else "")
        except ProgrammingError:  # its text may repeat the password
            raise ValueError("not a PostgreSQL address, such as postgresql://user:password@host:5432/name") from None
        return value

    @field_validator("nvidia_base_url", "embedding_base_url")
    @classmethod
    def _is_http(cls, value: str | None) -> str | None:
        if value and not re.match(r"https?://[^/\s]+", value):
            raise ValueError("not an address, such as http://localhost:8000/v1")
        return value

    @property
    def api_key(self) -> str | None:
        """NVIDIA_API_KEY as clients want it."""
        return self.nvidia_api_key.get_secret_value() if self.nvidia_api_key else None

    @property
    def local(self) -> bool:
        """Whether this is `langgraph dev`: its in-memory runtime, named by the host and not by a request."""
        return self.runtime == "inmem"

    @property
    def offline_model(self) -> bool:
        """Whether the demo model stands in, because nothing names a real one."""
        return not (self.nvidia_api_key or self.nvidia_base_url)


def read_settings() -> Settings:
    """The settings of this process. Raises BadSettings, which names each variable that is wrong."""
    return read(Settings)
