"""OpenAI Agents SDK: your tools under the engine's rules, and the engine's operations as tools.

Needs the extra: `pip install "svc-sdk[openai-agents]"`.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from anyio.to_thread import run_sync

try:
    from agents import FunctionTool, RunContextWrapper, Tool, function_tool
    from agents.tool_context import ToolContext
except ModuleNotFoundError as missing:
    message = f'{missing.name} is not installed; run: pip install "svc-sdk[openai-agents]"'
    raise ModuleNotFoundError(message, name=missing.name) from missing

from .async_client import AsyncClient
from .client import Client
from .governed import Governor, Refused, approval_options, arguments_of, is_async, run_flow
from .operation_tools import OperationTool, operation_tools
from .options import CallOptions


def govern_tools(
    tools: Sequence[Tool], client: Client | AsyncClient, *, wait_for_approval_s: float | None = None
) -> list[Tool]:
    """The same tools, which ask the engine before each run, and report how it ended.

    Name, description and schema stay. A refusal becomes the tool's output, so that the model can explain itself.
    Only tools that run in this process can be governed: others are a TypeError.
    """
    governor = Governor(client, wait_for_approval_s)
    return [_governed(tool, governor) for tool in tools]


def svc_tools(
    client: Client | AsyncClient, operations: Sequence[str], *, wait_for_approval_s: float | None = None
) -> list[Tool]:
    """Operations of the engine, such as `MIND.store_memory`, as tools. A refusal becomes the tool's output."""
    options = approval_options(wait_for_approval_s)
    return [_operation_tool(client, operation, options) for operation in operation_tools(operations)]


def _operation_tool(
    client: Client | AsyncClient, operation: OperationTool, options: CallOptions
) -> FunctionTool:
    async def invoke(context: ToolContext[Any], text: str) -> str:
        return await run_flow(client, operation.call(client._calls, _object_of(text), options))

    return FunctionTool(
        name=operation.name,
        description=operation.description,
        params_json_schema=operation.schema(),
        on_invoke_tool=invoke,
        # Strict schemas allow no optional fields.
        strict_json_schema=False,
    )


def _governed(tool: Tool, governor: Governor) -> FunctionTool:
    if not isinstance(tool, FunctionTool):
        raise TypeError(f"{tool.name} does not run in this process, so it cannot be governed here.")
    function = getattr(tool, "__wrapped__", None)
    if not inspect.isroutine(function) or tool.output_json_schema is not None:
        return dataclasses.replace(tool, on_invoke_tool=_governed_invoker(tool, governor))
    # Made anew of its function, so that validated arguments are judged, with defaults, and errors are seen.
    inner = function_tool(
        _governed_function(tool.name, function, governor),
        name_override=tool.name,
        strict_mode=tool.strict_json_schema,
    )
    return dataclasses.replace(tool, on_invoke_tool=inner.on_invoke_tool)


def _governed_function(
    name: str, function: Callable[..., Any], governor: Governor
) -> Callable[..., Awaitable[Any]]:
    signature = inspect.signature(function)

    @functools.wraps(function)
    async def governed(*args: Any, **kwargs: Any) -> Any:
        arguments = arguments_of(signature, args, kwargs)
        chosen = {key: value for key, value in arguments.items() if not isinstance(value, RunContextWrapper)}
        run = functools.partial(function, *args, **kwargs)
        try:
            return await governor.run_async(
                name, chosen, run if is_async(function) else lambda: run_sync(run)
            )
        except Refused as refused:
            return str(refused)

    return governed


def _governed_invoker(
    tool: FunctionTool, governor: Governor
) -> Callable[[ToolContext[Any], str], Awaitable[Any]]:
    """Of a tool that reads the model's text itself. It gets the text that was judged, not another reading of it."""

    async def invoke(context: ToolContext[Any], text: str) -> Any:
        arguments = _object_of(text)
        judged = json.dumps(arguments)
        try:
            return await governor.run_async(
                tool.name, arguments, lambda: tool.on_invoke_tool(context, judged)
            )
        except Refused as refused:
            return str(refused)

    return invoke


def _object_of(text: str) -> dict[str, Any]:
    arguments = json.loads(text or "{}")
    if not isinstance(arguments, dict):
        raise TypeError("The arguments of a tool are a JSON object.")
    return arguments
