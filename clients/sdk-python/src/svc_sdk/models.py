"""The bases of the models of inputs and outputs."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer


class Input(BaseModel):
    """Written by callers: an unknown field is a typing error, which the engine would refuse as well."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        defer_build=True,
        protected_namespaces=(),
        # Inputs may hold secrets, and errors end up in logs.
        hide_input_in_errors=True,
    )

    # Wire names of fields in which null is a value of its own. Elsewhere None means that the field is absent.
    null_fields: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _leave_out_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = handler(self)
        return {
            name: value for name, value in fields.items() if value is not None or name in self.null_fields
        }

    def to_json(self) -> dict[str, Any]:
        """As on the wire."""
        return self.model_dump(mode="json", by_alias=True)


class Output(BaseModel):
    """Written by the engine: a newer one may add fields, which an older client ignores."""

    model_config = ConfigDict(
        extra="ignore", populate_by_name=True, defer_build=True, protected_namespaces=()
    )

    def to_json(self) -> dict[str, Any]:
        """As on the wire, without what this version does not know."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class SecretOutput(Output):
    """Only its caller may know it, so it is not printed."""

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        return []
