"""Sessions by the agent's own key and by a workload's token, against an engine that checks every proof."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import anyio
import httpx
import pytest
from engine import Engine, answer, refusal

from svc_sdk import SigningKey, SvcError
from svc_sdk.encoding import from_base64url, sha256, sha256_hex, to_base64url
from svc_sdk.session import answer_challenge
from svc_sdk.signature import SigningDomain, is_signed_by, signing_input

SEED = bytes([7] * 32)
KEY = SigningKey(SEED)
DID = str(KEY.did("acme", "agent"))
OWN_KEY = {"api_key": None, "private_key": SigningKey.seed_text(SEED), "agent_did": DID}


def moment(at_s: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at_s))


class ProvingEngine:
    """MACS as far as a session needs it, and one operation that only a signed request may call."""

    def __init__(self, life_s: float = 3600) -> None:
        self.life_s = life_s
        self.ahead_s = 0.0
        self.opened = 0
        self.tokens: set[str] = set()
        self.proofs: set[str] = set()
        self.operations: list[str] = []
        self.text_domain = SigningDomain.MACS_CHALLENGE
        self._lock = threading.Lock()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            return self._answer(request)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        self.operations.append(body["operation"])
        token = request.headers.get("authorization", "").removeprefix("DPoP ") or None
        fault = self._proof_fault(request, token)
        if fault:
            details = {"now": moment(time.time() + self.ahead_s)}
            return refusal(401, "unauthenticated", reason=fault, details=details)
        content = body["input"]
        if body["operation"] == "auth_negotiation":
            return answer({"session_id": "s-1"})
        if body["operation"] == "generate_challenge":
            return answer(self._challenge())
        if body["operation"] == "verify_response":
            assert is_signed_by(
                content["public_key"], self._challenge()["signing_input"], content["signature"]
            )
            self.opened += 1
            fresh = f"token-{self.opened}"
            self.tokens.add(fresh)
            end = moment(time.time() + self.ahead_s + self.life_s)
            return answer({"session_token": fresh, "token_expires_at": end})
        if token not in self.tokens:
            return refusal(401, "unauthenticated", reason="session revoked")
        return answer({"token": token})

    def _challenge(self) -> dict[str, Any]:
        fields = {"challenge_id": "c-1", "audience": "did:oas:acme:service:1", "nonce": "n-1"}
        text = signing_input(self.text_domain, {**fields, "agent_did": DID})
        return {**fields, "signing_input": text, "issued_at": "x", "expires_at": "y"}

    def _proof_fault(self, request: httpx.Request, token: str | None) -> str | None:
        header, claims, signature = request.headers["dpop"].split(".")
        jwk = json.loads(from_base64url(header) or b"")["jwk"]
        assert jwk == {"kty": "OKP", "crv": "Ed25519", "x": KEY.public_key}
        assert is_signed_by(KEY.public_key, f"{header}.{claims}", signature)
        said = json.loads(from_base64url(claims) or b"")
        assert (said["htm"], said["htu"]) == ("POST", "http://engine/v1/dispatch")
        assert said["body_sha256"] == sha256_hex(request.content)
        assert said.get("ath") == (to_base64url(sha256(token.encode())) if token else None)
        assert said["jti"] not in self.proofs
        self.proofs.add(said["jti"])
        is_in_time = abs(said["iat"] - time.time() - self.ahead_s) < 60
        return None if is_in_time else "proof out of time"


def test_the_agent_proves_itself_once_and_signs_every_request() -> None:
    proving = ProvingEngine()
    for outcome in Engine(proving).both(lambda client: client.dispatch("MAX", "audit_query", {}), **OWN_KEY):
        assert outcome.output["token"].startswith("token-"), outcome
    client = Engine(proving).client(**OWN_KEY)
    proving.operations.clear()
    for _ in range(3):
        client.dispatch("MAX", "audit_query", {})
    handshake = ["auth_negotiation", "generate_challenge", "verify_response"]
    assert proving.operations == [*handshake, "audit_query", "audit_query", "audit_query"]


def test_concurrent_requests_share_one_session() -> None:
    proving = ProvingEngine()
    client = Engine(proving).client(**OWN_KEY)
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: client.dispatch("A", "b", {}).output, range(16)))
    assert outcomes == [{"token": "token-1"}] * 16

    async def together() -> Any:
        own = Engine(proving).async_client(**OWN_KEY)
        return await asyncio.gather(*(own.dispatch("A", "b", {}) for _ in range(16)))

    assert {one.output["token"] for one in asyncio.run(together())} == {"token-2"}


@pytest.mark.usefixtures("waits")
def test_the_async_client_runs_on_trio() -> None:
    proving = ProvingEngine()
    down = refusal(503, "unavailable")
    answers: list[Any] = [proving, proving, proving, down, proving]

    async def together() -> list[str]:
        client = Engine(*answers).async_client(**OWN_KEY)
        tokens: list[str] = []

        async def call() -> None:
            tokens.append((await client.dispatch("MAX", "audit_query", {})).output["token"])

        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(call)
        return tokens

    assert anyio.run(together, backend="trio") == ["token-1"] * 4


def test_a_session_that_ends_soon_is_renewed_and_an_ended_one_opened_again() -> None:
    proving = ProvingEngine(life_s=30)
    client = Engine(proving).client(**OWN_KEY)
    assert client.dispatch("A", "b", {}).output == {"token": "token-1"}
    proving.operations.clear()
    assert client.dispatch("A", "b", {}).output == {"token": "token-2"}
    assert proving.operations == ["generate_challenge", "verify_response", "b"]
    proving.life_s = 3600
    client.dispatch("A", "b", {})
    proving.tokens.clear()
    proving.operations.clear()
    assert client.dispatch("A", "write", {}).output == {"token": "token-4"}
    assert proving.operations[0] == "write" and proving.operations[-1] == "write"


def test_the_clock_of_the_service_counts() -> None:
    proving = ProvingEngine()
    proving.ahead_s = -3600
    client = Engine(proving).client(**OWN_KEY)
    assert client.dispatch("A", "b", {}).output == {"token": "token-1"}


def test_a_failed_proof_is_raised_and_leaves_no_lock() -> None:
    proving = ProvingEngine()
    proving.text_domain = SigningDomain.TREATY
    client = Engine(proving).client(**OWN_KEY)
    for _ in range(2):
        with pytest.raises(SvcError, match="nothing was signed"):
            client.dispatch("A", "b", {})
    proving.text_domain = SigningDomain.MACS_CHALLENGE
    assert client.dispatch("A", "b", {}).output == {"token": "token-1"}


def test_nothing_but_the_challenge_is_signed() -> None:
    challenge = ProvingEngine()._challenge()
    assert answer_challenge(challenge, DID, KEY)["public_key"] == KEY.public_key
    stamped = {name: challenge[name] for name in ("challenge_id", "audience", "nonce")}
    stamped |= {"issued_at": "x", "expires_at": "y", "agent_did": DID}
    text = signing_input(SigningDomain.MACS_CHALLENGE, stamped)
    answer_challenge({**challenge, "signing_input": text}, DID, KEY)
    for changed in (
        {"audience": "another"},
        {"nonce": 1},
        {"signing_input": "svc-macs-challenge-v1\n{}"},
        {},
    ):
        other = {**challenge, **changed} if changed else {}
        with pytest.raises(SvcError) as refused:
            answer_challenge(other, DID, KEY)
        assert refused.value.code == "bad_answer"


def test_a_workload_exchanges_its_token(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("platform-1\n")
    exchanged: list[str] = []

    def engine(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/oauth/token":
            form = parse_qs(request.content.decode())
            assert form["grant_type"] == ["urn:ietf:params:oauth:grant-type:token-exchange"]
            assert form["agent_did"] == [DID] and "authorization" not in request.headers
            exchanged.append(form["subject_token"][0])
            return httpx.Response(200, json={"access_token": "t-1", "expires_in": 30})
        assert request.headers["authorization"] == "DPoP t-1" and request.headers["dpop"]
        return answer({})

    settings = {"api_key": None, "agent_did": DID, "workload_token_file": str(path)}
    client = Engine(engine).client(**settings)
    client.dispatch("A", "b", {})
    # The platform replaces it before it expires, and it is read for each session.
    path.write_text("platform-2")
    client.dispatch("A", "b", {})
    assert exchanged == ["platform-1", "platform-2"]
    path.write_text(" ")
    with pytest.raises(SvcError, match="cannot be read") as refused:
        client.dispatch("A", "b", {})
    assert refused.value.code == "not_configured"
