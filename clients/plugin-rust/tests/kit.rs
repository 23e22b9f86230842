//! The kit's conversion between the engine's JSON and a handler's types.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use svc_plugin::{Code, Context, Invocation, Level, Plugin, RecordingHost, Refusal, Said};

#[derive(Deserialize)]
struct Sum {
    left: i64,
    right: i64,
}

#[derive(Serialize)]
struct Summed {
    sum: i64,
}

fn add(input: Sum, context: &Context) -> Result<Summed, Refusal> {
    context.log(Level::Debug, &context.invocation.tenant_id);
    let sum = input.left.checked_add(input.right);
    let sum = sum.ok_or_else(|| Refusal::policy_denied("The sum is too large; send less."))?;
    Ok(Summed { sum })
}

fn ask(input: Value, context: &Context) -> Result<Summed, Refusal> {
    let sum = context.call("ADD", "up", &input)?;
    context.audit("custom.asked", &json!({ "sum": sum }))?;
    Ok(Summed { sum })
}

#[derive(Deserialize)]
struct Settings {
    greeting: String,
}

fn greet(_input: Value, context: &Context) -> Result<String, Refusal> {
    context.config().map(|settings: Settings| settings.greeting)
}

svc_plugin::plugin! { Adder { add, ask, "greet.all" => greet } }

fn code_of(answer: Result<Value, Refusal>) -> Option<Code> {
    answer.err().map(|refusal| refusal.code)
}

#[test]
fn operations_are_named_by_their_handlers_or_by_a_text() {
    assert_eq!(Adder::operations(), ["add", "ask", "greet.all"]);
    let answer = code_of(RecordingHost::new().invoke::<Adder>("subtract", &json!({})));
    assert_eq!(answer, Some(Code::NotFound));
}

#[test]
fn json_becomes_types_and_types_json() {
    let host = RecordingHost::new();
    let add = |left: Value| host.invoke::<Adder>("add", &json!({ "left": left, "right": 2 }));
    assert_eq!(add(json!(40)), Ok(json!({ "sum": 42 })));
    assert_eq!(code_of(add(json!("many"))), Some(Code::InvalidPayload));
    assert_eq!(code_of(add(json!(i64::MAX))), Some(Code::PolicyDenied));
    assert_eq!(host.said()[0], Said::Log(Level::Debug, "test".into()));
}

#[test]
fn a_call_is_answered_by_the_test_or_refused() {
    let asked = |host: &RecordingHost| host.invoke::<Adder>("ask", &json!({ "of": 1 }));
    assert_eq!(code_of(asked(&RecordingHost::new())), Some(Code::CapabilityDenied));
    let odd = RecordingHost::new().answering("ADD", "up", |_| Ok(json!("odd")));
    assert_eq!(code_of(asked(&odd)), Some(Code::AdapterError));
    let host = RecordingHost::new().answering("ADD", "up", |input| Ok(input["of"].clone()));
    assert_eq!(asked(&host), Ok(json!({ "sum": 1 })));
    let call = Said::Call("ADD".into(), "up".into(), json!({ "of": 1 }));
    let event = Said::Audit("custom.asked".into(), json!({ "sum": 1 }));
    assert_eq!(host.said(), [call, event]);
}

#[test]
fn a_configuration_that_does_not_fit_is_the_operators_to_mend() {
    let greet = |host: RecordingHost| host.invoke::<Adder>("greet.all", &json!({}));
    assert_eq!(code_of(greet(RecordingHost::new())), Some(Code::AdapterError));
    let host = RecordingHost::new().with_config(json!({ "greeting": "hello" }));
    assert_eq!(greet(host), Ok(json!("hello")));
}

#[test]
fn an_event_that_the_audit_log_would_not_take_is_refused_in_the_test_too() {
    let host = RecordingHost::new();
    let context = host.context();
    assert!(context.audit("Error", &json!({})).is_err());
    assert!(context.audit("custom.list", &json!([])).is_err());
    for event_type in ["custom.", "custom.Loud", "custom.7th", "custom.a b"] {
        assert!(context.audit(event_type, &json!({})).is_err(), "{event_type}");
    }
    assert!(context.audit("custom.large", &json!({ "text": "x".repeat(16 * 1024) })).is_err());
}

#[test]
fn a_context_of_the_engine_is_read_whole_and_one_of_a_newer_engine_too() {
    let context = json!({
        "correlation_id": "6f1b", "tenant_id": "acme", "agent_did": "did:oas:acme:agent:1",
        "resolved_identity": {
            "did": "did:oas:acme:agent:1", "entity_kind": "Agent", "human_root_did": "did:oas:acme:human:2",
            "lineage_depth": 1, "lineage_verified": true, "conformance_level": "L1",
            "capabilities": [{ "name": "svc.units.*", "caveats": [], "limits": { "calls_per_day": 5 } }],
            "service_endpoints": [], "revoked": false, "auth_method": "did-auth", "extended": {}
        },
        "trace_context": { "traceparent": "00-1-2-01" },
        "timestamp": "2026-01-01T00:00:00.000Z", "metadata": { "a": 1 }, "newer": true
    });
    let invocation: Invocation = serde_json::from_value(context).expect("a context");
    assert_eq!(invocation.caller_entity_kind(), "Agent");
    assert_eq!(invocation.caller_human_root(), Some("did:oas:acme:human:2"));
    assert!(invocation.caller_lineage_verified());

    let bare = RecordingHost::new().context().invocation;
    assert_eq!(
        (bare.caller_entity_kind().as_str(), bare.caller_lineage_verified()),
        ("Unknown(none)", false)
    );
}
