"""OpenAI Agents SDK: governed tools keep their shape and tell refusals to the model, and operations become tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from agents import (
    Agent,
    FunctionTool,
    RunContextWrapper,
    Runner,
    Tool,
    WebSearchTool,
    function_tool,
    set_tracing_disabled,
)
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call
from agents.tool_context import ToolContext
from engine import Engine, answer, refusal
from own_calls import OwnCalls

from svc_sdk.openai_agents import govern_tools, svc_tools

REFUSED = "refund was not run (approval_required): It said approval_required."
set_tracing_disabled(True)


@function_tool(strict_mode=False)
def refund(context: RunContextWrapper[Any], order: str, amount: int = 40) -> str:
    """Pays back.

    Args:
        order: Its number.
    """
    assert context.context == "anna"
    return f"{amount} paid back"


@function_tool(name_override="refund")
async def refund_async(order: str, amount: int) -> str:
    """Pays back."""
    return f"{amount} paid back"


async def pay(context: ToolContext[Any], text: str) -> str:
    return f"{json.loads(text)['amount']} paid back"


by_hand = FunctionTool("refund", "Pays back.", {"type": "object", "properties": {}}, pay, False)


def run(tool: Tool, arguments: str) -> Any:
    """What the model is told."""

    def tell(call: ModelCall) -> ModelStep:
        return ModelStep(output=[assistant_message(call.input[-1]["output"])])

    steps = [ModelStep(output=[function_call(tool.name, arguments, call_id="1")]), ModelStep(responder=tell)]
    agent: Agent[Any] = Agent(name="Refunds", model=ScriptedModel(steps), tools=[tool])
    return asyncio.run(Runner.run(agent, "Go.", context="anna")).final_output


Clients = Callable[[Engine], Any]
each_client = pytest.mark.parametrize("client", [Engine.client, Engine.async_client], ids=["sync", "async"])


@each_client
@pytest.mark.parametrize("tool", [refund, refund_async, by_hand], ids=["sync", "async", "by hand"])
def test_a_governed_tool_runs_as_before_is_recorded_and_tells_its_refusals(
    tool: FunctionTool, client: Clients
) -> None:
    engine = OwnCalls()
    (governed,) = govern_tools([tool], client(engine))
    assert isinstance(governed, FunctionTool)
    for name in ("name", "description", "params_json_schema", "strict_json_schema"):
        assert getattr(governed, name) == getattr(tool, name)
    assert run(governed, '{"order": "A-1", "amount": 7}') == "7 paid back"
    assert run(governed, '{"order": "A-1", "amount": 5, "amount": 250}') == REFUSED
    assert engine.log() == [{"order": "A-1", "amount": 7}, "ok", {"order": "A-1", "amount": 250}]
    assert run(tool, '{"order": "A-1", "amount": 250}') == "250 paid back" and len(engine.requests) == 3


def test_validated_arguments_are_judged() -> None:
    engine = OwnCalls()
    (governed,) = govern_tools([refund], engine.client())
    assert run(governed, '{"order": "A-1"}') == "40 paid back"
    assert run(governed, '{"order": "A-1", "amount": "250"}') == REFUSED
    assert engine.log() == [{"order": "A-1", "amount": 40}, "ok", {"order": "A-1", "amount": 250}]
    # The framework tells the model what is wrong with them; nothing is begun.
    assert "An error occurred" in run(governed, '{"order": "A-1", "amount": "much"}')
    assert len(engine.requests) == 3


def test_errors_of_a_tool_are_reported_and_handled_as_before() -> None:
    @function_tool(name_override="refund", failure_error_function=lambda context, error: f"Sorry: {error}")
    def fails(order: str) -> str:
        """Pays back."""
        raise ValueError(order)

    engine = OwnCalls()
    (governed,) = govern_tools([fails], engine.client())
    assert run(governed, '{"order": "A-1"}') == "Sorry: A-1"
    assert engine.log() == [{"order": "A-1"}, "tool_error"]


def test_a_tool_that_takes_too_long_is_reported_as_such() -> None:
    @function_tool(name_override="refund", timeout=0.01)
    async def never(order: str) -> str:
        """Pays back."""
        await asyncio.Event().wait()
        return ""

    engine = OwnCalls()
    (governed,) = govern_tools([never], engine.async_client())
    assert "timed out" in run(governed, '{"order": "A-1"}')
    assert engine.log() == [{"order": "A-1"}, "timeout"]


def test_a_tool_that_does_not_run_here_is_not_taken_for_governed() -> None:
    with pytest.raises(TypeError, match="web_search does not run in this process"):
        govern_tools([WebSearchTool()], OwnCalls().client())


@each_client
def test_operations_become_tools_with_their_schemas(client: Clients) -> None:
    engine = Engine(answer({"association_id": "m-1"}), refusal(403, "capability_denied"))
    (associate,) = svc_tools(client(engine), ["MIND.associate_memories"])
    assert isinstance(associate, FunctionTool)
    properties = associate.params_json_schema["properties"]
    assert properties["target"]["description"] == "Memory the link leads to."
    arguments = '{"source": "a", "target": "b", "relation": "causes"}'
    assert json.loads(run(associate, arguments)) == {"association_id": "m-1"}
    assert engine.bodies()[0]["input"] == json.loads(arguments)
    name = "mind_associate_memories"
    assert run(associate, arguments) == f"{name} was not run (capability_denied): It said capability_denied."
    assert len(engine.requests) == 2
