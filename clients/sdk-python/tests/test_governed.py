"""Functions of one's own process: begun before they run, not run if refused, and reported as they ended."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import date
from typing import Any

import anyio
import httpx
import pytest
from engine import Engine, answer
from own_calls import BEGUN, OwnCalls
from pydantic import BaseModel

from svc_sdk import Refused, SvcError, govern
from svc_sdk.governed import arguments_of


class Order(BaseModel):
    number: int


def refund(order: Order | str, amount: int = 40, *notes: str, **more: Any) -> str:
    """Pays back."""
    return f"{amount} paid back"


async def refund_async(order: Order | str, amount: int = 40, *notes: str, **more: Any) -> str:
    """Pays back."""
    return f"{amount} paid back"


async def awaited(value: Awaitable[Any]) -> Any:
    return await value


Ways = Callable[[OwnCalls], Callable[..., Any]]
WAYS: dict[str, Ways] = {
    "sync": lambda engine: govern(refund, client=engine.client()),
    "async": lambda engine: govern(refund_async, client=engine.async_client(), name="refund"),
    "async function, sync client": lambda engine: govern(refund_async, client=engine.client(), name="refund"),
    "sync function, async client": lambda engine: govern(refund, client=engine.async_client()),
}
each_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def run(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    value = function(*args, **kwargs)
    return asyncio.run(awaited(value)) if inspect.isawaitable(value) else value


@each_way
def test_it_begins_with_the_arguments_and_their_defaults_runs_and_ends(way: Ways) -> None:
    engine = OwnCalls()
    governed = way(engine)
    assert run(governed, Order(number=17), 40, "late", on=date(2026, 1, 2)) == "40 paid back"
    begun, ended = engine.bodies()
    assert begun["input"] == {
        "tool": "refund",
        "arguments": {"order": {"number": 17}, "amount": 40, "notes": ["late"], "on": "2026-01-02"},
    }
    assert ended["input"].pop("latency_ms") >= 0
    assert ended["input"] == {"call_id": "call-1", "outcome": "ok"}
    assert inspect.signature(governed) == inspect.signature(refund) and governed.__doc__ == "Pays back."


@each_way
def test_a_refused_function_does_not_run(way: Ways) -> None:
    engine = OwnCalls()
    with pytest.raises(Refused) as caught:
        run(way(engine), "A-1", 250)
    assert str(caught.value) == "refund was not run (approval_required): It said approval_required."
    assert (caught.value.code, caught.value.tool) == ("approval_required", "refund")
    assert caught.value.details["approval_id"] == "approval-1"
    assert engine.log() == [{"order": "A-1", "amount": 250, "notes": []}]
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.tool, copy.to_json()) == (str(caught.value), "refund", caught.value.to_json())


@each_way
def test_without_an_answer_it_does_not_run_either(way: Ways) -> None:
    engine = OwnCalls()
    engine._answers = [httpx.ReadError("reset")]
    with pytest.raises(Refused, match="refund was not run") as caught:
        run(way(engine), "A-1", 1)
    assert "may have been" not in str(caught.value)


def test_each_run_is_begun_anew_whatever_the_options_of_the_client() -> None:
    engine = OwnCalls()
    governed = govern(refund, client=engine.client().with_options(idempotency_key="k"))
    governed("A-1")
    governed("A-1")
    keys = [request.headers["idempotency-key"] for request in engine.requests]
    assert keys[0] != keys[2] and keys[1] == keys[3] == "end-call-1" and "k" not in keys


def test_it_waits_for_an_approval(waits: list[float]) -> None:
    engine = OwnCalls()
    client = engine.client()
    assert govern(refund, client=client, wait_for_approval_s=60)("A-1", 250) == "250 paid back"
    assert [body["operation"] for body in engine.bodies()] == [
        "begin_call",
        "approval_get",
        "begin_call",
        "end_call",
    ]
    again = OwnCalls()
    patient = again.client().with_options(wait_for_approval_s=60)
    assert govern(refund, client=patient)("A-1", 250) == "250 paid back"
    assert waits == [2.0, 2.0]


@pytest.mark.parametrize(
    ("error", "outcome"), [(SvcError("network", "Of its own."), "tool_error"), (TimeoutError(), "timeout")]
)
def test_errors_of_the_function_are_reported_and_raised(error: Exception, outcome: str) -> None:
    def fails() -> None:
        raise error

    async def fails_async() -> None:
        raise error

    engine = OwnCalls()
    functions: list[Callable[[], Any]] = [
        govern(fails, client=engine.client()),
        govern(fails_async, client=engine.async_client()),
    ]
    for governed in functions:
        with pytest.raises(type(error)) as caught:
            run(governed)
        assert caught.value is error
    assert engine.log() == [{}, outcome, {}, outcome]


def test_a_cancelled_function_is_reported() -> None:
    engine = OwnCalls()

    async def sleeps() -> None:
        await anyio.Event().wait()

    async def main() -> None:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(govern(sleeps, client=engine.async_client()))
                while not engine.requests:
                    await anyio.lowlevel.checkpoint()
                await anyio.wait_all_tasks_blocked()
                scope.cancel()

    asyncio.run(main())
    assert engine.log() == [{}, "timeout"]


@each_way
def test_a_result_is_not_lost_when_its_end_cannot_be_reported(
    way: Ways, caplog: pytest.LogCaptureFixture
) -> None:
    assert run(way(OwnCalls(cannot_end=True)), "A-1") == "40 paid back"
    assert "could not be reported (call call-1): It said unavailable." in caplog.text


def test_arguments_that_are_no_json_are_refused_before_anything_is_sent() -> None:
    engine = OwnCalls()
    for value in (object(), float("nan")):
        with pytest.raises(Refused, match="cannot be written as JSON"):
            govern(refund, client=engine.client())("A-1", 1, unknown=value)
    with pytest.raises(TypeError, match="missing"):
        govern(refund, client=engine.client())()  # type: ignore[call-arg]
    assert engine.requests == []


def test_what_cannot_be_governed_is_said_at_once() -> None:
    def yields() -> Iterator[int]:
        yield 1

    async def yields_async() -> AsyncIterator[int]:
        yield 1

    client = Engine(answer(BEGUN)).client()
    for function in (yields, yields_async):
        with pytest.raises(TypeError, match="yields"):
            govern(function, client=client)
    with pytest.raises(TypeError, match="pass govern a name"):
        govern(lambda: 1, client=client)


def test_an_object_that_can_be_called_is_governed() -> None:
    class Refund:
        async def __call__(self, amount: int) -> int:
            return amount

    engine = OwnCalls()
    assert run(govern(Refund(), client=engine.client(), name="refund"), 7) == 7
    assert engine.log() == [{"amount": 7}, "ok"]


@pytest.mark.parametrize(
    ("module", "extra"), [("langchain", "langchain"), ("openai_agents", "openai-agents")]
)
def test_the_package_needs_no_framework_and_says_which_extra_a_framework_needs(
    module: str, extra: str
) -> None:
    program = f"""
import sys
import svc_sdk
assert not {{"langchain_core", "agents"}} & set(sys.modules), "svc_sdk imports a framework"
sys.modules.update(langchain_core=None, agents=None)
try:
    import svc_sdk.{module}
except ModuleNotFoundError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert f'pip install "svc-sdk[{extra}]"' in said


def test_an_argument_that_a_policy_could_not_see_is_refused() -> None:
    def refund(amount: int, /, **notes: int) -> None: ...

    with pytest.raises(TypeError, match="given twice"):
        arguments_of(inspect.signature(refund), (5000,), {"amount": 1})
    assert arguments_of(inspect.signature(refund), (5,), {"order": 1}) == {"amount": 5, "order": 1}
