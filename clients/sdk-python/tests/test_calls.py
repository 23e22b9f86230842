"""Calls of both clients: what is sent, what comes back, what is repeated."""

from __future__ import annotations

import asyncio
import json
import pickle
from functools import partial
from typing import Any

import httpx
import pytest
from engine import METADATA, SETTINGS, Engine, answer, refusal

from svc_sdk import Answer, AsyncClient, Client, Progress, Result, SvcError
from svc_sdk.protocols.mata import PoolInput, PoolOpinion, PoolOutput, WeightInput, WeightSet
from svc_sdk.protocols.max import AuditQueryOutput

PAGE: dict[str, Any] = {"records": [], "head": "0" * 64}


def test_a_call_sends_its_envelope_and_who_calls() -> None:
    engine = Engine(answer(PAGE))
    options = {"idempotency_key": "k-1", "wait_for_audit": True, "tenant_id": "other", "traceparent": "00-a"}
    for outcome in engine.both(lambda client: client.dispatch("MAX", "audit_query", {"limit": 1}, **options)):
        assert isinstance(outcome, Answer) and outcome.output == PAGE
        assert outcome.metadata.usage.amount_usd == "0.000001"
        (request,) = engine.requests
        assert json.loads(request.content) == {
            "protocol": "MAX",
            "version": "v1.0.0",
            "operation": "audit_query",
            "input": {"limit": 1},
            "tenant_id": "other",
        }
        sent = {name: request.headers.get(name) for name in ("authorization", "x-agent-did", "prefer")}
        assert sent == {
            "authorization": "Bearer svc_test_key",
            "x-agent-did": SETTINGS["agent_did"],
            "prefer": "wait=audit",
        }
        assert (request.headers["idempotency-key"], request.headers["traceparent"]) == ("k-1", "00-a")


def test_a_method_sends_what_was_given_and_reads_its_output() -> None:
    output = {
        "probability": 0.7,
        "method": "harmonic",
        "weighting": "equal",
        "weights": {},
        "independent_sources": 2,
        "disagreement": 0.1,
        "contributions": [],
        "dissent": [],
        "added_by_a_newer_engine": [1],
    }
    engine = Engine(answer(output))
    opinions = [PoolOpinion(source="protocol:MARC", probability=0.8)]
    for pooled in engine.both(lambda client: client.mata.pool(opinions=opinions, question="?")):
        assert isinstance(pooled, PoolOutput), pooled
        assert (pooled.probability, pooled.method) == (0.7, "harmonic")
        (body,) = engine.bodies()
        assert body["input"] == {
            "question": "?",
            "opinions": [{"source": "protocol:MARC", "probability": 0.8}],
        }


def test_options_of_a_client_hold_for_its_methods() -> None:
    engine = Engine(answer(PAGE))
    client = engine.client().with_options(idempotency_key="k-2", version="v1.2.3")
    assert isinstance(client.max.audit_query(), AuditQueryOutput)
    client.dispatch("MAX", "audit_query", {}, idempotency_key="k-3")
    assert [request.headers["idempotency-key"] for request in engine.requests] == ["k-2", "k-3"]
    assert [body["version"] for body in engine.bodies()] == ["v1.2.3", "v1.2.3"]


def test_an_input_with_an_unknown_or_wrong_field_is_refused_before_it_is_sent() -> None:
    engine = Engine(answer({}))
    with pytest.raises(ValueError):
        PoolInput.model_validate({"opinions": [], "wieghts": "equal"})
    for error in engine.both(lambda client: client.mata.pool(opinions=[{"sauce": "a-secret"}])):
        assert isinstance(error, SvcError)
        assert (error.code, error.reason) == ("invalid_payload", "not as the schema says")
        assert error.details["errors"][0]["path"][:2] == ["opinions", 0]
        assert "a-secret" not in f"{error} {error.details} {error.__cause__}"
    assert engine.requests == []
    with pytest.raises(TypeError):
        engine.client().mata.pool(opinions=[], wieghts="equal")  # type: ignore[call-arg]


