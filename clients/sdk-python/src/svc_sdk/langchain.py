"""LangChain and LangGraph: your tools under the engine's rules, and the engine's operations as tools.

Needs the extra: `pip install "svc-sdk[langchain]"`.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast, get_args, get_type_hints

try:
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool, StructuredTool, Tool
    from langchain_core.tools import tool as as_tool
except ModuleNotFoundError as missing:
    message = f'{missing.name} is not installed; run: pip install "svc-sdk[langchain]"'
    raise ModuleNotFoundError(message, name=missing.name) from missing

from .async_client import AsyncClient
from .client import Client
from .governed import Governor, Refused, approval_options, run_flow
from .operation_tools import OperationTool, operation_tools
from .options import CallOptions


def govern_tools(
    tools: Sequence[BaseTool | Callable[..., Any]],
    client: Client | AsyncClient,
    *,
    wait_for_approval_s: float | None = None,
) -> list[BaseTool]:
    """The same tools, which ask the engine before each run, and report how it ended.

    Name, description and schema stay. A refusal becomes the tool's message, so that the model can explain itself.
    With an `AsyncClient`, the agent must be run with await (`ainvoke`, `astream`).
    """
    governor = Governor(client, wait_for_approval_s)
    return [_governed(tool if isinstance(tool, BaseTool) else as_tool(tool), governor) for tool in tools]


def svc_tools(
    client: Client | AsyncClient, operations: Sequence[str], *, wait_for_approval_s: float | None = None
) -> list[BaseTool]:
    """Operations of the engine, such as `MIND.store_memory`, as tools. A refusal becomes the tool's message."""
    options = approval_options(wait_for_approval_s)
    return [_operation_tool(client, operation, options) for operation in operation_tools(operations)]


def _operation_tool(client: Client | AsyncClient, operation: OperationTool, options: CallOptions) -> BaseTool:
    def call(**arguments: Any) -> str:
        if not isinstance(client, Client):
            raise TypeError(f"{operation.name} was called without await; await it, or use a Client.")
        return client._run(operation.call(client._calls, arguments, options))

    async def call_async(**arguments: Any) -> str:
        return await run_flow(client, operation.call(client._calls, arguments, options))

    return StructuredTool(
        name=operation.name,
        description=operation.description,
        args_schema=operation.schema(),
        func=call,
        coroutine=call_async,
    )


def _governed(tool: BaseTool, governor: Governor) -> BaseTool:
    """A copy of its own class, in which only what runs it differs: frameworks look at classes and signatures."""
    kind = type(tool)
    ways = {name: (getattr(kind, name), getattr(BaseTool, name)) for name in ("invoke", "run", "arun")}
    plain = (BaseTool.ainvoke, StructuredTool.ainvoke, Tool.ainvoke)
    if any(own is not base for own, base in ways.values()) or kind.ainvoke not in plain:
        raise TypeError(
            f"{tool.name} runs in a way of its own; wrap its function with svc_sdk.govern instead."
        )
    run_of_async = kind._run if kind._arun is BaseTool._arun else kind._arun

    @functools.wraps(kind._run)
    def _run(self: BaseTool, *args: Any, **kwargs: Any) -> Any:
        arguments = _arguments(tool, tool._run, args, kwargs)
        try:
            return governor.run(tool.name, arguments, lambda: tool._run(*args, **kwargs))
        except Refused as refused:
            return _message(tool, refused)

    @functools.wraps(run_of_async)
    async def _arun(self: BaseTool, *args: Any, **kwargs: Any) -> Any:
        arguments = _arguments(tool, run_of_async, args, kwargs)
        run = cast("Callable[[], Awaitable[Any]]", lambda: tool._arun(*args, **kwargs))
        try:
            return await governor.run_async(tool.name, arguments, run)
        except Refused as refused:
            return _message(tool, refused)

    # StructuredTool would run a function without a coroutine by `invoke`, in a thread.
    members = {"_run": _run, "_arun": _arun, "ainvoke": BaseTool.ainvoke, "__module__": kind.__module__}
    copy = tool.model_copy()
    object.__setattr__(copy, "__class__", type(kind.__name__, (kind,), members))
    return copy


def _arguments(
    tool: BaseTool, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """What the model chose, as validated: without what the framework adds."""
    if args:
        return {next(iter(tool.args)): args[0]}
    hints = get_type_hints(run)
    configs = {name for name, hint in hints.items() if RunnableConfig in (hint, *get_args(hint))}
    return {name: value for name, value in tool._filter_injected_args(kwargs).items() if name not in configs}


def _message(tool: BaseTool, refused: Refused) -> Any:
    return (str(refused), None) if tool.response_format == "content_and_artifact" else str(refused)
