"""Your own functions under the engine's rules: judged and recorded before they run, and reported when they end."""

from __future__ import annotations

import functools
import inspect
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, ParamSpec, TypeVar, overload

import anyio
import anyio.to_thread
from pydantic_core import PydanticSerializationError, to_jsonable_python

from .async_client import AsyncClient
from .client import Client
from .errors import AnswerHeaders, SvcError
from .flow import Flow
from .options import CallOptions
from .protocols.mat import BeginCallOutput

P = ParamSpec("P")
R = TypeVar("R")

_END_TIMEOUT_S = 10.0
_log = logging.getLogger("svc_sdk")


class Refused(SvcError):
    """A governed function was not run. Its text says which, why, and what to do; a model can read it as well."""

    tool: str
    """The function's name, as policies and the audit log call it."""

    @classmethod
    def of(cls, tool: str, error: SvcError) -> Refused:
        """The engine's refusal, or its failure to answer, of this function."""
        fields = {**error.to_json(), "message": f"{tool} was not run ({error.code}): {error.message}"}
        return _refused(tool, fields, error.headers)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_refused, (self.tool, self.to_json(), self.headers))


def _refused(tool: str, fields: dict[str, Any], headers: AnswerHeaders | None) -> Refused:
    refused = Refused(**fields, headers=headers)
    refused.tool = tool
    return refused


@overload
def govern(
    function: Callable[P, Coroutine[Any, Any, R]],
    *,
    client: Client | AsyncClient,
    name: str | None = None,
    wait_for_approval_s: float | None = None,
) -> Callable[P, Coroutine[Any, Any, R]]: ...


@overload
def govern(
    function: Callable[P, R],
    *,
    client: Client,
    name: str | None = None,
    wait_for_approval_s: float | None = None,
) -> Callable[P, R]: ...


@overload
def govern(
    function: Callable[P, R],
    *,
    client: AsyncClient,
    name: str | None = None,
    wait_for_approval_s: float | None = None,
) -> Callable[P, Coroutine[Any, Any, R]]: ...


def govern(
    function: Callable[..., Any],
    *,
    client: Client | AsyncClient,
    name: str | None = None,
    wait_for_approval_s: float | None = None,
) -> Callable[..., Any]:
    """The same function, which asks the engine before each run, and reports how it ended.

    Every rule applies as to any call: capability, budget, policies over its name and arguments, approvals. Where one
    refuses, or the engine does not answer, `Refused` is raised and the function does not run. Its own errors are
    reported as `tool_error` and raised. With an `AsyncClient` the result is to be awaited, whatever the function is.

    The arguments, with their defaults, are sent to the engine, so they must be JSON, models, dates or the like.
    """
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError("govern takes functions that return; this one yields.")
    tool = name or getattr(function, "__name__", "")
    if not tool or tool == "<lambda>":
        raise TypeError("This function has no name for policies and the audit log; pass govern a name.")
    signature = inspect.signature(function)
    governor = Governor(client, wait_for_approval_s)

    @functools.wraps(function)
    def governed(*args: Any, **kwargs: Any) -> Any:
        arguments = arguments_of(signature, args, kwargs)
        return governor.run(tool, arguments, functools.partial(function, *args, **kwargs))

    @functools.wraps(function)
    async def governed_async(*args: Any, **kwargs: Any) -> Any:
        arguments = arguments_of(signature, args, kwargs)
        run = functools.partial(function, *args, **kwargs)
        if is_async(function):
            return await governor.run_async(tool, arguments, run)
        return await governor.run_async(tool, arguments, lambda: anyio.to_thread.run_sync(run))

    return governed_async if is_async(function) or isinstance(client, AsyncClient) else governed


def is_async(function: Callable[..., Any]) -> bool:
    """Also of objects that can be called."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004
    )


def arguments_of(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """By name, with defaults: a policy must see what the function gets."""
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    arguments = dict(bound.arguments)
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            more = arguments.pop(parameter.name)
            # Of two values with one name a policy would see only one.
            if twice := sorted(more.keys() & arguments.keys()):
                raise TypeError(f"{twice[0]} is given twice, and both cannot be judged; rename one")
            arguments.update(more)
    return arguments


class Governor:
    """Begins and ends the runs of functions, for `govern` and for the frameworks."""

    def __init__(self, client: Client | AsyncClient, wait_for_approval_s: float | None) -> None:
        self._client = client
        self._options = approval_options(wait_for_approval_s)

    def run(self, tool: str, arguments: Mapping[str, Any], function: Callable[[], R]) -> R:
        client = self._client
        if not isinstance(client, Client):
            raise TypeError(f"{tool} was called without await; await it, or govern it with a Client.")
        call_id = client._run(self._begin(tool, arguments))
        started, outcome = time.monotonic(), "tool_error"
        try:
            value = function()
            outcome = "ok"
            return value
        except TimeoutError:
            outcome = "timeout"
            raise
        finally:
            client._run(self._end(call_id, outcome, started))

    async def run_async(
        self, tool: str, arguments: Mapping[str, Any], function: Callable[[], Awaitable[R]]
    ) -> R:
        call_id = await run_flow(self._client, self._begin(tool, arguments))
        started, outcome = time.monotonic(), "tool_error"
        try:
            value = await function()
            outcome = "ok"
            return value
        except (TimeoutError, anyio.get_cancelled_exc_class()):
            outcome = "timeout"
            raise
        finally:
            # Reported also when its task is cancelled.
            with anyio.CancelScope(shield=True):
                await run_flow(self._client, self._end(call_id, outcome, started))

    def _begin(self, tool: str, arguments: Mapping[str, Any]) -> Flow[str]:
        try:
            content = {"tool": tool, "arguments": _plain(arguments)}
            # A key of its own: with the client's, one answer would serve all runs, and only the first would be judged.
            options: CallOptions = {**self._options, "idempotency_key": str(uuid.uuid4())}
            answer = yield from self._client._calls.dispatch(
                "MAT", "begin_call", content, options, BeginCallOutput
            )
            return answer.output.call_id
        except SvcError as error:
            raise Refused.of(tool, error) from error

    def _end(self, call_id: str, outcome: str, started: float) -> Flow[None]:
        latency_ms = int((time.monotonic() - started) * 1000)
        content = {"call_id": call_id, "outcome": outcome, "latency_ms": latency_ms}
        options: CallOptions = {"timeout_s": _END_TIMEOUT_S, "idempotency_key": f"end-{call_id}"}
        try:
            yield from self._client._calls.dispatch("MAT", "end_call", content, options)
        except SvcError as error:
            # It has run. Raising would lose its result, and whoever then repeats it would do it twice.
            _log.warning("The end of a governed function could not be reported (call %s): %s", call_id, error)


def approval_options(wait_for_approval_s: float | None) -> CallOptions:
    """None: as the client does."""
    return {} if wait_for_approval_s is None else {"wait_for_approval_s": wait_for_approval_s}


async def run_flow(client: Client | AsyncClient, flow: Flow[R]) -> R:
    """With either client; the sync one works in a thread."""
    if isinstance(client, AsyncClient):
        return await client._run(flow)
    return await anyio.to_thread.run_sync(client._run, flow, abandon_on_cancel=True)


def _plain(arguments: Mapping[str, Any]) -> Any:
    try:
        return to_jsonable_python(arguments, by_alias=True)
    except (PydanticSerializationError, ValueError) as why:
        message = f"its arguments cannot be written as JSON ({why}); pass only such values to it."
        raise SvcError("invalid_payload", message, reason="not JSON") from why
