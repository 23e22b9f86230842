"""What a client signs when it changes its key: that change and nothing else, after the new keys are stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from engine import Engine, answer, refusal
from test_sessions import DID, KEY, OWN_KEY, ProvingEngine

from svc_sdk import KeyPair, Recovery, SigningKey, SvcError
from svc_sdk.encoding import from_base64url
from svc_sdk.signature import SigningDomain, is_signed_by, signing_input

NAMED = {"dids": ["did:oas:acme:agent:2"], "threshold": 1}
Forge = Callable[[dict[str, str]], dict[str, str]]


class ChangingEngine(ProvingEngine):
    """Answers what is to be signed, as `forge` changes it, and checks what was signed."""

    def __init__(self, forge: Forge = lambda texts: texts, loses: bool = False) -> None:
        super().__init__()
        self.forge, self.loses = forge, loses
        self.signed: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        header = json.loads(from_base64url(request.headers["dpop"].split(".")[0]) or b"")
        if header["jwk"]["x"] != KEY.public_key:
            return refusal(401, "unauthenticated", reason="former key")
        body = json.loads(request.content)
        if body["operation"] != "rotate_key":
            return super().__call__(request)
        content = body["input"]
        if "signature" in content:
            self.signed.append(content)
            if self.loses:
                raise httpx.ReadError("the connection was lost")
            return answer({"state": "committed"})
        event = {"did": DID, "kind": "inception", "public_key": content["public_key"], "recovery": NAMED}
        event |= {"next_key_hash": content["next_key_hash"], "at": "x", "previous": DID}
        document = {"id": DID, "public_key": content["public_key"], "revoked": False}
        texts = {
            "signing_input": signing_input(SigningDomain.KEY_EVENT, event),
            "document_signing_input": signing_input(SigningDomain.DOCUMENT, document),
        }
        return answer({"state": "unsigned", "at": "x", **self.forge(texts)})


def test_the_keys_are_stored_before_they_are_used() -> None:
    engine = ChangingEngine()
    stored: list[KeyPair] = []

    def keep(keys: KeyPair) -> None:
        assert engine.signed == []
        stored.append(keys)

    done = Engine(engine).client(**OWN_KEY).rotate_key(keep)
    assert done.state == "committed" and [done.keys] == stored
    assert stored[0].private_key == OWN_KEY["private_key"] and "private_key" not in repr(stored[0])
    (sent,) = engine.signed
    assert is_signed_by(
        KEY.public_key, signing_input(SigningDomain.KEY_EVENT, event_of(sent)), sent["signature"]
    )


def event_of(sent: dict[str, Any]) -> dict[str, Any]:
    event = {"did": DID, "kind": "inception", "public_key": KEY.public_key, "recovery": NAMED}
    return event | {"next_key_hash": sent["next_key_hash"], "at": "x", "previous": DID}


def test_where_storing_fails_nothing_is_changed() -> None:
    engine = ChangingEngine()

    def fail(_: KeyPair) -> None:
        raise OSError("the disk is full")

    with pytest.raises(OSError):
        Engine(engine).client(**OWN_KEY).rotate_key(fail)
    assert engine.signed == []


def replaced(name: str, text: str, by: str) -> Forge:
    def forge(texts: dict[str, str]) -> dict[str, str]:
        assert text in texts[name]
        return {**texts, name: texts[name].replace(text, by)}

    return forge


@pytest.mark.parametrize(
    "forge",
    [
        replaced("signing_input", "svc-key-event-v1", "svc-delegation-v1"),
        replaced("signing_input", "inception", "recovery"),
        replaced("signing_input", DID, "did:oas:acme:agent:9"),
        replaced("signing_input", '"threshold":1', '"threshold":2'),
        replaced("signing_input", "{", "[{"),
        replaced("document_signing_input", "svc-document-v1", "svc-treaty-v1"),
        replaced("document_signing_input", '"revoked":false', '"revoked":true'),
        replaced("document_signing_input", KEY.public_key, "A" * 43),
        lambda texts: {},
    ],
)
def test_an_engine_gets_no_other_signature(forge: Forge) -> None:
    engine = ChangingEngine(forge)
    stored: list[KeyPair] = []
    recovery = Recovery(NAMED["dids"], 1)  # type: ignore[arg-type]
    with pytest.raises(SvcError) as refused:
        Engine(engine).client(**OWN_KEY).rotate_key(stored.append, recovery=recovery)
    assert refused.value.reason == "bad answer"
    assert engine.signed == [] and stored == []


def test_a_change_that_did_not_happen_leaves_the_key_in_use() -> None:
    engine = ChangingEngine(replaced("signing_input", "inception", "rotation"), loses=True)
    client = Engine(engine).client(**OWN_KEY)
    seed = SigningKey.seed_text(bytes([8] * 32))
    with pytest.raises(SvcError):
        client.rotate_key(lambda keys: None, next_private_key=seed)
    assert client.dispatch("MAX", "audit_query", {}).output["token"]


def test_a_client_without_the_key_says_so() -> None:
    with pytest.raises(SvcError) as refused:
        Engine(answer({})).client().rotate_key(lambda keys: None)
    assert refused.value.code == "not_configured"
