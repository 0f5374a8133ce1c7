"""The fields that a type asks for: a Struct, a dataclass, a TypedDict, an attrs class."""

from typing import Any, Final

import msgspec
from msgspec import inspect
from returns.result import Failure, Result, Success

from webseam.ports.data import DataField, DataSchema, FieldKind, Money
from webseam.ports.errors import InvalidQuery, WebError

from .vocabulary import LABELS, LABELS_OF, METAS, PATHS, ROLES

MAX_FIELDS: Final = 100
_MAX_DEPTH: Final = 4
_HOLDERS: Final = (
    inspect.StructType,
    inspect.DataclassType,
    inspect.TypedDictType,
    inspect.NamedTupleType,
)
_KNOWN_TYPES: Final = (
    "there are str, int, float, Decimal, timedelta, date, datetime, Money, Literal, Enum, lists "
    "of them, and Structs"
)


class Asks(msgspec.Struct, frozen=True, kw_only=True):
    """What a field says about itself, in place of what its name says."""

    paths: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    unseen: bool = False


def asks(
    path: str = "", *, labels: str | tuple[str, ...] = (), unseen: bool = False
) -> msgspec.Meta:
    """Annotate a field with its place and its labels.

    Write ``Annotated[str, asks("offers.sku", labels="item no")]``.

    ``path`` are places in schema.org's vocabulary, the best first, with blanks between them.
    ``labels`` stand beside the value on pages. ``unseen`` accepts a value that no visitor sees.
    """
    names = (labels,) if isinstance(labels, str) else tuple(labels)
    lowered = tuple(name.casefold() for name in names if name.strip())
    said = Asks(paths=tuple(path.split()), labels=lowered, unseen=unseen)
    return msgspec.Meta(extra={"webseam": said})


def make_field(
    name: str,
    kind: FieldKind,
    *,
    said: Asks = Asks(),  # noqa: B008  it is frozen
    prefix: str = "",
    many: bool = False,
    required: bool = True,
    whole: bool = False,
    choices: tuple[str, ...] = (),
) -> DataField:
    """Return a field: its name says what is not said; ``prefix`` is the path of its holder."""
    paths = said.paths or tuple(PATHS.get(name, camel_case(name)).split())
    role = ROLES.get(paths[0], "plain")
    if prefix:
        paths = tuple(f"{prefix}.{path}" for path in paths)
        # The name of a place or of an author is no heading of the page.
        if role == "heading":
            role = ROLES.get(prefix.rpartition(".")[2], "plain")
    stems = LABELS.get(LABELS_OF.get(name, name), name.replace("_", " ")).split(
        None if name in LABELS or name in LABELS_OF else "\n"
    )
    return DataField(
        name=name,
        kind=kind,
        role="plain" if kind not in {"text", "number"} else role,
        many=many,
        paths=paths,
        metas=() if prefix or said.paths else tuple(METAS.get(name, "").split()),
        labels=said.labels or tuple(stems),
        choices=choices,
        unseen=said.unseen,
        required=required,
        whole=whole,
    )


def nested_path(path: str, name: str, said: Asks) -> str:
    """Return the place of a nested object; a name of ours stands for one on the first level."""
    if path:
        return f"{path}.{said.paths[0] if said.paths else camel_case(name)}"
    return (said.paths or tuple(PATHS.get(name, camel_case(name)).split()))[0]


def camel_case(name: str) -> str:
    """Return a name as schema.org spells it.

    >>> camel_case("start_date")
    'startDate'
    """
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def read_schema(wanted: object) -> Result[DataSchema, WebError]:
    """Return the fields of a type, or name the one that cannot be proved."""
    try:
        node = inspect.type_info(wanted)
    except (TypeError, NameError) as error:
        return Failure(InvalidQuery(field="type", reason=f"cannot be read: {error}"))
    fields: list[DataField] = []
    problem = _read_fields(node, "", "", 0, required=True, fields=fields)
    if problem is not None:
        return Failure(problem)
    name = getattr(wanted, "__name__", "")
    return Success(DataSchema(thing=name.lower(), fields=tuple(fields)))


