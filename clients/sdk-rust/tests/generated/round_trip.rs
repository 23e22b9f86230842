// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.

use super::again;
use serde_json::{Result, Value};
use svc_sdk::protocols::{macs, marc, mata};

/// The value, read as the type of its place and written again; none for a place that is not here.
pub fn round_trip(place: (&str, &str, &str), value: Value) -> Option<Result<Value>> {
    Some(match place {
        ("MACS", "add_workload", "input") => again::<macs::AddWorkloadInput>(value),
        ("MACS", "add_workload", "output") => again::<macs::AddWorkloadOutput>(value),
        ("MACS", "auth_negotiation", "input") => again::<macs::AuthNegotiationInput>(value),
        ("MACS", "auth_negotiation", "output") => again::<macs::AuthNegotiationOutput>(value),
        ("MACS", "authorization_request", "input") => again::<macs::AuthorizationRequestInput>(value),
        ("MACS", "authorization_request", "output") => again::<macs::AuthorizationRequestOutput>(value),
        ("MACS", "create_key", "input") => again::<macs::CreateKeyInput>(value),
        ("MACS", "create_key", "output") => again::<macs::CreateKeyOutput>(value),
        ("MACS", "derive", "input") => again::<macs::DeriveInput>(value),
        ("MACS", "derive", "output") => again::<macs::DeriveOutput>(value),
        ("MACS", "explain_access", "input") => again::<macs::ExplainAccessInput>(value),
        ("MACS", "explain_access", "output") => again::<macs::ExplainAccessOutput>(value),
        ("MACS", "generate_challenge", "input") => again::<macs::GenerateChallengeInput>(value),
        ("MACS", "generate_challenge", "output") => again::<macs::GenerateChallengeOutput>(value),
        ("MACS", "list", "input") => again::<macs::ListInput>(value),
        ("MACS", "list", "output") => again::<macs::ListOutput>(value),
        ("MACS", "list_keys", "input") => again::<macs::ListKeysInput>(value),
        ("MACS", "list_keys", "output") => again::<macs::ListKeysOutput>(value),
        ("MACS", "list_workloads", "input") => again::<macs::ListWorkloadsInput>(value),
        ("MACS", "list_workloads", "output") => again::<macs::ListWorkloadsOutput>(value),
        ("MACS", "recover_key", "input") => again::<macs::RecoverKeyInput>(value),
        ("MACS", "recover_key", "output") => again::<macs::RecoverKeyOutput>(value),
        ("MACS", "remove_workload", "input") => again::<macs::RemoveWorkloadInput>(value),
        ("MACS", "remove_workload", "output") => again::<macs::RemoveWorkloadOutput>(value),
        ("MACS", "revoke_key", "input") => again::<macs::RevokeKeyInput>(value),
        ("MACS", "revoke_key", "output") => again::<macs::RevokeKeyOutput>(value),
        ("MACS", "rotate_key", "input") => again::<macs::RotateKeyInput>(value),
        ("MACS", "rotate_key", "output") => again::<macs::RotateKeyOutput>(value),
        ("MACS", "set_state", "input") => again::<macs::SetStateInput>(value),
        ("MACS", "set_state", "output") => again::<macs::SetStateOutput>(value),
        ("MACS", "update_identity", "input") => again::<macs::UpdateIdentityInput>(value),
        ("MACS", "update_identity", "output") => again::<macs::UpdateIdentityOutput>(value),
        ("MACS", "verify_response", "input") => again::<macs::VerifyResponseInput>(value),
        ("MACS", "verify_response", "output") => again::<macs::VerifyResponseOutput>(value),
        ("MARC", "causal_analysis", "input") => again::<marc::CausalAnalysisInput>(value),
        ("MARC", "causal_analysis", "output") => again::<marc::CausalAnalysisOutput>(value),
        ("MARC", "publish_model", "input") => again::<marc::PublishModelInput>(value),
        ("MARC", "publish_model", "output") => again::<marc::PublishModelOutput>(value),
        ("MARC", "reasoning_task", "input") => again::<marc::ReasoningTaskInput>(value),
        ("MARC", "reasoning_task", "output") => again::<marc::ReasoningTaskOutput>(value),
        ("MATA", "pool", "input") => again::<mata::PoolInput>(value),
        ("MATA", "pool", "output") => again::<mata::PoolOutput>(value),
        ("MATA", "weight", "input") => again::<mata::WeightInput>(value),
        ("MATA", "weight", "output") => again::<mata::WeightOutput>(value),
        _ => return None,
    })
}
