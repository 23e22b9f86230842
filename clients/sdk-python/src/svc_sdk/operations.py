"""The operations of one protocol as methods: the bases of what is derived from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pydantic import ValidationError

from .errors import SvcError
from .models import Input, Output

if TYPE_CHECKING:
    from .async_client import AsyncClient
    from .client import Client

OutputT = TypeVar("OutputT", bound=Output)


class Operations:
    """Methods return only the output; `Client.dispatch` returns it with the service's metadata."""

    protocol: ClassVar[str]

    def __init__(self, client: Client) -> None:
        self._client = client

    def _call(
        self, operation: str, model: type[Input], output: type[OutputT], fields: dict[str, Any]
    ) -> OutputT:
        content = content_of(self.protocol, operation, model, fields)
        return self._client.dispatch(self.protocol, operation, content, output=output).output


class AsyncOperations:
    """Methods return only the output; `AsyncClient.dispatch` returns it with the service's metadata."""

    protocol: ClassVar[str]

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def _call(
        self, operation: str, model: type[Input], output: type[OutputT], fields: dict[str, Any]
    ) -> OutputT:
        content = content_of(self.protocol, operation, model, fields)
        return (await self._client.dispatch(self.protocol, operation, content, output=output)).output


def content_of(protocol: str, operation: str, model: type[Input], fields: Mapping[str, Any]) -> Input:
    """Checked before it is sent."""
    try:
        # None is an absent argument; where it is a value, the argument is required.
        return model(
            **{
                name: value
                for name, value in fields.items()
                if value is not None or name in model.null_fields
            }
        )
    except ValidationError as error:
        faults = [{"path": list(each["loc"]), "fault": each["msg"]} for each in error.errors()[:8]]
        first = ".".join(map(str, faults[0]["path"]))
        message = (
            f"The input of {protocol} {operation} is not as its schema says: {first}: {faults[0]['fault']}."
        )
        details = {"errors": faults}
        raise SvcError(
            "invalid_payload", message, reason="not as the schema says", details=details
        ) from error
