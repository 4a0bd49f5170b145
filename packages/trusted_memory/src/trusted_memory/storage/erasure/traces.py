"""What erased messages may have left elsewhere in words: their ids, copies of their text, the values they gave."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property

# Scripts without spaces between words: every character counts as a word there.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_UNSPACED}]|(?:[^\W{_UNSPACED}])+(?:['\u2019][^\W{_UNSPACED}]+)*")
RUN = 6  # so many words in a row are a copy, and no coincidence
PHRASE = 3  # a shorter text is only looked for as a value: "yes" and "thank you" are everywhere


def words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFC", text).casefold())


class Traces:
    """Recognises texts that repeat what is erased. A paraphrase can't be recognised; the receipt says so.

    What the customer's `other` messages say as well is no trace of the erased ones: it may be how everybody begins.
    """

    def __init__(
        self, sources: Iterable[str], texts: Iterable[str], values: Iterable[str], others: Iterable[str] = ()
    ) -> None:
        self.sources = frozenset(sources)
        self.texts = frozenset(texts)
        self.others = frozenset(others)
        self.values = frozenset(value for value in values if value.strip())

    def copied_in(self, text: str) -> bool:
        """Whether the text names an erased message, or repeats a good part of one."""
        said = words(text)
        joined = _joined(said)
        return (
            any(source in text and _whole(source, text) for source in self.sources)
            or any(phrase in joined for phrase in self._phrases)
            or any(run in self._runs for run in _runs(said))
        )

    def named_in(self, text: str) -> bool:
        """Whether the text names a value that was given in an erased message only."""
        joined = _joined(words(text))
        return any(value in (joined if value.startswith(" ") else text) for value in self._values)

    def left_in(self, text: str) -> bool:
        return self.named_in(text) or self.copied_in(text)

    @cached_property
    def _phrases(self) -> list[str]:
        phrases = [_joined(said) for text in self.texts if PHRASE <= len(said := words(text)) < RUN]
        others = [_joined(words(text)) for text in self.others] if phrases else []
        return [phrase for phrase in phrases if not any(phrase in other for other in others)]

    @cached_property
    def _runs(self) -> set[tuple[str, ...]]:
        runs = {run for text in self.texts for run in _runs(words(text))}
        return runs.difference(run for text in self.others for run in _runs(words(text)))

    @cached_property
    def _values(self) -> list[str]:
        """As words; a value that has none (a symbol) as it stands."""
        return [_joined(said) if (said := words(value)) else value for value in self.values]


def _joined(said: list[str]) -> str:
    return f" {' '.join(said)} "


def _runs(said: list[str]) -> Iterable[tuple[str, ...]]:
    return (tuple(said[i : i + RUN]) for i in range(len(said) - RUN + 1))


def _whole(name: str, text: str) -> bool:
    """Whether the name stands there as a whole, not as a part of another one."""
    return re.search(rf"(?<![\w~/-]){re.escape(name)}(?![\w~/-])", text) is not None