def test_null_is_sent_only_where_it_is_a_value() -> None:
    weight = WeightInput(source="protocol:MARC", set=WeightSet(weight=None, authority="mace://verdict/1"))
    assert weight.to_json() == {
        "source": "protocol:MARC",
        "set": {"weight": None, "authority": "mace://verdict/1"},
    }


def test_an_output_that_does_not_fit_its_model_says_that_the_call_was_done() -> None:
    for error in Engine(answer({"records": 7})).both(lambda client: client.max.audit_query()):
        assert isinstance(error, SvcError) and error.code == "bad_answer"
        assert "was done" in error.message and error.details["misfits"][0]["path"] == ["records"]


@pytest.mark.parametrize(
    "body", ["[]", '{"output":1}', '{"output":1,"metadata":2}', "<html>", "", '{"a":NaN}', "[" * 100_000]
)
def test_json_of_another_server_is_no_answer(body: str) -> None:
    for error in Engine(httpx.Response(200, text=body)).both(lambda c: c.dispatch("MAX", "audit_query", {})):
        assert isinstance(error, SvcError) and error.code == "bad_answer", error


def test_a_redirect_is_not_followed() -> None:
    engine = Engine(httpx.Response(307, headers={"location": "http://elsewhere/"}), answer({}))
    for error in engine.both(lambda client: client.dispatch("MAX", "audit_query", {})):
        assert error.code == "bad_answer" and "http://elsewhere/" in error.message
        assert len(engine.requests) == 1


def test_only_reads_are_repeated(waits: list[float]) -> None:
    down = refusal(503, "unavailable")
    for error in Engine(down).both(lambda client: client.dispatch("MAX", "audit_query", {})):
        assert error.code == "unavailable"
    assert waits[:8] == [0.5, 1, 2, 4, 8, 16, 30, 30] and len(waits) == 16
    waits.clear()
    for call in (
        lambda client: client.dispatch("MAX", "audit_log_entry", {}),
        lambda client: client.dispatch("MAX", "audit_query", {}, version="v2"),
        lambda client: client.dispatch("MAX", "audit_query", {}, retry=False),
        lambda client: client.dispatch("PLUGIN", "do", {}),
        lambda client: client.dry_run("MAX", "audit_query", {}),
    ):
        assert [error.code for error in Engine(down).both(call)] == ["unavailable"] * 2
    assert waits == []


def test_a_read_succeeds_after_a_lost_connection(waits: list[float]) -> None:
    engine = Engine(httpx.ReadError("reset"), httpx.ConnectError("refused"), answer(PAGE))
    assert engine.client().dispatch("max", "audit_query", {}).output == PAGE
    assert len(waits) == 2 and 0.1 <= waits[0] <= 0.3 and 0.2 <= waits[1] <= 0.6


@pytest.mark.parametrize(
    ("cause", "code", "reason", "is_doubtful"),
    [
        (httpx.ConnectError("refused"), "network", "unreachable", False),
        (httpx.ReadError("reset"), "network", "unreachable", True),
        (httpx.RemoteProtocolError("no answer"), "network", "unreachable", True),
        (httpx.ConnectTimeout("late"), "timeout", "client timeout", False),
        (httpx.ReadTimeout("late"), "timeout", "client timeout", True),
    ],
)
def test_a_write_without_an_answer_is_in_doubt(
    cause: Exception, code: str, reason: str, is_doubtful: bool
) -> None:
    for error in Engine(cause).both(lambda client: client.dispatch("MAX", "audit_log_entry", {})):
        assert isinstance(error, SvcError)
        assert (error.code, error.reason, error.retryable) == (code, reason, not is_doubtful)
        assert ("may have been executed" in error.message) is is_doubtful
    options = {"idempotency_key": "k"}
    for error in Engine(cause).both(lambda client: client.dispatch("MAX", "audit_log_entry", {}, **options)):
        assert error.retryable and "may have been executed" not in error.message


