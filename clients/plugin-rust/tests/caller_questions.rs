//! The questions about a caller, with the same vectors as the contract and the TypeScript kit.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use svc_plugin::{Context, Identity, Invocation, RecordingHost, Refusal};

#[derive(Deserialize)]
struct Row {
    name: String,
    context: Invocation,
    identity: Identity,
    entity_kind: String,
    human_root: Option<String>,
    lineage_verified: bool,
    is_human_root: bool,
    is_autonomous_org: bool,
    has_verified_lineage: bool,
    effective_root_did: Option<String>,
    has_capability: BTreeMap<String, bool>,
    plugin_config: Map<String, Value>,
}

#[derive(Deserialize)]
struct Admin {
    did: String,
    identity: Identity,
}

#[derive(Deserialize)]
struct Vectors {
    contexts: Vec<Row>,
    local_admin: Admin,
}

fn vectors() -> Vectors {
    let text = include_str!("../../../checks/vectors/caller-questions.json");
    serde_json::from_str(text).expect("the vectors are as described here")
}

/// A plugin that asks all questions.
fn who(_input: Value, context: &Context) -> Result<Value, Refusal> {
    let call = &context.invocation;
    Ok(json!({
        "root": call.identity().effective_root_did(),
        "kind": call.caller_entity_kind(),
        "config": call.plugin_config(),
    }))
}

svc_plugin::plugin! { Asking { who } }

#[test]
fn every_question_is_answered_as_the_vectors_say() {
    for row in vectors().contexts {
        let identity = row.context.identity();
        assert_eq!(identity, row.identity, "{}", row.name);
        assert_eq!(row.context.caller_entity_kind(), row.entity_kind, "{}", row.name);
        assert_eq!(row.context.caller_human_root(), row.human_root.as_deref(), "{}", row.name);
        assert_eq!(row.context.caller_lineage_verified(), row.lineage_verified, "{}", row.name);
        assert_eq!(row.context.plugin_config(), row.plugin_config, "{}", row.name);
        assert_eq!(identity.is_human_root(), row.is_human_root, "{}", row.name);
        assert_eq!(identity.is_autonomous_org(), row.is_autonomous_org, "{}", row.name);
        assert_eq!(identity.has_verified_lineage(), row.has_verified_lineage, "{}", row.name);
        assert_eq!(identity.effective_root_did(), row.effective_root_did.as_deref(), "{}", row.name);
        for (name, expected) in row.has_capability {
            assert_eq!(identity.has_capability(&name), expected, "{}: {name}", row.name);
        }
    }
}

#[test]
fn a_handler_asks_them_of_its_context() {
    let did = format!("did:oas:test:human-root:{}", "0".repeat(64));
    let invocation = Invocation { agent_did: did.clone(), ..RecordingHost::new().context().invocation };
    let host = RecordingHost::new().with_invocation(invocation).with_config(json!({ "a": 1 }));
    let told = host.invoke::<Asking>("who", &json!({}));
    assert_eq!(told, Ok(json!({ "root": did, "kind": "HumanRoot", "config": { "a": 1 } })));
}

#[test]
fn local_admin_is_for_development() {
    let Admin { did, identity } = vectors().local_admin;
    assert_eq!(Identity::local_admin(&did), identity);
}