def _read_fields(
    node: inspect.Type,
    name: str,
    path: str,
    depth: int,
    *,
    required: bool,
    fields: list[DataField],
) -> InvalidQuery | None:
    """Add the fields of a type, or return why it cannot be proved."""
    if not isinstance(node, _HOLDERS) or depth > _MAX_DEPTH or len(fields) > MAX_FIELDS:
        return InvalidQuery(field=name or "type", reason="must be a Struct or the like")
    for part in node.fields:
        full = f"{name}.{part.name}" if name else part.name
        said, bare = _unwrap(part.type)
        many = isinstance(bare, inspect.ListType | inspect.VarTupleType)
        if isinstance(bare, inspect.ListType | inspect.VarTupleType):
            inner, bare = _unwrap(bare.item_type)
            said = inner if said == Asks() else said
        is_required = required and part.required
        if isinstance(bare, _HOLDERS) and not _is_money(bare):
            if many:
                return InvalidQuery(field=full, reason="lists of Structs cannot be proved")
            whole_path = nested_path(path, part.name, said)
            problem = _read_fields(
                bare, full, whole_path, depth + 1, required=is_required, fields=fields
            )
            if problem is not None:
                return problem
            continue
        kind = _kind(bare)
        if kind is None:
            reason = f"has the type {_type_name(bare)}, which cannot be proved; {_KNOWN_TYPES}"
            return InvalidQuery(field=full, reason=reason)
        choices: tuple[str, ...] = ()
        if isinstance(bare, inspect.LiteralType):
            choices = tuple(map(str, bare.values))
        elif isinstance(bare, inspect.EnumType):
            choices = tuple(str(member.value) for member in bare.cls)
        field = make_field(
            part.name,
            kind,
            said=said,
            prefix=path,
            many=many,
            required=is_required,
            whole=isinstance(bare, inspect.IntType),
            choices=choices,
        )
        fields.append(msgspec.structs.replace(field, name=full))
    return None


def _is_money(node: inspect.Type) -> bool:
    return isinstance(node, inspect.StructType) and node.cls is Money


def _kind(node: inspect.Type) -> FieldKind | None:
    if _is_money(node):
        return "money"
    match node:
        case inspect.StrType():
            return "text"
        case inspect.IntType() | inspect.FloatType() | inspect.DecimalType():
            return "number"
        case inspect.TimeDeltaType():
            return "duration"
        case inspect.DateType():
            return "day"
        case inspect.DateTimeType():
            return "moment"
        case inspect.LiteralType() | inspect.EnumType():
            return "choice"
    return None


def _unwrap(node: inspect.Type) -> tuple[Asks, inspect.Type]:
    """Return a type without its annotations and without None, and what they say."""
    said = Asks()
    for _ in range(_MAX_DEPTH):
        if isinstance(node, inspect.Metadata):
            extra = (node.extra or {}).get("webseam")
            said = extra if isinstance(extra, Asks) else said
            node = node.type
        elif isinstance(node, inspect.UnionType):
            parts = [part for part in node.types if not isinstance(part, inspect.NoneType)]
            if len(parts) != 1:
                break
            node = parts[0]
    return said, node


def _type_name(node: inspect.Type) -> str:
    return type(node).__name__.removesuffix("Type").lower()


Plain = dict[str, Any]


def nest_values(values: Plain) -> Plain:
    """Return the values of dotted names as nested objects.

    >>> nest_values({"title": "a", "venue.name": "b"})
    {'title': 'a', 'venue': {'name': 'b'}}
    """
    nested: Plain = {}
    for name, value in values.items():
        holder = nested
        *outer, last = name.split(".")
        for part in outer:
            holder = holder.setdefault(part, {})
        holder[last] = value
    return nested