def test_a_whole_attempt_has_a_limit_in_time() -> None:
    class Trickle(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __iter__(self) -> Any:
            while True:
                yield b" "

        async def __aiter__(self) -> Any:
            while True:
                await asyncio.sleep(0)
                yield b" "

    def trickle(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, stream=Trickle())

    call = lambda client: client.dispatch("MAX", "audit_log_entry", {}, timeout_s=0.01)  # noqa: E731
    for error in Engine(trickle).both(call):
        assert (error.code, error.reason) == ("timeout", "client timeout"), error


def test_an_endless_answer_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("svc_sdk.client", "svc_sdk.async_client"):
        monkeypatch.setattr(f"{module}.ANSWER_BYTES_MAX", 1_000)
    for error in Engine(httpx.Response(200, content=b" " * 1_001)).both(lambda client: client.whoami()):
        assert error.code == "bad_answer" and "larger than any answer" in error.message


def dispatched(content: Any, client: Any) -> Any:
    return client.dispatch("MAX", "audit_query", content)


def test_what_cannot_be_sent_is_said_without_its_value() -> None:
    engine = Engine(answer({}))
    for error in engine.both(lambda client: client.dispatch("MAX", "audit_query", {}, idempotency_key="é\n")):
        assert error.code == "invalid_request" and "é" not in error.message
    for content in ({"a": float("nan")}, {"a": object()}, {"a": {1, 2}}):
        call = partial(dispatched, content)
        for error in engine.both(call):
            assert (error.code, error.reason) == ("invalid_payload", "not JSON")
    assert engine.requests == []


def stream_of(*events: tuple[str, Any]) -> httpx.Response:
    text = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, text=text)


def test_a_stream_reports_progress_and_ends_with_its_answer() -> None:
    result = {"output": PAGE, "metadata": METADATA}
    engine = Engine(stream_of(("progress", {"message": "half"}), ("unknown", 1), ("result", result)))
    for events in engine.both(lambda client: client.stream("MAX", "audit_query", {})):
        progress, last = events
        assert progress == Progress({"message": "half"})
        assert isinstance(last, Result) and last.answer.output == PAGE
        assert engine.requests[0].headers["accept"] == "text/event-stream"
    for events in Engine(answer(PAGE)).both(lambda client: client.stream("MAX", "audit_query", {})):
        assert [type(event) for event in events] == [Result]


def test_a_refused_or_broken_stream_raises() -> None:
    error_event = {"error": {"code": "rate_limited", "message": "Too many."}}
    for outcome in Engine(stream_of(("error", error_event))).both(
        lambda c: c.stream("MAX", "audit_query", {})
    ):
        assert outcome.code == "rate_limited"
    for outcome in Engine(refusal(403, "capability_denied", stage=4)).both(
        lambda client: client.stream("MAX", "audit_query", {})
    ):
        assert (outcome.code, outcome.stage) == ("capability_denied", 4)
    broken = stream_of(("progress", {}))
    for outcome in Engine(broken).both(lambda client: client.stream("MAX", "audit_log_entry", {})):
        assert (outcome.code, outcome.reason) == ("network", "connection lost")
        assert "may have been executed" in outcome.message


