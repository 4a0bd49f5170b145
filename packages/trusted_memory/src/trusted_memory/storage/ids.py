"""Ids as they are stored: whatever somebody calls himself or his messages, no id can be part of another (F6)."""

import hashlib
import re
import unicodedata
from functools import lru_cache
from urllib.parse import quote, unquote

from trusted_memory.facts.words import Subject

# An index row of PostgreSQL holds 2,704 bytes: a subject, a slot (200 characters and the attribute) and a source.
LONGEST_SUBJECT = 1300
LONGEST_SOURCE = 400
_HASHED = re.compile(r"sha256:[0-9a-f]{64}")


@lru_cache(maxsize=1024)  # a commit asks six times
def subject_id(subject: Subject) -> str:
    """`tenant.user`, each percent-encoded where it isn't a plain letter, digit or symbol, and free of dots."""
    sid = f"{_label(subject.tenant)}.{_label(subject.user)}"
    if (size := len(sid.encode())) > LONGEST_SUBJECT:
        raise ValueError(
            f"tenant and user take {size} bytes as they are stored; {LONGEST_SUBJECT} is the most. "
            "Have the authentication give shorter ids."
        )
    return sid


def subject_of(sid: str) -> Subject:
    """The subject of a subject id."""
    tenant, user = (unquote(label, errors="surrogatepass") for label in sid.split("."))
    return Subject(tenant, user)


def _label(text: str) -> str:
    return "".join(c if _plain(c) else quote(c, safe="", errors="surrogatepass") for c in text).replace(".", "%2E")


def _plain(c: str) -> bool:
    """Letters, digits and symbols of other scripts stay: encoded, 300 emoji would not fit into an index."""
    return not c.isascii() and unicodedata.category(c)[0] not in "CZ"


def source_id(text: str) -> str:
    """The id of a message as it is, or its hash where PostgreSQL can't hold it: NUL, lone surrogates, great length.

    What is a hash already stays what it is, so that stored ids can be passed in again.
    """
    if (text.isascii() and "\x00" not in text and len(text) <= LONGEST_SOURCE) or _HASHED.fullmatch(text):
        return text
    storable = "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in text)
    if storable and len(text.encode()) <= LONGEST_SOURCE:
        return text
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
