"""LangChain: governed tools keep their shape and tell refusals to the model, and operations become tools."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Annotated, Any

import pytest
from engine import Engine, answer, refusal
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool, Tool, tool
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode
from own_calls import OwnCalls
from pydantic import BaseModel, Field

from svc_sdk.langchain import govern_tools, svc_tools
from svc_sdk.protocols.catalogue import PROTOCOLS

REFUSED = "refund was not run (approval_required): It said approval_required."


class RefundInput(BaseModel):
    order: str = Field(description="Its number.")
    amount: int = 40


class RefundTool(BaseTool):
    """A tool as a class, with things that the framework adds."""

    name: str = "refund"
    description: str = "Pays back."
    args_schema: Any = RefundInput

    def _run(
        self, order: str, amount: int, config: RunnableConfig, run_manager: Any = None
    ) -> dict[str, Any]:
        assert run_manager is not None
        return {"paid": amount, "by": config["configurable"]["user"]}


@tool
def refund(order: str, amount: int = 40, *, tenant: Annotated[str, InjectedToolArg] = "dev") -> str:
    """Pays back."""
    return f"{amount} paid back"


@tool("refund")
async def refund_async(order: str, amount: int = 40) -> str:
    """Pays back."""
    return f"{amount} paid back"


def run(governed: BaseTool, is_async: bool, arguments: Any, config: RunnableConfig | None = None) -> Any:
    return (
        asyncio.run(governed.ainvoke(arguments, config)) if is_async else governed.invoke(arguments, config)
    )


@pytest.mark.parametrize("is_async", [False, True])
def test_a_governed_tool_runs_as_before_and_is_recorded(is_async: bool) -> None:
    engine = OwnCalls()
    (governed,) = govern_tools([refund], engine.client())
    assert isinstance(governed, StructuredTool)
    assert (governed.name, governed.description) == ("refund", "Pays back.")
    assert governed.args == refund.args and "tenant" not in governed.args
    # As validated, with the default, and without what the framework adds.
    assert run(governed, is_async, {"order": "A-1", "amount": "7", "tenant": "x"}) == "7 paid back"
    assert run(governed, is_async, {"order": "A-1"}) == "40 paid back"
    assert engine.log() == [{"order": "A-1", "amount": 7}, "ok", {"order": "A-1", "amount": 40}, "ok"]
    assert refund.invoke({"order": "A-1"}) == "40 paid back" and len(engine.requests) == 4


@pytest.mark.parametrize("is_async", [False, True])
def test_a_refusal_is_told_to_the_model(is_async: bool) -> None:
    engine = OwnCalls()
    (governed,) = govern_tools([refund], engine.client())
    call = {"name": "refund", "args": {"order": "A-1", "amount": 250}, "id": "1", "type": "tool_call"}
    message = run(governed, is_async, call)
    assert (message.content, message.tool_call_id) == (REFUSED, "1")
    assert engine.log() == [{"order": "A-1", "amount": 250}]


def test_an_async_client_governs_what_is_awaited_and_nothing_else() -> None:
    engine = OwnCalls()
    for each in govern_tools([refund, refund_async], engine.async_client()):
        assert run(each, True, {"order": "A-1"}) == "40 paid back"
        assert run(each, True, {"order": "A-1", "amount": 250}) == REFUSED
    sent = len(engine.requests)
    with pytest.raises(TypeError, match="without await"):
        govern_tools([refund], engine.async_client())[0].invoke({"order": "A-1"})
    assert len(engine.requests) == sent == 6


@pytest.mark.parametrize("is_async", [False, True])
def test_tools_of_every_kind_are_governed(is_async: bool) -> None:
    engine = OwnCalls()
    config: RunnableConfig = {"configurable": {"user": "anna"}}
    (by_class,) = govern_tools([RefundTool()], engine.client())
    assert isinstance(by_class, RefundTool)
    assert run(by_class, is_async, {"order": "A-1", "amount": 3}, config) == {"paid": 3, "by": "anna"}
    (by_text,) = govern_tools([Tool("refund", lambda text: f"paid {text}", "Pays.")], engine.client())
    assert run(by_text, is_async, "A-2") == "paid A-2"

    def refund(order: str) -> str:
        """Pays back."""
        raise ValueError(order)

    (by_function,) = govern_tools([refund], engine.client())
    with pytest.raises(ValueError, match="A-3"):
        run(by_function, is_async, {"order": "A-3"})
    pair = StructuredTool.from_function(
        lambda order, amount: ("text", order),
        name="refund",
        description="Pays.",
        args_schema=RefundInput,
        response_format="content_and_artifact",
    )
    (with_artifact,) = govern_tools([pair], engine.client())
    call = {"name": "refund", "id": "1", "type": "tool_call"}
    assert run(with_artifact, is_async, {**call, "args": {"order": "A-4"}}).artifact == "A-4"
    assert run(with_artifact, is_async, {**call, "args": {"order": "A-4", "amount": 101}}).content == REFUSED
    assert engine.log() == [
        *({"order": "A-1", "amount": 3}, "ok"),
        *({"tool_input": "A-2"}, "ok"),
        *({"order": "A-3"}, "tool_error"),
        *({"order": "A-4", "amount": 40}, "ok"),
        {"order": "A-4", "amount": 101},
    ]


def test_langgraph_gives_a_governed_tool_its_state_which_is_not_judged() -> None:
    @tool
    def count(label: str, state: Annotated[dict[str, Any], InjectedState]) -> str:
        """Counts messages."""
        return f"{label}: {len(state['messages'])}"

    engine = OwnCalls()
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(govern_tools([count], engine.client())))
    graph.set_entry_point("tools")
    asked = AIMessage("", tool_calls=[{"name": "count", "args": {"label": "so far"}, "id": "1"}])
    messages = graph.compile().invoke({"messages": [asked]})["messages"]
    assert messages[-1].text == "so far: 1"
    assert engine.log() == [{"label": "so far"}, "ok"]


def test_a_tool_that_runs_in_its_own_way_is_not_taken_for_governed() -> None:
    class Own(RefundTool):
        def invoke(self, *args: Any, **kwargs: Any) -> Any:
            return "done"

    with pytest.raises(TypeError, match="in a way of its own"):
        govern_tools([Own()], OwnCalls().client())


@pytest.mark.parametrize("is_async", [False, True])
def test_operations_become_tools_with_their_schemas(is_async: bool) -> None:
    engine = Engine(answer({"memory_id": "m-1"}), refusal(403, "capability_denied"))
    client = engine.async_client() if is_async else engine.client()
    store, associate = svc_tools(client, ["MIND.store_memory", "mind.associate_memories"])
    assert (store.name, associate.name) == ("mind_store_memory", "mind_associate_memories")
    assert associate.description == "Link two memories; linking them again strengthens the link."
    assert associate.args["source"] == {
        "description": "Memory the link starts from.",
        "title": "Source",
        "type": "string",
    }
    arguments = {"source": "a", "target": "b", "relation": "causes", "weight": None}
    assert json.loads(run(associate, is_async, arguments)) == {"memory_id": "m-1"}
    assert engine.bodies()[0]["input"] == {"source": "a", "target": "b", "relation": "causes"}
    told = run(associate, is_async, arguments)
    assert told == "mind_associate_memories was not run (capability_denied): It said capability_denied."
    wrong = run(associate, is_async, {"source": "a", "tools": 1})
    assert wrong.startswith("mind_associate_memories was not run (invalid_payload): The input of MIND")
    assert len(engine.requests) == 2


def test_every_operation_is_a_tool_whose_fields_are_described() -> None:
    names = [f"{protocol}.{name}" for protocol, row in PROTOCOLS.items() for name in row.operations]
    for each in svc_tools(Engine(answer({})).client(), names):
        assert each.description and re.fullmatch("[a-z0-9_]{1,64}", each.name)
        assert isinstance(each.args_schema, dict)
        for part in (each.args_schema, *each.args_schema.get("$defs", {}).values()):
            for name, field in part.get("properties", {}).items():
                assert field.get("description"), f"{each.name} {part['title']} {name}"


def test_an_operation_that_is_not_there_is_said_at_once() -> None:
    for name in ("MIND.no", "no.store_memory", "MIND"):
        with pytest.raises(ValueError, match=f"no operation {name} in the catalogue"):
            svc_tools(Engine(answer({})).client(), [name])
    (charter,) = svc_tools(Engine(answer({})).async_client(), ["MAESTRO.charter.declare"])
    assert charter.name == "maestro_charter_declare"
    with pytest.raises(TypeError, match="without await"):
        charter.invoke({})
