// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.

use super::again;
use serde_json::{Result, Value};
use svc_sdk::protocols::{macs, marc, mata};

/// The value, read as the type of its place and written again; none for a place that is not here.
pub fn round_trip(place: (&str, &str, &str), value: Value) -> Option<Result<Value>> {
    Some(match place {
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
        ("MACS", "invite", "input") => again::<macs::InviteInput>(value),
        ("MACS", "invite", "output") => again::<macs::InviteOutput>(value),
        ("MACS", "list", "input") => again::<macs::ListInput>(value),
        ("MACS", "list", "output") => again::<macs::ListOutput>(value),
        ("MACS", "list_keys", "input") => again::<macs::ListKeysInput>(value),
        ("MACS", "list_keys", "output") => again::<macs::ListKeysOutput>(value),
        ("MACS", "people", "input") => again::<macs::PeopleInput>(value),
        ("MACS", "people", "output") => again::<macs::PeopleOutput>(value),
        ("MACS", "revoke_key", "input") => again::<macs::RevokeKeyInput>(value),
        ("MACS", "revoke_key", "output") => again::<macs::RevokeKeyOutput>(value),
        ("MACS", "roles", "input") => again::<macs::RolesInput>(value),
        ("MACS", "roles", "output") => again::<macs::RolesOutput>(value),
        ("MACS", "set_person", "input") => again::<macs::SetPersonInput>(value),
        ("MACS", "set_person", "output") => again::<macs::SetPersonOutput>(value),
        ("MACS", "set_role", "input") => again::<macs::SetRoleInput>(value),
        ("MACS", "set_role", "output") => again::<macs::SetRoleOutput>(value),
        ("MACS", "verify_response", "input") => again::<macs::VerifyResponseInput>(value),
        ("MACS", "verify_response", "output") => again::<macs::VerifyResponseOutput>(value),
        ("MACS", "withdraw_invitation", "input") => again::<macs::WithdrawInvitationInput>(value),
        ("MACS", "withdraw_invitation", "output") => again::<macs::WithdrawInvitationOutput>(value),
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
