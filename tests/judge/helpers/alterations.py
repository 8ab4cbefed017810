"""Records, and what else comes from others, as they might be after an accident or by somebody's will."""

import copy
import json
import random

FORGED = "FORGED"  # no line of a program may begin with it
ODD_TEXTS = (
    "",
    "\x1b[2J\x1b]0;title\x07",
    "\x9b31m",
    "[bold red]markup[/] :smile:",
    f"two\n{FORGED}",
    f"two\r{FORGED}",
    f"two\u2028{FORGED}\x85{FORGED}\x0b{FORGED}",
    "\u202edesrever\u202c \u2066\u2069 \u200b\ufeff",
    "\ud800 alone",
    "\x00",
    "\x7f\b\t",
    "{0} {side} %s \\",
    "四子棋 " * 40,
    "x" * 5000,
    "A " * 900,
    "../../../../etc/passwd",
    "2024-02-30T99:99:99",
    "9999-12-31T23:59:59.999+00:00",
    "A",
    "NORMAL",
)
# As they stand in a file: json.dumps would write most of them otherwise, or not at all.
ODD_VALUES = (
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1.5",
    "-0.0",
    "1e400",
    "-1e999",
    "NaN",
    "Infinity",
    "1e308",
    "9007199254740993",
    "9" * 63,
    "9" * 400,
    "9" * 5000,
    "[]",
    "{}",
    "[" * 150 + "]" * 150,
    "[" * 990 + "]" * 990,
    '{"a":' * 200 + "1" + "}" * 200,
    "[" * 100_000,
    "[" * 100_000 + "]" * 100_000,
    "[[1, 2], {}]",
    '{"value": {"value": []}}',
    '"\\ud800"',
    '"\\u001b[31m"',
    '"A"',
    '["A", "B"]',
)
MARK = "<odd value>"  # what stands for one until the text is made


def altered(line, chance):
    """A record's line (bytes with its newline), altered somehow by a random.Random; it may be anything afterwards."""
    return chance.choice((_bytes_altered, _json_altered, _json_altered, _same_kinds, _same_kinds))(line, chance)


def _bytes_altered(line, chance):
    """Bytes flipped, cut off, doubled or put in between."""
    data = bytearray(line)
    for _ in range(chance.choice((1, 1, 2, 20))):
        place = chance.randrange(len(data)) if data else 0
        kind = chance.randrange(5)
        if kind == 0 and data:
            data[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[place:]
        elif kind == 2:
            del data[place : place + chance.randrange(1, 30)]
        elif kind == 3:
            data[place:place] = chance.choice(
                (b"\x1b[31m", b"\0", b"\xff\xfe", b"\n", b'"', b"}", b"\xe2\x80\xae", b"9" * 400)
            )
        else:
            data[place:place] = data[place : place + chance.randrange(1, 200)]
    return bytes(data)


def _same_kinds(line, chance):
    """One to three entries with other values of the kinds that they have, so that much of it is still a record."""
    content = json.loads(line)
    for _ in range(chance.choice((1, 1, 2, 3))):
        holder, key = _entry(content, chance)
        if key is None:
            continue
        value = holder[key]
        if isinstance(value, str):
            holder[key] = chance.choice((*ODD_TEXTS, value[:-1], value * 2))
        elif isinstance(value, bool):
            holder[key] = not value
        elif isinstance(value, (int, float)):
            holder[key] = chance.choice((0, 1, -1, value + 1, value * 1000, 2**40, 10**30, 0.5, -0.25, 1e300))
        elif isinstance(value, list):
            holder[key] = chance.choice((value[1:], value[::-1], value * 2, value[: len(value) // 2], []))
        elif isinstance(value, dict):
            value[chance.choice(ODD_TEXTS)] = chance.choice(ODD_TEXTS)
        else:
            holder[key] = chance.choice((0, "", "A", {}, {"value": 1}))
    return json.dumps(content).encode() + b"\n"


def _json_altered(line, chance):
    """One to three entries of the object replaced, removed, exchanged or added, each at a random depth."""
    content = json.loads(line)
    values = []
    for _ in range(chance.choice((1, 1, 2, 3))):
        _alter_entry(content, chance, values)
    text = json.dumps(content)
    for value in values:
        text = text.replace(json.dumps(MARK), value, 1)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _entry(content, chance):
    """(an object or a list anywhere in the content, a key of it), None for the key where it is empty."""
    holder = content
    while True:
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        if not keys:
            return holder, None
        key = chance.choice(keys)
        if not isinstance(holder[key], (dict, list)) or not holder[key] or chance.random() < 0.3:
            return holder, key
        holder = holder[key]


def _alter_entry(content, chance, values):
    holder, key = _entry(content, chance)
    kind = chance.randrange(6)
    if kind == 0 and key is not None:
        del holder[key]
    elif kind == 1:
        _add(holder, chance.choice(ODD_TEXTS), MARK)
        values.append(chance.choice(ODD_VALUES))
    elif kind == 2 and key is not None:
        holder[key] = chance.choice(ODD_TEXTS)
    elif kind == 3 and key is not None:
        holder[key] = copy.deepcopy(chance.choice(list(content.values())))
    elif key is not None:
        holder[key] = MARK
        values.append(chance.choice(ODD_VALUES))


def _add(holder, name, value):
    if isinstance(holder, dict):
        holder[name] = value
    else:
        holder.append(value)


def faults_of(output):
    """What in a program's output (str) a terminal would obey, or a reader take for a line of the program's own."""
    found = {character for character in output if not character.isprintable() and character != "\n"}
    lines = [line for line in output.split("\n") if line.startswith(FORGED)]
    return sorted(found) + lines


def chance_of(number):
    """The random numbers of the alteration of this number."""
    return random.Random(number)
