"""An agent of the OpenAI Agents SDK that pays money back, under the rules of its organization."""

from __future__ import annotations

from agents import Agent, ItemHelpers, MessageOutputItem, Runner, Tool, function_tool, set_tracing_disabled
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call

from svc_sdk import Client  # added
from svc_sdk.openai_agents import govern_tools  # added


@function_tool
def refund(order: str, amount: int) -> str:
    """Refund an order."""
    return f"{amount} paid back for {order}."


def use_refund(amount: int) -> ModelStep:
    arguments = {"order": "A-1042", "amount": amount}
    return ModelStep(output=[function_call("refund", arguments, call_id=f"call-{amount}")])


def answer(call: ModelCall) -> ModelStep:
    """Stands for your model: refused, it explains itself and tries less."""
    result = call.input[-1]["output"]
    if "paid back" in result:
        return ModelStep(output=[assistant_message(f"Done: {result}")])
    explanation = assistant_message(f"I could not refund 5000. {result} I try 300.")
    return ModelStep(output=[explanation, *use_refund(300).output])


tools: list[Tool] = [refund]
tools = govern_tools(tools, Client(), wait_for_approval_s=60)  # added
set_tracing_disabled(True)
model = ScriptedModel([use_refund(5000), ModelStep(responder=answer), ModelStep(responder=answer)])
agent = Agent(name="Refunds", model=model, tools=tools)
task = "The customer of order A-1042 wants 5000 back. Refund what you may."
for item in Runner.run_sync(agent, task).new_items:
    if isinstance(item, MessageOutputItem):
        print(f"agent: {ItemHelpers.text_message_output(item)}")
