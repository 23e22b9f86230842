"""A LangGraph agent that pays money back, under the rules of its organization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, tool

from svc_sdk import Client  # added
from svc_sdk.langchain import govern_tools  # added


@tool
def refund(order: str, amount: int) -> str:
    """Refund an order."""
    return f"{amount} paid back for {order}."


class ScriptedModel(BaseChatModel):
    """Stands for your model: refused, it explains itself and tries less."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        result = messages[-1].text
        answer = AIMessage(f"I could not refund 5000. {result} I try 300.", tool_calls=[use_refund(300)])
        if isinstance(messages[-1], HumanMessage):
            answer = AIMessage("", tool_calls=[use_refund(5000)])
        elif "paid back" in result:
            answer = AIMessage(f"Done: {result}")
        return ChatResult(generations=[ChatGeneration(message=answer)])


def use_refund(amount: int) -> dict[str, Any]:
    return {"name": "refund", "args": {"order": "A-1042", "amount": amount}, "id": f"call-{amount}"}


tools: list[BaseTool] = [refund]
tools = govern_tools(tools, Client(), wait_for_approval_s=60)  # added
agent = create_agent(ScriptedModel(), tools)
task = HumanMessage("The customer of order A-1042 wants 5000 back. Refund what you may.")
for message in agent.invoke({"messages": [task]})["messages"]:
    if isinstance(message, AIMessage) and message.text:
        print(f"agent: {message.text}")
