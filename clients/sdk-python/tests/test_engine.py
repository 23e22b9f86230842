"""Both clients against a real engine, which checks/clients/sdk of the repository starts."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import aclosing
from typing import Any
from uuid import uuid4

import pytest

from svc_sdk import (
    AsyncClient,
    Client,
    ExportVerifier,
    KeyPair,
    Progress,
    Recovery,
    Result,
    SvcError,
    verify_export,
    verify_proof,
    verify_receipt,
)
from svc_sdk.protocols.marc import ReasoningTaskBudget
from svc_sdk.protocols.mata import PoolOpinion, PoolOutput

ENGINE: dict[str, Any] = json.loads(os.environ.get("SVC_TEST_ENGINE", "{}"))
pytestmark = pytest.mark.skipif(not ENGINE, reason="no engine: checks/clients/sdk starts one")

callers = pytest.mark.parametrize("caller", ["by_api_key", "by_own_key", "by_workload"])


def hello(name: str = "custom.hello") -> dict[str, Any]:
    return {"event_type": name, "meta": {"from": "python", "share": 1 / 7, "é\u2028": "\U0001f512"}}


@callers
def test_a_caller_is_who_it_says(caller: str) -> None:
    with Client(**ENGINE[caller]) as client:
        assert client.whoami().agent_did == ENGINE[caller]["agent_did"]
        written = client.dispatch("MAX", "audit_log_entry", hello())
        assert written.metadata.operation == "audit_log_entry" and written.output["seq"] > 0
        for _ in range(3):
            assert client.max.audit_query(after_seq=0, limit=1).records


@callers
def test_a_caller_is_who_it_says_asynchronously(caller: str) -> None:
    async def run() -> None:
        async with AsyncClient(**ENGINE[caller]) as client:
            answers = await asyncio.gather(*(client.max.audit_query(after_seq=0, limit=1) for _ in range(8)))
            assert all(answer.records for answer in answers)
            assert (await client.whoami()).agent_did == ENGINE[caller]["agent_did"]

    asyncio.run(run())


def client_of() -> Client:
    return Client(**ENGINE["by_api_key"])


def keys_of(client: Client) -> list[str]:
    page = client.max.audit_query(after_seq=0, limit=1, include_checkpoints=True)
    return [key.public_key for key in page.keys or []]


def test_a_write_under_one_key_happens_once() -> None:
    with client_of() as client:
        once = client.with_options(idempotency_key=str(uuid4()))
        first, again = (once.dispatch("MAX", "audit_log_entry", hello()) for _ in range(2))
        assert (first.metadata.replayed, again.metadata.replayed) == (False, True)
        assert first.output == again.output


def test_receipts_exports_and_proofs_are_verified() -> None:
    with client_of() as client:
        keys = keys_of(client)
        receipt = client.dispatch("MAX", "audit_log_entry", hello(), wait_for_audit=True).metadata.receipt
        assert receipt is not None and verify_receipt(receipt, keys).ok
        receipt["record"]["meta"]["from"] = "somebody"
        assert not verify_receipt(receipt, keys).ok
        lines = list(client.export_audit_log())
        verdict = verify_export(lines, trusted_keys=keys)
        assert verdict.verified and verdict.records == len([one for one in lines if '"record"' in one[:10]])
        last = json.loads(lines[2])["record"]["seq"]
        assert verify_export(client.export_audit_log(to_seq=last), trusted_keys=keys).verified
        assert not verify_export([*lines[:2], *lines[3:]], trusted_keys=keys).ok
        proof = client.maze.prove(kind="consistency", first=1)
        assert verify_proof(proof, trusted_keys=keys).vouched


def test_an_export_is_verified_asynchronously() -> None:
    async def run() -> bool:
        verifier = ExportVerifier()
        async with AsyncClient(**ENGINE["by_api_key"]) as client:
            async for line in client.export_audit_log():
                verifier.take(line)
        return verifier.finish().ok

    assert asyncio.run(run())


def test_a_refusal_says_what_the_engine_said() -> None:
    with client_of() as client:
        with pytest.raises(SvcError) as refused:
            client.dispatch("MAX", "audit_query", {}, tenant_id="somebody-else")
        error = refused.value
        assert (error.code, error.stage, error.reason) == ("capability_denied", 4, "no active treaty")
        assert error.correlation_id and "MOAT propose" in str(error)
        dry = client.dry_run("MAX", "audit_query", {}, tenant_id="somebody-else")
        assert not dry.allowed and dry.error is not None and dry.error.code == "capability_denied"
        assert client.dry_run("MAX", "audit_log_entry", hello()).allowed
        with pytest.raises(SvcError) as unknown:
            client.dispatch("MAX", "audit_qery", {})
        assert unknown.value.code == "unknown_operation"


def test_a_wrong_key_is_refused() -> None:
    api_key = "svc_test_aaaaaaaa_".ljust(61, "a")
    with Client(**{**ENGINE["by_api_key"], "api_key": api_key}) as client:
        with pytest.raises(SvcError) as refused:
            client.whoami()
    assert refused.value.code == "unauthenticated" and api_key not in str(refused.value)


def test_typed_methods_read_real_outputs() -> None:
    with client_of() as client:
        did = client.settings.agent_did
        assert client.macs.authorization_request(agent_did=did).capabilities
        opinions = [PoolOpinion(source="protocol:MARC", probability=0.8)]
        pooled = client.dispatch("MATA", "pool", {"opinions": opinions}, output=PoolOutput)
        assert (
            pooled.output.probability == pytest.approx(0.8) and float(pooled.metadata.usage.amount_usd) >= 0
        )
        reasoned = client.marc.reasoning_task(
            intent="Is Anne nice?",
            premises=["Anne is kind.", "All kind people are nice."],
            budget=ReasoningTaskBudget(tokens=10_000, deadline_ms=20_000),
        )
        assert reasoned.verified and reasoned.answer == "true"


def test_a_stream_ends_with_its_result() -> None:
    with client_of() as client:
        events = list(client.stream("MAX", "audit_query", {"outcome": "success", "verify": True}))
        assert all(isinstance(event, Progress) for event in events[:-1])
        assert isinstance(events[-1], Result) and events[-1].answer.output["verified"]["ok"]
        with pytest.raises(SvcError) as refused:
            list(client.stream("MAX", "audit_query", {}, tenant_id="somebody-else"))
        assert refused.value.code == "capability_denied"


def test_live_figures_come_and_are_left() -> None:
    with client_of() as client:
        first = next(iter(client.live()))
        assert first.engine.version and first.second.calls >= 0

    async def run() -> list[str]:
        async with AsyncClient(**ENGINE["by_api_key"]) as client, aclosing(client.live()) as feed:
            return [figures.at async for figures in _first_of(feed)]

    assert len(asyncio.run(run())) == 1


async def _first_of(feed: Any) -> Any:
    async for one in feed:
        yield one
        return


def test_the_trace_of_a_call_is_returned() -> None:
    traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    with Client(**ENGINE["by_api_key"], traceparent=lambda: traceparent) as client:
        headers = client.dispatch("MAX", "audit_query", {"after_seq": 0, "limit": 1}).headers
        assert headers.traceparent == traceparent and headers.correlation_id


def test_a_client_changes_its_key_and_goes_on_with_the_new_one() -> None:
    stored: list[KeyPair] = []
    own = ENGINE["by_changing_key"]
    with Client(**own) as client, client_of() as parent:
        committed = client.rotate_key(stored.append)
        assert (committed.state, committed.keys.private_key) == ("committed", own["private_key"])
        with pytest.raises(SvcError) as used:
            client.rotate_key(stored.append)
        assert used.value.reason == "the key was used before" and len(stored) == 1
        rotated = client.rotate_key(stored.append, next_private_key=committed.keys.next_private_key)
        assert rotated.state == "rotated" and stored == [committed.keys, rotated.keys]
        assert client.whoami().credential == "own_key"
        with Client(**own) as thief, pytest.raises(SvcError) as refused:
            thief.whoami()
        assert refused.value.reason == "former key"

        recovered = parent.recover_key(own["agent_did"], stored.append)
        assert recovered.state == "recovered" and recovered.keys == stored[-1]

    async def change_again(keys: KeyPair) -> None:
        async with AsyncClient(**{**own, "private_key": keys.private_key}) as client:
            changed = await client.rotate_key(stored.append, next_private_key=keys.next_private_key)
            assert changed.state == "rotated"
            assert (await client.whoami()).credential == "own_key"

    asyncio.run(change_again(stored[-1]))


def test_those_who_are_named_recover_an_identity_together() -> None:
    stored: list[KeyPair] = []
    own, helper = ENGINE["by_recovered_key"], ENGINE["by_own_key"]
    named = Recovery([helper["agent_did"], ENGINE["by_api_key"]["agent_did"]], 2)
    with Client(**own) as client, client_of() as parent, Client(**helper) as other:
        client.rotate_key(stored.append, recovery=named)
        pending = other.recover_key(own["agent_did"], stored.append)
        assert (pending.state, pending.signed_by) == ("pending", [helper["agent_did"]])
        done = parent.sign_recovery(own["agent_did"], pending.public_key)
        assert done.state == "recovered"
    with Client(**{**own, "private_key": stored[-1].private_key}) as client:
        assert client.whoami().credential == "own_key"
