"""The same cases as the engine, the TypeScript and the Rust SDK: one verdict."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError
from vectors import cases

from svc_sdk.attenuation import AgentCapability, attenuate, is_within
from svc_sdk.audit_log import verify_export, verify_receipt
from svc_sdk.audit_log.merkle import EMPTY_ROOT, SizedRoot, is_grown_from, root_of_path, root_of_row
from svc_sdk.audit_log.note import is_signed_by as is_note_signed_by
from svc_sdk.audit_log.note import read_key, read_note
from svc_sdk.canonical import canonical_json, canonical_text
from svc_sdk.capability import covers, is_capability_name, names_that_grant
from svc_sdk.data_integrity import prove_document, verify_document
from svc_sdk.delegation import DelegationToken, chain_fault, worth_of
from svc_sdk.did import Did, NotADid
from svc_sdk.encoding import sha256_hex
from svc_sdk.key_events import KeyEvent, is_ever_key_of, key_event_input, key_events_fault, place_after
from svc_sdk.lineage import LineageStatement, child_seed, kind_segment, verify_lineage
from svc_sdk.signature import (
    SigningDomain,
    SigningKey,
    is_key_of,
    is_object_signed_by,
    is_signed_by,
    signing_input,
)


def name_of(case: Any) -> str:
    return str(case.get("name", case))[:60]


def each(section: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases(section), ids=name_of)


@each("canonical_json")
def test_canonical_json(case: Any) -> None:
    if "refusal" in case:
        with pytest.raises(ValueError) as refusal:
            canonical_text(case["json"])
        assert str(refusal.value) == case["refusal"]
    elif case.get("is_canonical") is False:
        assert canonical_text(case["json"]) != case["json"]
    else:
        assert canonical_text(case["json"]) == case["canonical"]


@each("dids")
def test_dids(case: Any) -> None:
    did = case["did"]
    if case.get("refused"):
        with pytest.raises(NotADid):
            Did.parse(did)
    if "parts" in case:
        assert vars(Did.parse(did)) == case["parts"]
        assert str(Did.parse(did)) == did
    if "public_key" in case:
        assert is_key_of(did, case["public_key"])
        assert not is_key_of(did.replace(":agent:", ":agent:0"), case["public_key"])


@each("signatures")
def test_signatures(case: Any) -> None:
    public_key, signature, is_signed = case["public_key"], case["signature"], case["is_signed"]
    key = SigningKey(bytes.fromhex(case["seed"])) if "seed" in case else None
    if "message" in case:
        message = bytes.fromhex(case["message"])
        assert is_signed_by(public_key, message, signature) is is_signed
        if key:
            assert (key.public_key, key.sign(message)) == (public_key, signature)
    else:
        domain = SigningDomain(case["domain"])
        assert signing_input(domain, case["object"]) == case["text"]
        assert is_object_signed_by(public_key, domain, case["object"], signature) is is_signed
        if key:
            assert key.sign_object(domain, case["object"]) == signature


@each("data_integrity")
def test_data_integrity(case: Any) -> None:
    document, proof, purpose = case["document"], case["proof"], case["purpose"]
    assert verify_document(document, proof, purpose) == case["public_key"]
    if "seed" in case:
        made = prove_document(
            document,
            SigningKey(bytes.fromhex(case["seed"])),
            created=proof["created"],
            controller=case.get("controller"),
            purpose=purpose,
        )
        assert made == proof


def test_capabilities() -> None:
    for case in cases("capabilities.pairs"):
        holding, wish = case["held"], case["wanted"]
        assert covers(holding, wish) is case["covers"], case
        # The global wildcard is not an operation's name, so nothing is listed for it.
        if wish != "svc.*.*":
            assert (holding in names_that_grant(wish)) is case["covers"], case
    for case in cases("capabilities.names"):
        assert is_capability_name(case["name"]) is case["is_name"], case


@each("attenuation")
def test_attenuation(case: Any) -> None:
    capability = AgentCapability.read(case["wanted"])
    holdings = [AgentCapability.read(one) for one in case["held"]]
    made = attenuate(capability, holdings)
    shown = made and {"capability": made.capability.to_json(), "attenuated": made.attenuated}
    assert shown == case["delegated"]
    assert is_within(capability, holdings) is case["is_within"]


@each("delegations")
def test_delegations(case: Any) -> None:
    tokens = [DelegationToken.read(token) for token in case["tokens"]]
    events = case.get("key_events", [])
    forgeries = [
        token.forgery(key, [KeyEvent.read(event) for event in (events[i : i + 1] or [[]])[0] or []])
        for i, (token, key) in enumerate(zip(tokens, case["public_keys"]))
    ]
    assert next((forgery for forgery in forgeries if forgery), None) == case["forgery"]
    assert [token.token_id for token in tokens] == case["token_ids"]
    assert chain_fault(tokens) == case["fault"]
    own = [AgentCapability.read(one) for one in case["own"]]
    assert [one.to_json() for one in worth_of(tokens, own, case["now"])] == case["held"]


@each("lineage.derivations")
def test_derivations(case: Any) -> None:
    parent = Did.parse(case["parent_did"])
    descent = (case["entity_kind"], case["label"], case["index"])
    seed = child_seed(bytes.fromhex(case["parent_seed"]), parent, *descent)
    key = SigningKey(seed)
    did = key.did(parent.namespace, kind_segment(case["entity_kind"]))
    assert (seed.hex(), key.public_key, str(did)) == (case["seed"], case["public_key"], case["did"])


@each("lineage.chains")
def test_lineage(case: Any) -> None:
    statements = [LineageStatement.read(one) for one in case["statements"]]
    verdict = verify_lineage(
        case["did"], statements, now=case["now"], is_revoked=lambda did: did in case["revoked"]
    )
    assert verdict.to_json() == case["verdict"]


def is_of_the_form(case: Any) -> bool:
    return case.get("has_form", True) is True


@pytest.mark.parametrize(
    "case", [case for case in cases("key_events") if not is_of_the_form(case)], ids=name_of
)
def test_key_events_of_another_form(case: Any) -> None:
    try:
        fault = key_events_fault(case["did"], [KeyEvent.read(event) for event in case["events"]])
    except ValidationError:
        fault = "it does not have the form of one"
    assert fault is not None and fault.endswith("it does not have the form of one")


@pytest.mark.parametrize("case", [case for case in cases("key_events") if is_of_the_form(case)], ids=name_of)
def test_key_events(case: Any) -> None:
    did = case["did"]
    events = [KeyEvent.read(event) for event in case["events"]]
    assert key_events_fault(did, events) == case["fault"]
    for key in case.get("keys", []):
        assert is_ever_key_of(did, key["public_key"], events) is key["is_ever_key"]
    if "signing_input" in case:
        assert key_event_input(did, events[-1]) == case["signing_input"]
        assert place_after(did, events) == case["next_previous"]
        if "seed" in case:
            signed = events[-1].signed(did, did, SigningKey(bytes.fromhex(case["seed"])))
            assert signed.signatures[-1] == events[-1].signatures[0]


@each("hash_chain")
def test_hash_chain(case: Any) -> None:
    text = case["previous_hash"] + canonical_json(case["record"])
    assert sha256_hex(text.encode()) == case["record_hash"]


@each("merkle_roots")
def test_merkle_roots(case: Any) -> None:
    hashes = case["record_hashes"]
    root = root_of_row(hashes, 0, len(hashes), []) if hashes else EMPTY_ROOT
    assert root == case["root"]


@each("merkle_inclusion")
def test_merkle_inclusion(case: Any) -> None:
    root = root_of_path(case["record_hash"], case["index"], case["size"], case["path"])
    assert root == case["root"]


@each("merkle_consistency")
def test_merkle_consistency(case: Any) -> None:
    first, second = SizedRoot(**case["first"]), SizedRoot(**case["second"])
    assert is_grown_from(first, second, case["path"]) is case["is_grown"]


@each("checkpoints")
def test_checkpoints(case: Any) -> None:
    note = read_note(case["note"])
    shown = note and {"origin": note.origin, "size": note.size, "root": note.root}
    assert shown == case["read"]
    if note:
        key = read_key(note.origin, case["public_key"])
        assert is_note_signed_by(note, key) is case["is_signed"]


@each("exports.cases")
def test_exports(case: Any) -> None:
    table = cases("exports.lines")
    verdict = verify_export([table[place] for place in case["lines"]], **case["options"])
    assert verdict.to_json() == case["verdict"]


@each("receipts")
def test_receipts(case: Any) -> None:
    verdict = verify_receipt(case["receipt"], case["public_keys"])
    assert verdict.to_json() == case["verdict"]
