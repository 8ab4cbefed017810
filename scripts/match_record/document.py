"""The JSON object that a downloaded file begins with, whatever follows it."""

import json


class DocumentError(Exception):
    """The text holds no JSON object; str() says what it holds instead."""


def object_in(data):
    """Return (object, bytes that follow it) of a file's bytes.

    Any Unicode encoding will do, as some shells write downloads in UTF-16. Raises DocumentError.
    """
    if not data.strip():
        raise DocumentError("expected a JSON object, got an empty file")
    encoding = json.detect_encoding(data)
    text = data.decode(encoding, "replace")
    content, end = _leading_object(text)
    return content, len(text[end:].strip().encode("utf-8", "replace"))


def object_of(text):
    """Return the object that a text within the file stands for. Raises DocumentError."""
    return _leading_object(text)[0]


def _leading_object(text):
    start = len(text) - len(text.lstrip())
    try:
        content, end = json.JSONDecoder().raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise DocumentError(f"expected a JSON object, got no JSON: {error}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets nested as deep
        raise DocumentError(f"expected a JSON object, got JSON that cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise DocumentError(f"expected a JSON object, got {describe(content)}")
    return content, end


def describe(value):
    """A JSON value in a few words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return json.dumps(value[:40]) + ("..." if len(value) > 40 else "")
    return json.dumps(value)[:40]
