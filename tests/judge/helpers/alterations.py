"""Records, and what else comes from others, as they might be after an accident or by somebody's will."""

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
    return chance.choice((_bytes_altered, _json_altered, _json_altered, _json_altered))(line, chance)


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


def _alter_entry(content, chance, values):
    holder = content
    while True:
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        key = chance.choice(list(keys)) if keys else None
        inner = holder[key] if keys else None
        if not isinstance(inner, (dict, list)) or not inner or chance.random() < 0.3:
            break
        holder = inner
    kind = chance.randrange(6)
    if kind == 0 and keys:
        del holder[key]
    elif kind == 1:
        _add(holder, chance.choice(ODD_TEXTS), MARK)
        values.append(chance.choice(ODD_VALUES))
    elif kind == 2 and keys:
        holder[key] = chance.choice(ODD_TEXTS)
    elif kind == 3 and keys:
        holder[key] = content[chance.choice(list(content))] if content else None
        json.dumps(content) if holder[key] is not content else None
    elif keys:
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