def test_leaving_a_stream_closes_it() -> None:
    closed: list[str] = []

    class Endless(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __iter__(self) -> Any:
            while True:
                yield b'event: progress\ndata: {"n":1}\n\n'

        async def __aiter__(self) -> Any:
            while True:
                yield b'event: progress\ndata: {"n":1}\n\n'

        def close(self) -> None:
            closed.append("sync")

        async def aclose(self) -> None:
            closed.append("async")

    def endless(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Endless())

    for event in Engine(endless).client().stream("MAX", "audit_query", {}):
        assert event == Progress({"n": 1})
        break

    async def leave() -> None:
        events = Engine(endless).async_client().stream("MAX", "audit_query", {})
        async for _ in events:
            break
        await events.aclose()

    asyncio.run(leave())
    assert closed == ["sync", "async"]


def test_a_dry_run_and_who_calls() -> None:
    refused = {"code": "capability_denied", "message": "No.", "stage": 4, "reason": "no grant"}
    stage = {"stage": 4, "name": "Capability", "verdict": "refused", "knew": {"tier": "x"}}
    run = {"verdict": "refused", "stages": [stage], "error": refused}
    engine = Engine(httpx.Response(200, json={"dry_run": run, "metadata": {"correlation_id": "c-2"}}))
    for outcome in engine.both(lambda client: client.dry_run("MAX", "audit_log_entry", {})):
        assert not outcome.allowed and outcome.correlation_id == "c-2"
        assert (outcome.error.code, outcome.error.stage) == ("capability_denied", 4)
        assert engine.requests[0].headers["x-svc-dry-run"] == "true"
    for error in Engine(answer({})).both(lambda client: client.whoami()):
        assert error.code == "bad_answer"


def pending(approval_id: str = "a-1") -> httpx.Response:
    details = {"approval_id": approval_id, "approval_tenant": "dev"}
    return refusal(403, "approval_required", reason="approval required", details=details)


def test_a_call_waits_for_approval(waits: list[float]) -> None:
    states = [answer({"state": "PENDING"}), answer({"state": "GIVEN"})]
    engine = Engine(pending(), *states, answer({"seq": 7}))
    outcome = engine.client().dispatch("MAX", "audit_log_entry", {}, wait_for_approval_s=60)
    assert outcome.output == {"seq": 7} and waits == [2, 3]
    assert [body["operation"] for body in engine.bodies()] == [
        "audit_log_entry",
        "approval_get",
        "approval_get",
        "audit_log_entry",
    ]


def test_waiting_for_approval_ends(waits: list[float]) -> None:
    for answers, number in (
        ([pending(), answer({"state": "PENDING"})], 3),
        ([pending(), answer({"state": "EXPIRED"})], 1),
        ([pending(), answer({"state": "GIVEN"}), pending("a-2")], 1),
    ):
        waits.clear()
        with pytest.raises(SvcError) as refused:
            Engine(*answers).client().dispatch("MAX", "audit_log_entry", {}, wait_for_approval_s=7)
        assert refused.value.code == "approval_required" and len(waits) == number
    assert [error.code for error in Engine(pending()).both(lambda c: c.dispatch("A", "b", {}))] == [
        "approval_required"
    ] * 2


def test_cancelling_a_task_cancels_its_call() -> None:
    async def run() -> None:
        started = asyncio.Event()

        async def never(_: httpx.Request) -> httpx.Response:
            started.set()
            await asyncio.Event().wait()
            raise AssertionError

        http = httpx.AsyncClient(transport=httpx.MockTransport(never))
        async with AsyncClient(**SETTINGS, http_client=http) as client:
            task = asyncio.ensure_future(client.dispatch("MAX", "audit_query", {}))
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(run())


def test_an_error_survives_a_process_pool() -> None:
    (error, _) = Engine(refusal(403, "policy_denied", reason="r", details={"a": 1})).both(
        lambda client: client.dispatch("A", "b", {})
    )
    again = pickle.loads(pickle.dumps(error))
    assert again.to_json() == error.to_json() and str(again) == str(error)


def test_an_own_http_client_stays_open() -> None:
    http = httpx.Client(transport=httpx.MockTransport(Engine(answer({}))))
    with Client(**SETTINGS, http_client=http) as client:
        client.dispatch("A", "b", {})
    assert not http.is_closed
    with Client(**SETTINGS) as own:
        own.with_options(retry=False).close()
        assert not own._http.is_closed
    assert own._http.is_closed
