"""The token allocation of one model request. Every limit of a conversation is a number here, and nowhere else."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

# Below this a summary holds less than its own delimiters and a line of pinned identifiers.
SMALLEST_SUMMARY = 100


class RequestTooLarge(ValueError):
    """A request that no reduction brings under its limit; raised before anything is sent."""

    def __init__(self, what: str, needed: int, limit: int, then: str) -> None:
        super().__init__(f"{what} needs {needed:,} tokens and {limit:,} are allowed: {then}")
        self.needed = needed
        self.limit = limit


def _share(name: str, part: int, whole: int) -> Any:
    """Default of a limit that follows another field: part/whole of it."""
    return lambda data: data.get(name, 0) * part // whole


class Budget(BaseModel):
    """How many tokens each part of a request may take. The parts add up to no more than the total."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    total: int = Field(12_000, gt=0, description="Context window to use: everything sent plus the reply.")
    output_reserve: int = Field(2_000, gt=0, description="Kept free for the reply.")
    instructions: int = Field(2_000, ge=0, description="Instructions and tool schemas.")
    facts: int = Field(2_000, ge=0, description="Retrieved facts.")
    summary: int = Field(1_000, ge=SMALLEST_SUMMARY, description="Rolling summary, pinned identifiers included.")
    recent: int = Field(5_000, gt=0, description="Recent turns, verbatim.")
    hard: int = Field(
        default_factory=_share("recent", 1, 1), gt=0, description="Over this, turns fold before the call."
    )
    soft: int = Field(default_factory=_share("recent", 9, 10), gt=0, description="Over this, they fold after it.")
    keep: int = Field(default_factory=_share("soft", 5, 6), ge=0, description="What a fold leaves.")
    tool_output: int = Field(default_factory=_share("recent", 1, 4), gt=0, description="Cap of one tool result.")
    message: int = Field(default_factory=_share("recent", 2, 5), gt=0, description="Cap of one message.")
    pinned: int = Field(default_factory=_share("summary", 1, 4), ge=0, description="Its part for pinned identifiers.")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        parts = ("output_reserve", "instructions", "facts", "summary", "recent")
        allocated = sum(getattr(self, part) for part in parts)
        if allocated > self.total:
            sums = " + ".join(f"{part} {getattr(self, part):,}" for part in parts)
            raise ValueError(
                f"{sums} = {allocated:,} tokens, more than the total of {self.total:,}: lower a part or raise the total"
            )
        for smaller, larger in (
            ("hard", "recent"),
            ("soft", "hard"),
            ("keep", "soft"),
            ("tool_output", "recent"),
            ("message", "recent"),
            ("summary", "output_reserve"),  # a summary is the reply of a request, too
        ):
            if getattr(self, smaller) > getattr(self, larger):
                over = f"{smaller} ({getattr(self, smaller):,}) is over {larger} ({getattr(self, larger):,})"
                raise ValueError(f"{over}: it can't be reached; lower it")
        if self.pinned * 2 > self.summary:
            raise ValueError(f"pinned ({self.pinned:,}) takes more than half of the summary ({self.summary:,})")
        return self

    @property
    def request(self) -> int:
        """What one request may hold, tools and margin counted."""
        return self.total - self.output_reserve

    @classmethod
    def for_total(cls, total: int, **given: int) -> Self:
        """The default proportions at another total; what the given parts leave goes to recent turns."""
        names = ("output_reserve", "instructions", "facts", "summary")
        parts = {name: total * cls.model_fields[name].default // cls.model_fields["total"].default for name in names}
        parts["summary"] = max(parts["summary"], SMALLEST_SUMMARY)
        parts |= given
        left = total - sum(parts[name] for name in names)
        return cls(**{"total": total, "recent": left, **parts})
