"""Strings of the judge's sources that people may read on a terminal, without a mark for the catalogs."""

import ast
import re

MARKS = {"_", "marked", "recorded"}
# Calls whose arguments people read: whatever has a word in it there is a message.
SPEAKING = {"print", "error", "exit", "input", "add_column", "add_row", "empty_table", "_table", "Table", "Text"}
SPEAKING_KEYWORDS = {"help", "description", "epilog", "title"}
# Said in every language: the field's abbreviations; and rich's styles are no words.
SAME_EVERYWHERE = re.compile(r"\b(n?Elo|LOS|LLR|H[01])\b|^ ?(bold|dim|on|red|green)\b.*")
WORD = re.compile(r"(?<![\w<{.])[A-Za-z]{2,}(?![\w.}>=])")
TWO_WORDS = re.compile(r"[A-Za-z]{2,}[,;:]? [A-Za-z{]|[}] [a-z]{2,}\b|[a-z]{2,}: ?{")
FIELD = "{}"


def unmarked(source):
    """(line, text) of each string that looks like a message and has no mark; fields of f-strings are {}."""
    tree = ast.parse(source)
    skipped = {id(node) for node in _never_read(tree)}
    speaking = {id(node) for call in ast.walk(tree) if isinstance(call, ast.Call) for node in _spoken(call)}
    speaking |= {id(node) for raised in ast.walk(tree) if isinstance(raised, ast.Raise) for node in _raised(raised)}
    found = []
    for node, is_marked in _strings(tree, skipped):
        text = text_of(node)
        pattern = WORD if id(node) in speaking else TWO_WORDS
        if not is_marked and pattern.search(SAME_EVERYWHERE.sub("", text)):
            found.append((node.lineno, text))
    return found


def text_of(node):
    """The text of a string constant, or of an f-string with its fields as {}."""
    if isinstance(node, ast.Constant):
        return node.value
    return "".join(part.value if isinstance(part, ast.Constant) else FIELD for part in node.values)


def wrong_marks(source):
    """(line, name) of each mark that does not stand around a text as it is in the source."""
    return [
        (node.lineno, node.func.id)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS
        if isinstance(node.args[0], (ast.JoinedStr, ast.BinOp)) or (node.func.id != "_" and not _is_text(node.args[0]))
    ]


def _strings(tree, skipped):
    """(string node, whether it has a mark) of a tree, without those skipped; an f-string is one."""
    waiting = [(tree, False)]
    while waiting:
        node, is_marked = waiting.pop()
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr) or _is_text(node):
            yield node, is_marked
        if isinstance(node, ast.JoinedStr):
            # Its constants are seen with it; what is put into its fields is looked at for itself.
            waiting += [(part.value, False) for part in node.values if isinstance(part, ast.FormattedValue)]
            continue
        marks = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS
        waiting += [(child, marks) for child in ast.iter_child_nodes(node)]


def _is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _never_read(tree):
    """Docstrings and other strings that stand by themselves, annotations, and __all__."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                yield getattr(node, name)


def _spoken(call):
    """The strings that a call says."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    arguments = call.args if name in SPEAKING else []
    arguments = [*arguments, *(keyword.value for keyword in call.keywords if keyword.arg in SPEAKING_KEYWORDS)]
    for argument in arguments:
        yield from _parts(argument)


def _raised(node):
    if isinstance(node.exc, ast.Call):
        for argument in node.exc.args:
            yield from _parts(argument)


def _parts(node):
    """An argument, and the texts of which it is put together."""
    if isinstance(node, ast.JoinedStr) or _is_text(node):
        yield node
    elif isinstance(node, ast.BinOp):
        yield from _parts(node.left)
        yield from _parts(node.right)
    elif isinstance(node, ast.IfExp):
        yield from _parts(node.body)
        yield from _parts(node.orelse)
