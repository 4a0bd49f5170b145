"""Attributes declared by a pydantic model: the types say what can be a value, `Remember` says the rest."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, EmailStr, TypeAdapter
from pydantic.fields import FieldInfo

from trusted_memory.facts.kinds import Kind, KindName
from trusted_memory.facts.schema import Attribute, Schema, schema, text
from trusted_memory.facts.values import READ, SHOWN, Phone, TimeRange, option, squeezed

Read = Callable[[str], str | None]

_KINDS: Mapping[Any, KindName] = {
    bool: "yes_no", int: "number", float: "number", Decimal: "number", date: "date", TimeRange: "times",
    EmailStr: "email", str: "text",
}  # fmt: skip
_BOUNDS = {"ge": "least", "le": "most", "gt": "above", "lt": "below", "multiple_of": "step"}


@dataclass(frozen=True, slots=True)
class Remember:
    """What a type can't say about an attribute; stands in the field's `Annotated[...]`.

    `authority`, `within_origin`, `between_origins`, `cues`, `look_twice` and `same` are those of an `Attribute`.
    `examples` are values, and have to be readable; those of options are the options. `options` tells what an option
    means where its name doesn't. `valid_for` is how long a value holds that is said without an end; None is for good.
    """

    description: str
    authority: tuple[tuple[str, ...], ...] = (("user",),)
    within_origin: Literal["latest", "ask"] = "latest"
    between_origins: Literal["latest", "conflict"] = "latest"
    cues: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    look_twice: bool = False
    same: str = ""
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    valid_for: timedelta | None = None


def schema_of(model: type[BaseModel]) -> Schema:
    """The attributes that the fields of a model declare, by name.

    `list[...]` holds many values; `| None` and defaults mean nothing here, since nothing has to be known. Raises
    TypeError or ValueError, with the names of model and field, for what can't be remembered as declared.
    """
    own = model.__pydantic_decorators__
    if own.field_validators or own.model_validators:
        raise TypeError(f"{model.__name__}: its validators would not be asked; use Annotated[..., AfterValidator(f)]")
    return schema(_attribute(f"{model.__name__}.{name}", name, info) for name, info in model.model_fields.items())


def _attribute(where: str, name: str, info: FieldInfo) -> Attribute:
    parts = list(_parts(info.rebuild_annotation()))
    told = {note for _, notes in parts for note in notes if isinstance(note, Remember)}
    if len(told) != 1:
        raise TypeError(f"{where} needs one Remember(...): Annotated[its type, Remember('what it is')]")
    remember = told.pop()
    many = any(get_origin(kind) is list for kind, _ in parts)
    if many:
        [(whole, notes), *others] = parts
        if others or len(notes) > 1:
            raise TypeError(f"{where}: a list can't be in a union or have bounds; its items can: list[X | Y]")
        parts = list(_parts(get_args(whole)[0]))
    kinds = [_with_meanings(_kind(where, of, notes), remember.options) for of, notes in parts]
    _check(where, kinds, remember)
    readers = tuple(_reader(kind, of, notes) for kind, (of, notes) in zip(kinds, parts, strict=True))
    attribute = Attribute(
        name, remember.description, remember.authority, many, remember.within_origin, remember.between_origins,
        partial(_canonical, readers), remember.cues,
        remember.examples or tuple(option for kind in kinds for option, _ in kind.options), remember.valid_for,
        kinds[0] if len(kinds) == 1 else Kind("union", either=tuple(kinds)), remember.look_twice, remember.same,
    )  # fmt: skip
    if unreadable := [example for example in attribute.examples if attribute.read(example) is None]:
        raise ValueError(f"{where}: no {attribute.form}: {', '.join(map(repr, unreadable))}")
    return attribute


def _parts(annotation: Any) -> Iterator[tuple[Any, list[Any]]]:
    """The members of a type, without None, each with all that annotates it."""
    if get_origin(annotation) is Annotated:
        inner, *notes = get_args(annotation)
        for member, own in _parts(inner):
            yield member, [*own, *notes]
    elif get_origin(annotation) in (Union, UnionType):
        for member in get_args(annotation):
            yield from _parts(member)
    elif annotation is not NoneType:
        yield annotation, []


def _kind(where: str, of: Any, notes: list[Any]) -> Kind:
    names: tuple[Any, ...] = get_args(of) if get_origin(of) is Literal else ()
    name = _name(of, names)
    if name is None:
        raise TypeError(
            f"{where}: {of} can't be remembered; what can: Literal of texts, bool, int, float, Decimal, date,"
            " TimeRange, EmailStr, Phone, str, a union of these, and a list of these"
        )
    if len({squeezed(name) for name in names} - {""}) < len(names):
        raise ValueError(f"{where}: two options can't be told apart (case, spaces, '_' and '-' don't count)")
    bounds = _bounds(notes)
    if bounds and name not in ("number", "date"):
        raise TypeError(f"{where}: only numbers and dates have bounds; in a union, annotate the number alone")
    if name == "number":
        bounds = {side: Decimal(str(value)) for side, value in bounds.items()}
        bounds |= {"step": bounds.get("step", Decimal(1))} if of is int else {}
    return Kind(name, tuple((name, "") for name in names), **bounds)


def _name(of: Any, names: tuple[Any, ...]) -> KindName | None:
    if names:
        return "option" if all(isinstance(name, str) for name in names) else None
    return "phone" if isinstance(of, type) and issubclass(of, Phone) else _KINDS.get(of)


def _bounds(notes: list[Any]) -> dict[str, Any]:
    """What pydantic's Field, or annotated_types alone, say of bounds, in the words of Kind."""
    flat = [bound for note in notes for bound in (note.metadata if isinstance(note, FieldInfo) else [note])]
    said = [(ours, getattr(bound, theirs, None)) for bound in flat for theirs, ours in _BOUNDS.items()]
    return {ours: value for ours, value in said if value is not None}


def _with_meanings(kind: Kind, meanings: Mapping[str, str]) -> Kind:
    return replace(kind, options=tuple((name, meanings.get(name, "")) for name, _ in kind.options))


def _check(where: str, kinds: list[Kind], remember: Remember) -> None:
    if unknown := remember.options.keys() - {name for kind in kinds for name, _ in kind.options}:
        raise ValueError(f"{where}: Remember(options=...) explains {sorted(unknown)}, which are no options")
    if remember.same and {kind.name for kind in kinds} != {"text"}:
        raise ValueError(f"{where}: Remember(same=...) is for free text; values of other types are compared as such")
    if any(kind.name == "text" for kind in kinds[:-1]):
        raise ValueError(f"{where}: str reads whatever comes, so in a union it has to be the last")


def _reader(kind: Kind, of: Any, notes: list[Any]) -> Read:
    annotated: Any = Annotated
    adapter: TypeAdapter[Any] = TypeAdapter(annotated[of, *notes] if notes else of)
    names = {squeezed(name): name for name, _ in kind.options}
    look = partial(option, names=names) if names else READ.get(kind.name, str)
    shown = SHOWN.get(kind.name, str)

    def read(said: str) -> str | None:
        try:
            value = look(said)
            return None if value is None else shown(adapter.validate_python(value))
        except ValueError:  # pydantic's errors are some
            return None

    return read


def _canonical(readers: tuple[Read, ...], value: str) -> str | None:
    """As the first member of the union reads it that can."""
    said = text(value)
    return next((shown for read in readers if (shown := read(said)) is not None), None) if said else None
