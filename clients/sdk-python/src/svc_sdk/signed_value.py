"""Values that somebody signed: taken as a whole or not at all, so unknown fields and null are rejected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator
from typing_extensions import Self


class SignedValue(BaseModel):
    """Types are not converted: a signature covers what is written."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _reject_null(cls, value: Any) -> Any:
        # An absent field is never written as null, and a signature over null would be another one.
        if isinstance(value, Mapping) and any(member is None for member in value.values()):
            raise ValueError("a field is null")
        return value

    @classmethod
    def read(cls, value: Any) -> Self:
        """From parsed JSON; raises pydantic's ValidationError."""
        return cls.model_validate(value)

    def to_json(self) -> dict[str, Any]:
        """As on the wire."""
        return self.model_dump(exclude_none=True)

    def without_signature(self) -> dict[str, Any]:
        """The signed content."""
        return {name: value for name, value in self.to_json().items() if name != "signature"}
