"""Named tuples that are quick to define. Standard library only, Python 3.8 syntax.

A bot's start-up counts on its first move's clock, and collections.namedtuple, which compiles a function for every type,
takes 2 ms for the dozen types that a bot needs. `class Turn(ValueType):` is written like a typing.NamedTuple, and type
checkers treat it as one; its file has to import annotations from __future__. value_type() makes a type whose fields are
known only at run time.
"""

from __future__ import annotations

from _operator import itemgetter

__all__ = ["ValueType", "value_type"]

TYPE_CHECKING = False  # type checkers know the name; importing typing's would take time
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any
    from typing import NamedTuple as ValueType


def value_type(name: str, fields: str | Sequence[str], doc: str | None = None) -> Any:
    """Return a new subclass of tuple with named items and namedtuple's `_fields`, `_replace` and `_asdict`.

    fields: the names, in a sequence or separated by blanks in one text. doc: the docstring. Values of such a type
    cannot be pickled.
    """
    fields = tuple(fields.split() if isinstance(fields, str) else fields)
    count = len(fields)

    def new(cls: type[tuple[Any, ...]], *values: Any, **named: Any) -> tuple[Any, ...]:
        if named:
            values += tuple([named.pop(field) for field in fields[len(values) :] if field in named])
        if named or len(values) != count:
            raise TypeError(f"{name}: expected a value for each of {', '.join(fields)}")
        return tuple.__new__(cls, values)

    def replace(self: tuple[Any, ...], **changes: Any) -> tuple[Any, ...]:
        return type(self)(**dict(zip(fields, self), **changes))

    def asdict(self: tuple[Any, ...]) -> dict[str, Any]:
        return dict(zip(fields, self))

    def arguments(self: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(self)

    def shown(self: tuple[Any, ...]) -> str:
        items = ", ".join([f"{field}={value!r}" for field, value in zip(fields, self)])
        return f"{type(self).__name__}({items})"

    members: dict[str, Any] = {field: property(itemgetter(index)) for index, field in enumerate(fields)}
    members.update(
        __slots__=(),
        __doc__=doc,
        __new__=new,
        __repr__=shown,
        __getnewargs__=arguments,
        _fields=fields,
        _replace=replace,
        _asdict=asdict,
    )
    return type(name, (tuple,), members)


class _Fields(type):
    """The metaclass that makes a class statement define a value_type() with the annotated names and the docstring."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        others = [member for member in body if member[:2] != "__"]
        if others:
            raise TypeError("{}: expected fields without values, got {}".format(name, ", ".join(others)))
        return value_type(name, tuple(body.get("__annotations__", ())), body.get("__doc__"))


if not TYPE_CHECKING:
    ValueType = type.__new__(_Fields, "ValueType", (), {})
