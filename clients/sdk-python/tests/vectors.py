"""The cases that every implementation runs; they stay where they are, in checks/vectors of the repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parents[3] / "checks" / "vectors" / "vectors.json"
_ALL: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))


def cases(section: str) -> list[Any]:
    """The cases of a section; a dot leads into it. None may be empty, or nothing would be checked."""
    value: Any = _ALL
    for name in section.split("."):
        value = value[name]
    assert isinstance(value, list) and value
    return value
