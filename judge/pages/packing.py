"""Data inside a page: JSON, deflated (RFC 1950), in base64, which cannot end the element that it stands in."""

import base64
import json
import zlib
from typing import Any

LEVEL = 9  # of zlib: pages are written once


def packed(content: Any) -> str:
    """The content, of which JSON is made, as characters of base64."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), LEVEL)).decode("ascii")
