"""Named tuples that cost nothing to define. Standard library only, Python 3.8 syntax.

A bot's start-up is on its first move's clock, and collections.namedtuple, which compiles a function for every type,
takes 2 ms of it for the dozen types that a bot needs.
"""

from _operator import itemgetter


def value_type(name, fields, doc=None):
    """A tuple subclass whose items have names, with namedtuple's `_fields`, `_replace` and `_asdict`; not pickled.

    fields: the names, in a sequence or in one text with blanks.
    """
    fields = tuple(fields.split() if isinstance(fields, str) else fields)
    count = len(fields)

    def new(cls, *values, **named):
        if named:
            values += tuple([named.pop(field) for field in fields[len(values) :] if field in named])
        if named or len(values) != count:
            raise TypeError(f"{name}: expected a value for each of {', '.join(fields)}")
        return tuple.__new__(cls, values)

    def replace(self, **changes):
        return type(self)(**dict(zip(fields, self), **changes))

    def asdict(self):
        return dict(zip(fields, self))

    def arguments(self):
        return tuple(self)

    def shown(self):
        items = ", ".join([f"{field}={value!r}" for field, value in zip(fields, self)])
        return f"{type(self).__name__}({items})"

    members = {field: property(itemgetter(index)) for index, field in enumerate(fields)}
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
