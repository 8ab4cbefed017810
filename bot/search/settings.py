"""The settings of a game's searches as one typed value, built from a table of fields. Standard library only."""

from protocol.value_types import value_type

_BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


class SettingsError(ValueError):
    """A setting does not exist, or cannot have the given value. The message says what is expected."""


Field = value_type("Field", "name default allowed meaning")
Field.__doc__ = "One setting. allowed: (lowest, highest) of a number, a tuple of a choice's words, None for a boolean."


def settings_type(fields):
    """Returns an immutable value type that has one attribute for each Field in `fields`.

    The type's method `with_values` makes changed copies of a value.
    """
    by_name = {field.name: field for field in fields}

    class SettingsBase(value_type("_SettingsTuple", list(by_name))):
        __slots__ = ()

        def with_values(self, assignments):
            """Returns a copy with the changes in `assignments`, which are texts KEY=VALUE.

            Raises SettingsError, which names the wrong key or the values that the key can have.
            """
            changes = {}
            for assignment in assignments:
                key, equals, text = assignment.partition("=")
                if not equals:
                    raise SettingsError(f"setting {assignment!r}: expected KEY=VALUE")
                if key not in by_name:
                    raise SettingsError(f"setting {key!r}: unknown; expected one of {', '.join(by_name)}")
                changes[key] = _parse(by_name[key], text)
            return self._replace(**changes)

    return SettingsBase


def _parse(field, text):
    """Convert `text` into a value of the setting `field`.

    Raises SettingsError if the setting cannot have that value.
    """
    if field.allowed is None:
        if text.lower() not in _BOOLEANS:
            raise SettingsError(f"setting {field.name}: expected true or false, got {text!r}")
        return _BOOLEANS[text.lower()]
    if isinstance(field.default, str):
        if text not in field.allowed:
            allowed = ", ".join(field.allowed)
            raise SettingsError(f"setting {field.name}: expected one of {allowed}, got {text!r}")
        return text
    kind = type(field.default)
    lowest, highest = field.allowed
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not lowest <= value <= highest:
        expected = "a whole number" if kind is int else "a number"
        raise SettingsError(f"setting {field.name}: expected {expected} from {lowest} to {highest}, got {text!r}")
    return value


def preset_of(presets, name, game):
    """Returns the settings of the preset `name`. `presets` is {name: settings} of the game named `game`.

    `name` may also be a preset's former name. Raises SettingsError, which lists the valid names, if there is no preset
    of this name.
    """
    if name in presets:
        return presets[name]
    from protocol.preset_names import new_name  # not on the start path

    if new_name(game, name) not in presets:
        raise SettingsError(f"preset {name!r}: unknown; expected one of {', '.join(sorted(presets))}")
    return presets[new_name(game, name)]
