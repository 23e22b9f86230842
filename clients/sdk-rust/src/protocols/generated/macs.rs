// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
//! MACS v1.0.0. Proves an agent’s identity by its key and lineage, reports its capabilities, derives child identities, and manages people and roles.

use crate::attenuation::AgentCapability;
use crate::delegation::DelegationToken;
use crate::key_events::KeyEvent;
use crate::lineage::LineageStatement;
use crate::{CallOptions, Client, Error};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Proves an agent’s identity by its key and lineage, reports its capabilities, derives child identities, and manages people and roles.
///
/// A method is called like its operation and answers its output alone; `Client::dispatch` answers it with what
/// the service says about the call.
#[derive(Clone, Debug)]
pub struct Macs<'a> {
    pub(crate) client: &'a Client,
    pub(crate) options: CallOptions,
}

impl Client {
    /// The operations of MACS.
    pub fn macs(&self) -> Macs<'_> {
        Macs { client: self, options: CallOptions::default() }
    }
}

impl Macs<'_> {
    /// How the calls that follow are made.
    #[must_use]
    pub fn with(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// Let tokens of another platform act as you or a descendant, without a stored secret.
    ///
    /// A write: never repeated.
    ///
    /// ```no_run
    /// # use std::collections::BTreeMap;
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::AddWorkloadInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = AddWorkloadInput::new(
    ///     "did:oas:acme:agent:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
    ///     "https://token.actions.githubusercontent.com",
    ///     "https://svc.acme.example",
    ///     BTreeMap::from([
    ///         ("repository".into(), vec!["acme/app".into()]),
    ///         ("ref".into(), vec!["refs/heads/main".into()]),
    ///     ]),
    /// );
    /// let output = client.macs().add_workload(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn add_workload(&self, input: &AddWorkloadInput) -> Result<AddWorkloadOutput, Error> {
        self.call("add_workload", input).await
    }

    /// Agree on how this agent will prove its identity.
    ///
    /// A write: never repeated.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::AuthNegotiationInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = AuthNegotiationInput::new("DidAuth", "Nonce");
    /// let output = client.macs().auth_negotiation(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn auth_negotiation(
        &self,
        input: &AuthNegotiationInput,
    ) -> Result<AuthNegotiationOutput, Error> {
        self.call("auth_negotiation", input).await
    }

    /// Ask what an agent may do right now.
    ///
    /// A read: repeated by the rules of retries.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::AuthorizationRequestInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = AuthorizationRequestInput::new(
    ///     "did:oas:acme:agent:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
    /// )
    /// .protocol("MIND");
    /// let output = client.macs().authorization_request(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn authorization_request(
        &self,
        input: &AuthorizationRequestInput,
    ) -> Result<AuthorizationRequestOutput, Error> {
        self.call("authorization_request", input).await
    }

    /// Make an API key for yourself or a descendant, that may never do more than its agent.
    ///
    /// A write: never repeated.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::CreateKeyInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = CreateKeyInput::new("night shift")
    ///     .capabilities(vec!["svc.macs.list".into()])
    ///     .networks(vec!["10.0.0.0/8".into()])
    ///     .weekly_budget_usd("5");
    /// let output = client.macs().create_key(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_key(&self, input: &CreateKeyInput) -> Result<CreateKeyOutput, Error> {
        self.call("create_key", input).await
    }

    /// Create a child identity under the caller, with at most the capabilities of the caller.
    ///
    /// A write: never repeated.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::attenuation::AgentCapability;
    /// use svc_sdk::protocols::macs::{DeriveEntityKind, DeriveInput};
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = DeriveInput::new(DeriveEntityKind::AgentInstance, "worker")
    ///     .index(0)
    ///     .capabilities(vec![
    ///         AgentCapability {
    ///             name: "svc.macs.auth_negotiation".into(),
    ///             expires_at: None,
    ///             limits: None,
    ///             caveats: vec![],
    ///         },
    ///     ]);
    /// let output = client.macs().derive(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn derive(&self, input: &DeriveInput) -> Result<DeriveOutput, Error> {
        self.call("derive", input).await
    }

    /// Explain why an identity may call an operation or not: every path of authority, and the one used.
    ///
    /// A read: repeated by the rules of retries.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::ExplainAccessInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = ExplainAccessInput::default()
    ///     .agent_did(
    ///         "did:oas:acme:agent:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
    ///     )
    ///     .protocol("MARS")
    ///     .operation("query_registry");
    /// let output = client.macs().explain_access(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn explain_access(&self, input: &ExplainAccessInput) -> Result<ExplainAccessOutput, Error> {
        self.call("explain_access", input).await
    }

    /// Get the nonce to sign.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - `MACS.auth_negotiation`, which gives `session_id`.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::GenerateChallengeInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = GenerateChallengeInput::new("5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10");
    /// let output = client.macs().generate_challenge(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn generate_challenge(
        &self,
        input: &GenerateChallengeInput,
    ) -> Result<GenerateChallengeOutput, Error> {
        self.call("generate_challenge", input).await
    }

    /// Invite a person by a link that is good once and expires.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - You have the role administrator, and a colleague who signs in as ada.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::InviteInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = InviteInput::new("Ada Lovelace", vec!["viewer".into()]).days(7);
    /// let output = client.macs().invite(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn invite(&self, input: &InviteInput) -> Result<InviteOutput, Error> {
        self.call("invite", input).await
    }

    /// List the identities of your organization with parent, level, state and means of access.
    ///
    /// A read: repeated by the rules of retries.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::{ListEntityKind, ListInput};
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = ListInput::default().entity_kind(ListEntityKind::Agent).limit(10);
    /// let output = client.macs().list(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn list(&self, input: &ListInput) -> Result<ListOutput, Error> {
        self.call("list", input).await
    }

    /// List the API keys and sessions of yourself or a descendant.
    ///
    /// A read: repeated by the rules of retries.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::ListKeysInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = ListKeysInput::default().limit(10);
    /// let output = client.macs().list_keys(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn list_keys(&self, input: &ListKeysInput) -> Result<ListKeysOutput, Error> {
        self.call("list_keys", input).await
    }

    /// List which tokens of other platforms act as which agents of your organization.
    ///
    /// A read: repeated by the rules of retries.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::ListWorkloadsInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = ListWorkloadsInput::default().limit(10);
    /// let output = client.macs().list_workloads(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn list_workloads(&self, input: &ListWorkloadsInput) -> Result<ListWorkloadsOutput, Error> {
        self.call("list_workloads", input).await
    }

    /// List the people who can sign in, their roles, and open invitations.
    ///
    /// A read: repeated by the rules of retries.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::PeopleInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = PeopleInput::default().limit(10);
    /// let output = client.macs().people(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn people(&self, input: &PeopleInput) -> Result<PeopleOutput, Error> {
        self.call("people", input).await
    }

    /// Give an identity a new key, as its parent or one of those it has named for that.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - `MACS.derive`, which gives `did`.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::RecoverKeyInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = RecoverKeyInput::new(
    ///     "did:oas:acme:agent:b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7",
    /// );
    /// let output = client.macs().recover_key(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn recover_key(&self, input: &RecoverKeyInput) -> Result<RecoverKeyOutput, Error> {
        self.call("recover_key", input).await
    }

    /// Stop a workload from acting as an agent, and end its sessions and what they began.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - `MACS.add_workload`, which gives `workload_id`.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::RemoveWorkloadInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = RemoveWorkloadInput::new("4b7d0c92ae").reason("the pipeline is gone");
    /// let output = client.macs().remove_workload(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn remove_workload(&self, input: &RemoveWorkloadInput) -> Result<RemoveWorkloadOutput, Error> {
        self.call("remove_workload", input).await
    }

    /// Revoke an API key or end a session, of yourself, a descendant, or one that you made.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - `MACS.create_key`, which gives `key_id`.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::RevokeKeyInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = RevokeKeyInput::new("k4m7p2qx").reason("not used any more");
    /// let output = client.macs().revoke_key(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn revoke_key(&self, input: &RevokeKeyInput) -> Result<RevokeKeyOutput, Error> {
        self.call("revoke_key", input).await
    }

    /// List the roles of your organization and what each allows.
    ///
    /// A read: repeated by the rules of retries.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::RolesInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = RolesInput::default();
    /// let output = client.macs().roles(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn roles(&self, input: &RolesInput) -> Result<RolesOutput, Error> {
        self.call("roles", input).await
    }

    /// Change to the key that was committed to, and commit to the one after.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - `MACS.derive`, which gives `did`.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::RotateKeyInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = RotateKeyInput::default()
    ///     .agent_did(
    ///         "did:oas:acme:agent:b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7",
    ///     );
    /// let output = client.macs().rotate_key(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn rotate_key(&self, input: &RotateKeyInput) -> Result<RotateKeyOutput, Error> {
        self.call("rotate_key", input).await
    }

    /// Give roles to a person, end them, or end the account.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - You have the role administrator, and a colleague who signs in as ada.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::SetPersonInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = SetPersonInput::new("ada").give(vec!["finance".into()]);
    /// let output = client.macs().set_person(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn set_person(&self, input: &SetPersonInput) -> Result<SetPersonOutput, Error> {
        self.call("set_person", input).await
    }

    /// Change what a role allows, make a role of your own, or reset one.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - You have the role administrator, and a colleague who signs in as ada.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::SetRoleInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = SetRoleInput::new("buyer").add(vec!["svc.market.*".into()]);
    /// let output = client.macs().set_role(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn set_role(&self, input: &SetRoleInput) -> Result<SetRoleOutput, Error> {
        self.call("set_role", input).await
    }

    /// Suspend, resume or revoke an identity with all its descendants.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - `MACS.derive`, which gives `did`.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::{SetStateInput, SetStateState};
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = SetStateInput::new(
    ///     "did:oas:acme:agent:b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7",
    ///     SetStateState::Suspended,
    ///     "It answers strangers.",
    /// );
    /// let output = client.macs().set_state(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn set_state(&self, input: &SetStateInput) -> Result<SetStateOutput, Error> {
        self.call("set_state", input).await
    }

    /// Change name, capabilities or endpoints in the document of yourself or a descendant.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - `MACS.derive`, which gives `did`.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::UpdateIdentityInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = UpdateIdentityInput::default()
    ///     .agent_did(
    ///         "did:oas:acme:agent:b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7",
    ///     )
    ///     .name("Porter of the east gate");
    /// let output = client.macs().update_identity(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn update_identity(&self, input: &UpdateIdentityInput) -> Result<UpdateIdentityOutput, Error> {
        self.call("update_identity", input).await
    }

    /// Prove that an agent holds its key, and verify its lineage.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - Make an Ed25519 key pair.
    /// - `MACS.derive`, which gives `did`, `document_signing_input`.
    /// - Sign the text of the answer with it.
    /// - `MACS.derive`.
    /// - `MACS.auth_negotiation`, which gives `session_id`.
    /// - `MACS.generate_challenge`, which gives `challenge_id`, `signing_input`.
    /// - Sign the text of the answer with it.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::VerifyResponseInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = VerifyResponseInput::new(
    ///     "c41d6b0e-52f7-4a1b-8d0c-3f6a9e2b7d15",
    ///     "did:oas:acme:agent:d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9",
    ///     "R7tq2Xw0Vb8mKc5Zn1Ls4Hd6Jf9Gp3Qy7Te0Au2Ix8w",
    ///     "yT5hJ8kN2vB4cX7zQ1wE6rU9iO3pA0sD5fG8yT5hJ8kN2vB4cX7zQ1wE6rU9iO3pA0sD5fG8hJ2kL4mN6bV8cA",
    /// );
    /// let output = client.macs().verify_response(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn verify_response(&self, input: &VerifyResponseInput) -> Result<VerifyResponseOutput, Error> {
        self.call("verify_response", input).await
    }

    /// Withdraw an open invitation; its link opens nothing any more.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - You have the role administrator, and a colleague who signs in as ada.
    /// - `MACS.invite`, which gives `invitation_id`.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::WithdrawInvitationInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = WithdrawInvitationInput::new("0d4a1c7e-6b1f-4f0a-9a37-2f6e8c1d5b90");
    /// let output = client.macs().withdraw_invitation(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn withdraw_invitation(
        &self,
        input: &WithdrawInvitationInput,
    ) -> Result<WithdrawInvitationOutput, Error> {
        self.call("withdraw_invitation", input).await
    }

    async fn call<I, O>(&self, operation: &str, input: &I) -> Result<O, Error>
    where
        I: Serialize,
        O: DeserializeOwned,
    {
        let client = self.client;
        let asking = client.dispatch("MACS", operation, input, &self.options);
        Ok(asking.await?.output)
    }
}

/// Let tokens of another platform act as you or a descendant, without a stored secret.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AddWorkloadInput {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    /// As in the iss of its tokens; its public keys are read there.
    pub issuer: String,
    pub audience: String,
    /// Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects.
    pub claims: BTreeMap<String, Vec<String>>,
}

impl AddWorkloadInput {
    /// With all it needs.
    pub fn new(
        agent_did: impl Into<String>,
        issuer: impl Into<String>,
        audience: impl Into<String>,
        claims: BTreeMap<String, Vec<String>>,
    ) -> Self {
        Self { agent_did: agent_did.into(), issuer: issuer.into(), audience: audience.into(), claims }
    }
}

/// Answer of MACS add_workload.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AddWorkloadOutput {
    /// Matches `^[0-9a-f]{10}$`.
    pub workload_id: String,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    /// As in the iss of its tokens; its public keys are read there.
    pub issuer: String,
    pub audience: String,
    /// Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects.
    pub claims: BTreeMap<String, Vec<String>>,
}

/// Agree on how this agent will prove its identity.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuthNegotiationInput {
    /// Matches `^[A-Za-z][A-Za-z0-9-]{0,63}$`.
    pub profile: String,
    /// Matches `^[A-Za-z][A-Za-z0-9-]{0,63}$`.
    pub challenge_kind: String,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_did: Option<String>,
}

impl AuthNegotiationInput {
    /// With all it needs; the rest is set by name.
    pub fn new(profile: impl Into<String>, challenge_kind: impl Into<String>) -> Self {
        Self { profile: profile.into(), challenge_kind: challenge_kind.into(), agent_did: None }
    }

    /// Sets `agent_did`.
    #[must_use]
    pub fn agent_did(mut self, agent_did: impl Into<String>) -> Self {
        self.agent_did = Some(agent_did.into());
        self
    }
}

/// Answer of MACS auth_negotiation.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuthNegotiationOutput {
    /// UUID in lower case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    pub accepted: bool,
    pub profile: String,
    pub challenge_kind: String,
    pub alternatives: Vec<AuthNegotiationAlternative>,
    pub signature_suite: AuthNegotiationSignatureSuite,
    pub domain: String,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuthNegotiationAlternative {
    pub profile: String,
    pub challenge_kind: String,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum AuthNegotiationSignatureSuite {
    /// `Ed25519`
    Ed25519,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Ask what an agent may do right now.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuthorizationRequestInput {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Matches `^[A-Za-z]{2,16}$`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
}

impl AuthorizationRequestInput {
    /// With all it needs; the rest is set by name.
    pub fn new(agent_did: impl Into<String>) -> Self {
        Self { agent_did: agent_did.into(), at: None, protocol: None }
    }

    /// Sets `at`.
    #[must_use]
    pub fn at(mut self, at: impl Into<String>) -> Self {
        self.at = Some(at.into());
        self
    }

    /// Sets `protocol`.
    #[must_use]
    pub fn protocol(mut self, protocol: impl Into<String>) -> Self {
        self.protocol = Some(protocol.into());
        self
    }
}

/// Answer of MACS authorization_request.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuthorizationRequestOutput {
    pub capabilities: Vec<AuthorizationRequestCapability>,
    pub excluded: Vec<AuthorizationRequestExcluded>,
    /// RFC 3339 time in UTC.
    pub composed_at: String,
    pub cache_ttl_seconds: i64,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuthorizationRequestCapability {
    pub name: String,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<CapabilityLimits>,
    pub caveats: Vec<String>,
    pub source: AuthorizationRequestCapabilitySource,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_ref: Option<String>,
    pub satisfied_now: bool,
    pub unsatisfied: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CapabilityLimits {
    /// Basis points of the tenant budget per call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_per_call_bps: Option<u64>,
    /// Calls per hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_per_hour: Option<u64>,
    /// Hard token ceiling per call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
}

impl CapabilityLimits {
    /// Sets `max_per_call_bps`.
    #[must_use]
    pub fn max_per_call_bps(mut self, max_per_call_bps: u64) -> Self {
        self.max_per_call_bps = Some(max_per_call_bps);
        self
    }

    /// Sets `max_per_hour`.
    #[must_use]
    pub fn max_per_hour(mut self, max_per_hour: u64) -> Self {
        self.max_per_hour = Some(max_per_hour);
        self
    }

    /// Sets `max_tokens`.
    #[must_use]
    pub fn max_tokens(mut self, max_tokens: u64) -> Self {
        self.max_tokens = Some(max_tokens);
        self
    }
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum AuthorizationRequestCapabilitySource {
    /// `declared`
    #[serde(rename = "declared")]
    Declared,
    /// `key`
    #[serde(rename = "key")]
    Key,
    /// `delegation`
    #[serde(rename = "delegation")]
    Delegation,
    /// `treaty`
    #[serde(rename = "treaty")]
    Treaty,
    /// `envelope`
    #[serde(rename = "envelope")]
    Envelope,
    /// `role`
    #[serde(rename = "role")]
    Role,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuthorizationRequestExcluded {
    pub name: String,
    pub why: AuthorizationRequestExcludedWhy,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum AuthorizationRequestExcludedWhy {
    /// `revoked`
    #[serde(rename = "revoked")]
    Revoked,
    /// `expired`
    #[serde(rename = "expired")]
    Expired,
    /// `over_depth`
    #[serde(rename = "over_depth")]
    OverDepth,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Make an API key for yourself or a descendant, that may never do more than its agent.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CreateKeyInput {
    /// Default: yourself. Or a descendant of yours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_did: Option<String>,
    pub label: String,
    /// What it may be used for; default: all that its agent holds now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<String>>,
    /// At most 366 days ahead; default 90.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Where it may be used from; default: anywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub networks: Option<Vec<String>>,
    /// What all calls with it may cost in an ISO week, UTC; default: what its agent may spend.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weekly_budget_usd: Option<String>,
}

impl CreateKeyInput {
    /// With all it needs; the rest is set by name.
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            agent_did: None,
            label: label.into(),
            capabilities: None,
            expires_at: None,
            networks: None,
            weekly_budget_usd: None,
        }
    }

    /// Sets `agent_did`.
    #[must_use]
    pub fn agent_did(mut self, agent_did: impl Into<String>) -> Self {
        self.agent_did = Some(agent_did.into());
        self
    }

    /// Sets `capabilities`.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Vec<String>) -> Self {
        self.capabilities = Some(capabilities);
        self
    }

    /// Sets `expires_at`.
    #[must_use]
    pub fn expires_at(mut self, expires_at: impl Into<String>) -> Self {
        self.expires_at = Some(expires_at.into());
        self
    }

    /// Sets `networks`.
    #[must_use]
    pub fn networks(mut self, networks: Vec<String>) -> Self {
        self.networks = Some(networks);
        self
    }

    /// Sets `weekly_budget_usd`.
    #[must_use]
    pub fn weekly_budget_usd(mut self, weekly_budget_usd: impl Into<String>) -> Self {
        self.weekly_budget_usd = Some(weekly_budget_usd.into());
        self
    }
}

/// Answer of MACS create_key.
#[derive(Clone, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CreateKeyOutput {
    /// Matches `^[a-z0-9]{8}$`.
    pub key_id: String,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<String>>,
    pub networks: Vec<String>,
    /// US dollars with six decimal places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weekly_budget_usd: Option<String>,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Shown once: only its hash is stored.
    pub api_key: String,
}

impl std::fmt::Debug for CreateKeyOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CreateKeyOutput { .. }")
    }
}

/// Create a child identity under the caller, with at most the capabilities of the caller.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeriveInput {
    pub entity_kind: DeriveEntityKind,
    /// Names a child among its siblings.
    pub label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<AgentCapability>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_endpoints: Option<Vec<DeriveServiceEndpoint>>,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custody: Option<DeriveCustody>,
    /// Ed25519 public key, 32 bytes, base64url.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child_public_key: Option<String>,
    /// Ed25519 public key, 32 bytes, base64url.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_public_key: Option<String>,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Ed25519 signature, 64 bytes, base64url.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Ed25519 signature, 64 bytes, base64url.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_proof: Option<String>,
}

impl DeriveInput {
    /// With all it needs; the rest is set by name.
    pub fn new(entity_kind: DeriveEntityKind, label: impl Into<String>) -> Self {
        Self {
            entity_kind,
            label: label.into(),
            index: None,
            name: None,
            capabilities: None,
            service_endpoints: None,
            expires_at: None,
            custody: None,
            child_public_key: None,
            parent_public_key: None,
            created_at: None,
            signature: None,
            document_proof: None,
        }
    }

    /// Sets `index`.
    #[must_use]
    pub fn index(mut self, index: u64) -> Self {
        self.index = Some(index);
        self
    }

    /// Sets `name`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets `capabilities`.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Vec<AgentCapability>) -> Self {
        self.capabilities = Some(capabilities);
        self
    }

    /// Sets `service_endpoints`.
    #[must_use]
    pub fn service_endpoints(mut self, service_endpoints: Vec<DeriveServiceEndpoint>) -> Self {
        self.service_endpoints = Some(service_endpoints);
        self
    }

    /// Sets `expires_at`.
    #[must_use]
    pub fn expires_at(mut self, expires_at: impl Into<String>) -> Self {
        self.expires_at = Some(expires_at.into());
        self
    }

    /// Sets `custody`.
    #[must_use]
    pub fn custody(mut self, custody: DeriveCustody) -> Self {
        self.custody = Some(custody);
        self
    }

    /// Sets `child_public_key`.
    #[must_use]
    pub fn child_public_key(mut self, child_public_key: impl Into<String>) -> Self {
        self.child_public_key = Some(child_public_key.into());
        self
    }

    /// Sets `parent_public_key`.
    #[must_use]
    pub fn parent_public_key(mut self, parent_public_key: impl Into<String>) -> Self {
        self.parent_public_key = Some(parent_public_key.into());
        self
    }

    /// Sets `created_at`.
    #[must_use]
    pub fn created_at(mut self, created_at: impl Into<String>) -> Self {
        self.created_at = Some(created_at.into());
        self
    }

    /// Sets `signature`.
    #[must_use]
    pub fn signature(mut self, signature: impl Into<String>) -> Self {
        self.signature = Some(signature.into());
        self
    }

    /// Sets `document_proof`.
    #[must_use]
    pub fn document_proof(mut self, document_proof: impl Into<String>) -> Self {
        self.document_proof = Some(document_proof.into());
        self
    }
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum DeriveEntityKind {
    /// `HumanRoot`
    HumanRoot,
    /// `MultiHumanRoot`
    MultiHumanRoot,
    /// `EntityNameRecord`
    EntityNameRecord,
    /// `Agent`
    Agent,
    /// `AgentInstance`
    AgentInstance,
    /// `Tool`
    Tool,
    /// `Skill`
    Skill,
    /// `Workflow`
    Workflow,
    /// `Model`
    Model,
    /// `Dataset`
    Dataset,
    /// `Service`
    Service,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeriveServiceEndpoint {
    pub kind: String,
    /// Matches `^https?://[^\s/?#@]+([/?#][^\s]*)?$`.
    pub url: String,
    pub protocols: Vec<String>,
}

impl DeriveServiceEndpoint {
    /// With all it needs.
    pub fn new(kind: impl Into<String>, url: impl Into<String>, protocols: Vec<String>) -> Self {
        Self { kind: kind.into(), url: url.into(), protocols }
    }
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum DeriveCustody {
    /// `engine`
    #[serde(rename = "engine")]
    Engine,
    /// `client`
    #[serde(rename = "client")]
    Client,
}

/// Answer of MACS derive.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeriveOutput {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub did: String,
    /// Ed25519 public key, 32 bytes, base64url.
    pub public_key: String,
    /// One link of descent, signed by the parent.
    pub lineage_statement: LineageStatement,
    pub document: DeriveDocument,
    /// Content address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_signing_input: Option<String>,
    pub lineage_depth: u64,
    pub created: bool,
    pub published: bool,
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeriveDocument {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub id: String,
    /// Matches `^(HumanRoot|MultiHumanRoot|EntityNameRecord|Agent|AgentInstance|Tool|Skill|Workflow|Model|Dataset|Service|Unknown\([^()]{0,64}\))$`.
    pub entity_kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Ed25519 public key, 32 bytes, base64url.
    pub public_key: String,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator_did: Option<String>,
    pub lineage: Vec<LineageStatement>,
    pub capabilities: Vec<AgentCapability>,
    pub service_endpoints: Vec<AgentServiceEndpoint>,
    pub revoked: bool,
    pub extended: Map<String, Value>,
    pub version: u64,
    /// RFC 3339 time in UTC.
    pub updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_events: Option<Vec<KeyEvent>>,
    /// Ed25519 signature, 64 bytes, base64url.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AgentServiceEndpoint {
    pub kind: String,
    pub url: String,
    pub protocols: Vec<String>,
}

/// Explain why an identity may call an operation or not: every path of authority, and the one used.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessInput {
    /// Default: the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_did: Option<String>,
    /// Of an operation, such as svc.mind.recall; or name both below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Matches `^[A-Za-z]{2,16}$`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Matches `^[a-z][a-z0-9_.]{0,63}$`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Where it would be called; default: your own organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_tenant: Option<String>,
    /// By which expiry, caveats and treaties are judged; grants are those of now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

impl ExplainAccessInput {
    /// Sets `agent_did`.
    #[must_use]
    pub fn agent_did(mut self, agent_did: impl Into<String>) -> Self {
        self.agent_did = Some(agent_did.into());
        self
    }

    /// Sets `capability`.
    #[must_use]
    pub fn capability(mut self, capability: impl Into<String>) -> Self {
        self.capability = Some(capability.into());
        self
    }

    /// Sets `protocol`.
    #[must_use]
    pub fn protocol(mut self, protocol: impl Into<String>) -> Self {
        self.protocol = Some(protocol.into());
        self
    }

    /// Sets `operation`.
    #[must_use]
    pub fn operation(mut self, operation: impl Into<String>) -> Self {
        self.operation = Some(operation.into());
        self
    }

    /// Sets `target_tenant`.
    #[must_use]
    pub fn target_tenant(mut self, target_tenant: impl Into<String>) -> Self {
        self.target_tenant = Some(target_tenant.into());
        self
    }

    /// Sets `at`.
    #[must_use]
    pub fn at(mut self, at: impl Into<String>) -> Self {
        self.at = Some(at.into());
        self
    }
}

/// Answer of MACS explain_access.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessOutput {
    pub agent: ExplainAccessAgent,
    pub capability: String,
    /// Tenant id.
    pub target_tenant: String,
    /// RFC 3339 time in UTC.
    pub at: String,
    /// By stage 4, for a call without input; limits and budgets come later.
    pub allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<ExplainAccessRefusal>,
    /// Of the key you ask with, about yourself: a call must also fit into what is left of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_budget: Option<ExplainAccessKeyBudget>,
    /// In the order in which they are tried; those that no longer count are last.
    pub paths: Vec<ExplainAccessPath>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessAgent {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub did: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessRefusal {
    pub code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub sentence: String,
}

/// Of the key you ask with, about yourself: a call must also fit into what is left of it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessKeyBudget {
    /// US dollars with six decimal places.
    pub weekly_budget_usd: String,
    /// US dollars with six decimal places.
    pub spent_this_week_usd: String,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessPath {
    pub source: ExplainAccessPathSource,
    pub capability: String,
    /// The delegation token, treaty, envelope or name of the role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_ref: Option<String>,
    /// Of an envelope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub department: Option<String>,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<CapabilityLimits>,
    pub caveats: Vec<String>,
    pub usable: bool,
    /// A call would use this one.
    pub used: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<ExplainAccessPathBlocked>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<Vec<ExplainAccessPathChain>>,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ExplainAccessPathSource {
    /// `open`
    #[serde(rename = "open")]
    Open,
    /// `declared`
    #[serde(rename = "declared")]
    Declared,
    /// `key`
    #[serde(rename = "key")]
    Key,
    /// `delegation`
    #[serde(rename = "delegation")]
    Delegation,
    /// `treaty`
    #[serde(rename = "treaty")]
    Treaty,
    /// `envelope`
    #[serde(rename = "envelope")]
    Envelope,
    /// `role`
    #[serde(rename = "role")]
    Role,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessPathBlocked {
    pub by: ExplainAccessPathBlockedBy,
    pub sentence: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ExplainAccessPathBlockedBy {
    /// `expired`
    #[serde(rename = "expired")]
    Expired,
    /// `revoked`
    #[serde(rename = "revoked")]
    Revoked,
    /// `over_depth`
    #[serde(rename = "over_depth")]
    OverDepth,
    /// `source_lost`
    #[serde(rename = "source_lost")]
    SourceLost,
    /// `caveat`
    #[serde(rename = "caveat")]
    Caveat,
    /// `input`
    #[serde(rename = "input")]
    Input,
    /// `treaty`
    #[serde(rename = "treaty")]
    Treaty,
    /// `level`
    #[serde(rename = "level")]
    Level,
    /// `policy`
    #[serde(rename = "policy")]
    Policy,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessPathChain {
    /// Content address.
    pub token_id: String,
    pub from: ExplainAccessAgent,
    pub to: ExplainAccessAgent,
    pub state: ExplainAccessPathChainState,
    /// RFC 3339 time in UTC.
    pub expires_at: String,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ExplainAccessPathChainState {
    /// `ACTIVE`
    ACTIVE,
    /// `EXPIRED`
    EXPIRED,
    /// `REVOKED`
    REVOKED,
    /// `PARENT_REVOKED`
    #[serde(rename = "PARENT_REVOKED")]
    PARENTREVOKED,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Get the nonce to sign.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GenerateChallengeInput {
    /// UUID in lower case.
    pub session_id: String,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_did: Option<String>,
    /// Audience of the proof; default: this engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
}

impl GenerateChallengeInput {
    /// With all it needs; the rest is set by name.
    pub fn new(session_id: impl Into<String>) -> Self {
        Self { session_id: session_id.into(), agent_did: None, audience: None }
    }

    /// Sets `agent_did`.
    #[must_use]
    pub fn agent_did(mut self, agent_did: impl Into<String>) -> Self {
        self.agent_did = Some(agent_did.into());
        self
    }

    /// Sets `audience`.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }
}

/// Answer of MACS generate_challenge.
#[derive(Clone, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GenerateChallengeOutput {
    /// UUID in lower case.
    pub challenge_id: String,
    /// 32 bytes, base64url.
    pub nonce: String,
    pub audience: String,
    /// RFC 3339 time in UTC.
    pub issued_at: String,
    /// RFC 3339 time in UTC.
    pub expires_at: String,
    pub signing_input: String,
}

impl std::fmt::Debug for GenerateChallengeOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GenerateChallengeOutput { .. }")
    }
}

/// Invite a person by a link that is good once and expires.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InviteInput {
    pub name: String,
    pub roles: Vec<String>,
    /// How long it is good; default 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<u64>,
}

impl InviteInput {
    /// With all it needs; the rest is set by name.
    pub fn new(name: impl Into<String>, roles: Vec<String>) -> Self {
        Self { name: name.into(), roles, days: None }
    }

    /// Sets `days`.
    #[must_use]
    pub fn days(mut self, days: u64) -> Self {
        self.days = Some(days);
        self
    }
}

/// Answer of MACS invite.
#[derive(Clone, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InviteOutput {
    /// UUID in lower case.
    pub invitation_id: String,
    /// Good once, for whoever opens it. Shown once: only a hash is stored.
    pub link: String,
    /// RFC 3339 time in UTC.
    pub expires_at: String,
}

impl std::fmt::Debug for InviteOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InviteOutput { .. }")
    }
}

/// List the identities of your organization with parent, level, state and means of access.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListInput {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_kind: Option<ListEntityKind>,
    /// Default `25`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// next_cursor of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl ListInput {
    /// Sets `did`.
    #[must_use]
    pub fn did(mut self, did: impl Into<String>) -> Self {
        self.did = Some(did.into());
        self
    }

    /// Sets `entity_kind`.
    #[must_use]
    pub fn entity_kind(mut self, entity_kind: ListEntityKind) -> Self {
        self.entity_kind = Some(entity_kind);
        self
    }

    /// Sets `limit`.
    #[must_use]
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Sets `cursor`.
    #[must_use]
    pub fn cursor(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ListEntityKind {
    /// `HumanRoot`
    HumanRoot,
    /// `MultiHumanRoot`
    MultiHumanRoot,
    /// `EntityNameRecord`
    EntityNameRecord,
    /// `Agent`
    Agent,
    /// `AgentInstance`
    AgentInstance,
    /// `Tool`
    Tool,
    /// `Skill`
    Skill,
    /// `Workflow`
    Workflow,
    /// `Model`
    Model,
    /// `Dataset`
    Dataset,
    /// `Service`
    Service,
}

/// Answer of MACS list.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListOutput {
    pub items: Vec<ListItem>,
    /// There may be more entries, even after a page that is not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListItem {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub did: String,
    /// Matches `^(HumanRoot|MultiHumanRoot|EntityNameRecord|Agent|AgentInstance|Tool|Skill|Workflow|Model|Dataset|Service|Unknown\([^()]{0,64}\))$`.
    pub entity_kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// unresolved: its document is not available now.
    pub state: ListItemState,
    pub conformance_level: ListItemConformanceLevel,
    pub lineage_verified: bool,
    pub lineage_depth: u64,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_did: Option<String>,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human_root_did: Option<String>,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived_at: Option<String>,
    pub in_charter: bool,
    /// Number of capabilities it holds now; authorization_request lists them.
    pub capabilities: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked: Option<ListItemRevoked>,
    /// Visible to the identity itself and to charter members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials: Option<ListItemCredentials>,
}

/// unresolved: its document is not available now.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ListItemState {
    /// `active`
    #[serde(rename = "active")]
    Active,
    /// `unresolved`
    #[serde(rename = "unresolved")]
    Unresolved,
    /// `suspended`
    #[serde(rename = "suspended")]
    Suspended,
    /// `revoked`
    #[serde(rename = "revoked")]
    Revoked,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ListItemConformanceLevel {
    /// `L0`
    L0,
    /// `L1`
    L1,
    /// `L2`
    L2,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListItemRevoked {
    /// RFC 3339 time in UTC.
    pub at: String,
    pub reason: String,
    pub by: String,
}

/// Visible to the identity itself and to charter members.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListItemCredentials {
    pub keys_live: u64,
    pub keys_ended: u64,
    pub sessions_live: u64,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
    /// The engine holds its private key.
    pub in_custody: bool,
}

/// List the API keys and sessions of yourself or a descendant.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListKeysInput {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_did: Option<String>,
    /// Only entries from this time on, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Default `25`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// next_cursor of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl ListKeysInput {
    /// Sets `agent_did`.
    #[must_use]
    pub fn agent_did(mut self, agent_did: impl Into<String>) -> Self {
        self.agent_did = Some(agent_did.into());
        self
    }

    /// Sets `since`.
    #[must_use]
    pub fn since(mut self, since: impl Into<String>) -> Self {
        self.since = Some(since.into());
        self
    }

    /// Sets `limit`.
    #[must_use]
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Sets `cursor`.
    #[must_use]
    pub fn cursor(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }
}

/// Answer of MACS list_keys.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListKeysOutput {
    pub items: Vec<ListKeysItem>,
    /// There may be more entries, even after a page that is not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListKeysItem {
    /// Matches `^[a-z0-9]{8}$`.
    pub key_id: String,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<String>>,
    pub networks: Vec<String>,
    /// US dollars with six decimal places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weekly_budget_usd: Option<String>,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Of its weekly budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent_this_week_usd: Option<String>,
    pub kind: ListKeysItemKind,
    pub state: ListKeysItemState,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    /// RFC 3339 time in UTC.
    pub created_at: String,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ListKeysItemKind {
    /// `key`
    #[serde(rename = "key")]
    Key,
    /// `session`
    #[serde(rename = "session")]
    Session,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ListKeysItemState {
    /// `live`
    #[serde(rename = "live")]
    Live,
    /// `expired`
    #[serde(rename = "expired")]
    Expired,
    /// `revoked`
    #[serde(rename = "revoked")]
    Revoked,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// List which tokens of other platforms act as which agents of your organization.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListWorkloadsInput {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_did: Option<String>,
    /// Only entries from this time on, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Default `25`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// next_cursor of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl ListWorkloadsInput {
    /// Sets `agent_did`.
    #[must_use]
    pub fn agent_did(mut self, agent_did: impl Into<String>) -> Self {
        self.agent_did = Some(agent_did.into());
        self
    }

    /// Sets `since`.
    #[must_use]
    pub fn since(mut self, since: impl Into<String>) -> Self {
        self.since = Some(since.into());
        self
    }

    /// Sets `limit`.
    #[must_use]
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Sets `cursor`.
    #[must_use]
    pub fn cursor(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }
}

/// Answer of MACS list_workloads.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListWorkloadsOutput {
    pub items: Vec<ListWorkloadsItem>,
    /// There may be more entries, even after a page that is not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListWorkloadsItem {
    /// Matches `^[0-9a-f]{10}$`.
    pub workload_id: String,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    pub issuer: String,
    pub audience: String,
    /// Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects.
    pub claims: BTreeMap<String, Vec<String>>,
    /// The operator stored the keys of its issuer.
    pub has_stored_keys: bool,
    /// RFC 3339 time in UTC.
    pub created_at: String,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

/// List the people who can sign in, their roles, and open invitations.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PeopleInput {
    /// Default `25`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// next_cursor of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl PeopleInput {
    /// Sets `limit`.
    #[must_use]
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Sets `cursor`.
    #[must_use]
    pub fn cursor(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }
}

/// Answer of MACS people.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PeopleOutput {
    pub items: Vec<PeopleItem>,
    /// Those still open; on the first page only.
    pub invitations: Vec<PeopleInvitation>,
    /// There may be more entries, even after a page that is not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PeopleItem {
    /// Matches `^[a-z0-9][a-z0-9._+@-]{0,127}$`.
    pub login: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub roles: Vec<String>,
    /// Of these, those that single sign-on gives.
    pub claimed_roles: Vec<String>,
    pub state: PeopleItemState,
    pub signs_in_by: Vec<PeopleItemSignsInBy>,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    /// RFC 3339 time in UTC.
    pub created_at: String,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum PeopleItemState {
    /// `active`
    #[serde(rename = "active")]
    Active,
    /// `disabled`
    #[serde(rename = "disabled")]
    Disabled,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum PeopleItemSignsInBy {
    /// `password`
    #[serde(rename = "password")]
    Password,
    /// `single sign-on`
    #[serde(rename = "single sign-on")]
    SingleSignOn,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PeopleInvitation {
    /// UUID in lower case.
    pub invitation_id: String,
    pub name: String,
    pub roles: Vec<String>,
    /// RFC 3339 time in UTC.
    pub made_at: String,
    /// RFC 3339 time in UTC.
    pub expires_at: String,
}

/// Give an identity a new key, as its parent or one of those it has named for that.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecoverKeyInput {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    /// The new key. Where the engine keeps the keys, only to name an open recovery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
    /// With the first call: commits to the key after the new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_key_hash: Option<String>,
    /// Who can give this identity a new key, and how many of them it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RecoverKeyRecovery>,
    /// Of signing_input, by the new key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Of document_signing_input, by the new key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_proof: Option<String>,
    /// Of signing_input, by you; not needed where the engine keeps your key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_signature: Option<String>,
    /// Ed25519 public key, 32 bytes, base64url.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_public_key: Option<String>,
}

impl RecoverKeyInput {
    /// With all it needs; the rest is set by name.
    pub fn new(agent_did: impl Into<String>) -> Self {
        Self {
            agent_did: agent_did.into(),
            public_key: None,
            next_key_hash: None,
            recovery: None,
            signature: None,
            document_proof: None,
            own_signature: None,
            own_public_key: None,
        }
    }

    /// Sets `public_key`.
    #[must_use]
    pub fn public_key(mut self, public_key: impl Into<String>) -> Self {
        self.public_key = Some(public_key.into());
        self
    }

    /// Sets `next_key_hash`.
    #[must_use]
    pub fn next_key_hash(mut self, next_key_hash: impl Into<String>) -> Self {
        self.next_key_hash = Some(next_key_hash.into());
        self
    }

    /// Sets `recovery`.
    #[must_use]
    pub fn recovery(mut self, recovery: RecoverKeyRecovery) -> Self {
        self.recovery = Some(recovery);
        self
    }

    /// Sets `signature`.
    #[must_use]
    pub fn signature(mut self, signature: impl Into<String>) -> Self {
        self.signature = Some(signature.into());
        self
    }

    /// Sets `document_proof`.
    #[must_use]
    pub fn document_proof(mut self, document_proof: impl Into<String>) -> Self {
        self.document_proof = Some(document_proof.into());
        self
    }

    /// Sets `own_signature`.
    #[must_use]
    pub fn own_signature(mut self, own_signature: impl Into<String>) -> Self {
        self.own_signature = Some(own_signature.into());
        self
    }

    /// Sets `own_public_key`.
    #[must_use]
    pub fn own_public_key(mut self, own_public_key: impl Into<String>) -> Self {
        self.own_public_key = Some(own_public_key.into());
        self
    }
}

/// Who can give this identity a new key, and how many of them it takes.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecoverKeyRecovery {
    pub dids: Vec<String>,
    pub threshold: u64,
}

impl RecoverKeyRecovery {
    /// With all it needs.
    pub fn new(dids: Vec<String>, threshold: u64) -> Self {
        Self { dids, threshold }
    }
}

/// Answer of MACS recover_key.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecoverKeyOutput {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    pub state: RecoverKeyState,
    /// Ed25519 public key, 32 bytes, base64url.
    pub public_key: String,
    /// A sha256 in lower hex.
    pub next_key_hash: String,
    /// Who can give this identity a new key, and how many of them it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RecoverKeyRecovery>,
    pub signing_input: String,
    pub document_signing_input: String,
    pub signed_by: Vec<String>,
    pub missing: Vec<RecoverKeyMissing>,
    pub threshold: u64,
    pub document_version: u64,
    /// Content address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_hash: Option<String>,
    pub sessions_ended: u64,
    pub keys_ended: u64,
    pub workloads_removed: u64,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum RecoverKeyState {
    /// `pending`
    #[serde(rename = "pending")]
    Pending,
    /// `recovered`
    #[serde(rename = "recovered")]
    Recovered,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum RecoverKeyMissing {
    /// `recoverers`
    #[serde(rename = "recoverers")]
    Recoverers,
    /// `new key`
    #[serde(rename = "new key")]
    NewKey,
    /// `document`
    #[serde(rename = "document")]
    Document,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Stop a workload from acting as an agent, and end its sessions and what they began.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RemoveWorkloadInput {
    /// Matches `^[0-9a-f]{10}$`.
    pub workload_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl RemoveWorkloadInput {
    /// With all it needs; the rest is set by name.
    pub fn new(workload_id: impl Into<String>) -> Self {
        Self { workload_id: workload_id.into(), reason: None }
    }

    /// Sets `reason`.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

/// Answer of MACS remove_workload.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RemoveWorkloadOutput {
    /// Matches `^[0-9a-f]{10}$`.
    pub workload_id: String,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    /// RFC 3339 time in UTC.
    pub removed_at: String,
}

/// Revoke an API key or end a session, of yourself, a descendant, or one that you made.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RevokeKeyInput {
    /// Matches `^[a-z0-9]{8}$`.
    pub key_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl RevokeKeyInput {
    /// With all it needs; the rest is set by name.
    pub fn new(key_id: impl Into<String>) -> Self {
        Self { key_id: key_id.into(), reason: None }
    }

    /// Sets `reason`.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

/// Answer of MACS revoke_key.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RevokeKeyOutput {
    /// Matches `^[a-z0-9]{8}$`.
    pub key_id: String,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    /// RFC 3339 time in UTC.
    pub revoked_at: String,
}

/// List the roles of your organization and what each allows.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RolesInput {}

/// Answer of MACS roles.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RolesOutput {
    pub roles: Vec<RolesRole>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RolesRole {
    /// Matches `^[a-z][a-z0-9_]{0,31}$`.
    pub role: String,
    pub built_in: bool,
    pub capabilities: Vec<String>,
    pub added: Vec<String>,
    pub removed: Vec<String>,
}

/// Change to the key that was committed to, and commit to the one after.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RotateKeyInput {
    /// Default: yourself. Or a descendant whose key the engine keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_did: Option<String>,
    /// The key that was committed to. Without it, the first commitment is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
    /// Commits to the key after: the sha256 of its 32 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_key_hash: Option<String>,
    /// Who can give this identity a new key, and how many of them it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RotateKeyRecovery>,
    /// As answered with the texts to sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Of signing_input, by the new key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Of document_signing_input, by the new key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_proof: Option<String>,
}

impl RotateKeyInput {
    /// Sets `agent_did`.
    #[must_use]
    pub fn agent_did(mut self, agent_did: impl Into<String>) -> Self {
        self.agent_did = Some(agent_did.into());
        self
    }

    /// Sets `public_key`.
    #[must_use]
    pub fn public_key(mut self, public_key: impl Into<String>) -> Self {
        self.public_key = Some(public_key.into());
        self
    }

    /// Sets `next_key_hash`.
    #[must_use]
    pub fn next_key_hash(mut self, next_key_hash: impl Into<String>) -> Self {
        self.next_key_hash = Some(next_key_hash.into());
        self
    }

    /// Sets `recovery`.
    #[must_use]
    pub fn recovery(mut self, recovery: RotateKeyRecovery) -> Self {
        self.recovery = Some(recovery);
        self
    }

    /// Sets `at`.
    #[must_use]
    pub fn at(mut self, at: impl Into<String>) -> Self {
        self.at = Some(at.into());
        self
    }

    /// Sets `signature`.
    #[must_use]
    pub fn signature(mut self, signature: impl Into<String>) -> Self {
        self.signature = Some(signature.into());
        self
    }

    /// Sets `document_proof`.
    #[must_use]
    pub fn document_proof(mut self, document_proof: impl Into<String>) -> Self {
        self.document_proof = Some(document_proof.into());
        self
    }
}

/// Who can give this identity a new key, and how many of them it takes.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RotateKeyRecovery {
    pub dids: Vec<String>,
    pub threshold: u64,
}

impl RotateKeyRecovery {
    /// With all it needs.
    pub fn new(dids: Vec<String>, threshold: u64) -> Self {
        Self { dids, threshold }
    }
}

/// Answer of MACS rotate_key.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RotateKeyOutput {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    pub state: RotateKeyState,
    /// Ed25519 public key, 32 bytes, base64url.
    pub public_key: String,
    /// A sha256 in lower hex.
    pub next_key_hash: String,
    /// Who can give this identity a new key, and how many of them it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RotateKeyRecovery>,
    /// RFC 3339 time in UTC.
    pub at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signing_input: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_signing_input: Option<String>,
    pub document_version: u64,
    /// Content address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_hash: Option<String>,
    pub sessions_ended: u64,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum RotateKeyState {
    /// `unsigned`
    #[serde(rename = "unsigned")]
    Unsigned,
    /// `committed`
    #[serde(rename = "committed")]
    Committed,
    /// `rotated`
    #[serde(rename = "rotated")]
    Rotated,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Give roles to a person, end them, or end the account.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetPersonInput {
    /// Matches `^[a-z0-9][a-z0-9._+@-]{0,127}$`.
    pub login: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub give: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Vec<String>>,
    /// Ends sessions, tokens and the keys this person made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable: Option<bool>,
}

impl SetPersonInput {
    /// With all it needs; the rest is set by name.
    pub fn new(login: impl Into<String>) -> Self {
        Self { login: login.into(), give: None, end: None, disable: None }
    }

    /// Sets `give`.
    #[must_use]
    pub fn give(mut self, give: Vec<String>) -> Self {
        self.give = Some(give);
        self
    }

    /// Sets `end`.
    #[must_use]
    pub fn end(mut self, end: Vec<String>) -> Self {
        self.end = Some(end);
        self
    }

    /// Sets `disable`.
    #[must_use]
    pub fn disable(mut self, disable: bool) -> Self {
        self.disable = Some(disable);
        self
    }
}

/// Answer of MACS set_person.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetPersonOutput {
    /// Matches `^[a-z0-9][a-z0-9._+@-]{0,127}$`.
    pub login: String,
    pub roles: Vec<String>,
    pub state: SetPersonState,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum SetPersonState {
    /// `active`
    #[serde(rename = "active")]
    Active,
    /// `disabled`
    #[serde(rename = "disabled")]
    Disabled,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Change what a role allows, make a role of your own, or reset one.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetRoleInput {
    /// Matches `^[a-z][a-z0-9_]{0,31}$`.
    pub role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove: Option<Vec<String>>,
    /// A built-in role allows again what it did at first; one of your own ends for everybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset: Option<bool>,
}

impl SetRoleInput {
    /// With all it needs; the rest is set by name.
    pub fn new(role: impl Into<String>) -> Self {
        Self { role: role.into(), add: None, remove: None, reset: None }
    }

    /// Sets `add`.
    #[must_use]
    pub fn add(mut self, add: Vec<String>) -> Self {
        self.add = Some(add);
        self
    }

    /// Sets `remove`.
    #[must_use]
    pub fn remove(mut self, remove: Vec<String>) -> Self {
        self.remove = Some(remove);
        self
    }

    /// Sets `reset`.
    #[must_use]
    pub fn reset(mut self, reset: bool) -> Self {
        self.reset = Some(reset);
        self
    }
}

/// Answer of MACS set_role.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetRoleOutput {
    /// Matches `^[a-z][a-z0-9_]{0,31}$`.
    pub role: String,
    pub capabilities: Vec<String>,
}

/// Suspend, resume or revoke an identity with all its descendants.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetStateInput {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    pub state: SetStateState,
    pub reason: String,
}

impl SetStateInput {
    /// With all it needs.
    pub fn new(agent_did: impl Into<String>, state: SetStateState, reason: impl Into<String>) -> Self {
        Self { agent_did: agent_did.into(), state, reason: reason.into() }
    }
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum SetStateState {
    /// `active`
    #[serde(rename = "active")]
    Active,
    /// `suspended`
    #[serde(rename = "suspended")]
    Suspended,
    /// `revoked`
    #[serde(rename = "revoked")]
    Revoked,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Answer of MACS set_state.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetStateOutput {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    pub state: SetStateState,
    /// False where it was so before.
    pub changed: bool,
    /// How many changed: it, and its descendants.
    pub identities: u64,
    pub keys_revoked: u64,
    /// RFC 3339 time in UTC.
    pub at: String,
}

/// Change name, capabilities or endpoints in the document of yourself or a descendant.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UpdateIdentityInput {
    /// Default: yourself. Or a descendant of yours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_did: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<AgentCapability>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_endpoints: Option<Vec<UpdateIdentityServiceEndpoint>>,
    /// As answered with the text to sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Of document_signing_input, unless the engine keeps its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_proof: Option<String>,
}

impl UpdateIdentityInput {
    /// Sets `agent_did`.
    #[must_use]
    pub fn agent_did(mut self, agent_did: impl Into<String>) -> Self {
        self.agent_did = Some(agent_did.into());
        self
    }

    /// Sets `name`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets `capabilities`.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Vec<AgentCapability>) -> Self {
        self.capabilities = Some(capabilities);
        self
    }

    /// Sets `service_endpoints`.
    #[must_use]
    pub fn service_endpoints(mut self, service_endpoints: Vec<UpdateIdentityServiceEndpoint>) -> Self {
        self.service_endpoints = Some(service_endpoints);
        self
    }

    /// Sets `at`.
    #[must_use]
    pub fn at(mut self, at: impl Into<String>) -> Self {
        self.at = Some(at.into());
        self
    }

    /// Sets `document_proof`.
    #[must_use]
    pub fn document_proof(mut self, document_proof: impl Into<String>) -> Self {
        self.document_proof = Some(document_proof.into());
        self
    }
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UpdateIdentityServiceEndpoint {
    pub kind: String,
    /// Matches `^https?://[^\s/?#@]+([/?#][^\s]*)?$`.
    pub url: String,
    pub protocols: Vec<String>,
}

impl UpdateIdentityServiceEndpoint {
    /// With all it needs.
    pub fn new(kind: impl Into<String>, url: impl Into<String>, protocols: Vec<String>) -> Self {
        Self { kind: kind.into(), url: url.into(), protocols }
    }
}

/// Answer of MACS update_identity.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UpdateIdentityOutput {
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    pub state: UpdateIdentityState,
    pub document_version: u64,
    /// Content address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_signing_input: Option<String>,
    pub capabilities: Vec<AgentCapability>,
    /// RFC 3339 time in UTC.
    pub at: String,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum UpdateIdentityState {
    /// `unsigned`
    #[serde(rename = "unsigned")]
    Unsigned,
    /// `updated`
    #[serde(rename = "updated")]
    Updated,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Prove that an agent holds its key, and verify its lineage.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VerifyResponseInput {
    /// UUID in lower case.
    pub challenge_id: String,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub agent_did: String,
    /// Ed25519 public key, 32 bytes, base64url.
    pub public_key: String,
    /// Ed25519 signature, 64 bytes, base64url.
    pub signature: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lineage: Option<Vec<LineageStatement>>,
    /// Part of one agent’s authority, delegated to another until a given time. Never more than the delegator holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegation: Option<DelegationToken>,
}

impl VerifyResponseInput {
    /// With all it needs; the rest is set by name.
    pub fn new(
        challenge_id: impl Into<String>,
        agent_did: impl Into<String>,
        public_key: impl Into<String>,
        signature: impl Into<String>,
    ) -> Self {
        Self {
            challenge_id: challenge_id.into(),
            agent_did: agent_did.into(),
            public_key: public_key.into(),
            signature: signature.into(),
            lineage: None,
            delegation: None,
        }
    }

    /// Sets `lineage`.
    #[must_use]
    pub fn lineage(mut self, lineage: Vec<LineageStatement>) -> Self {
        self.lineage = Some(lineage);
        self
    }

    /// Sets `delegation`.
    #[must_use]
    pub fn delegation(mut self, delegation: DelegationToken) -> Self {
        self.delegation = Some(delegation);
        self
    }
}

/// Answer of MACS verify_response.
#[derive(Clone, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VerifyResponseOutput {
    pub verified: bool,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    pub did: String,
    /// Matches `^(HumanRoot|MultiHumanRoot|EntityNameRecord|Agent|AgentInstance|Tool|Skill|Workflow|Model|Dataset|Service|Unknown\([^()]{0,64}\))$`.
    pub entity_kind: String,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human_root_did: Option<String>,
    /// did:oas:\<tenant\>:\<kind\>:\<64 hex\>.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator_did: Option<String>,
    pub lineage_depth: u64,
    pub lineage_verified: bool,
    pub conformance_level: VerifyResponseConformanceLevel,
    /// UUID in lower case.
    pub session_id: String,
    /// Of the token: records of calls made with it name it.
    pub key_id: String,
    /// For Authorization: DPoP \<session_token\>, with a DPoP header signed by the proven key (RFC 9449).
    pub session_token: String,
    /// RFC 3339 time in UTC.
    pub token_expires_at: String,
    pub warnings: Vec<String>,
}

impl std::fmt::Debug for VerifyResponseOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VerifyResponseOutput { .. }")
    }
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum VerifyResponseConformanceLevel {
    /// `L0`
    L0,
    /// `L1`
    L1,
    /// `L2`
    L2,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Withdraw an open invitation; its link opens nothing any more.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WithdrawInvitationInput {
    /// UUID in lower case.
    pub invitation_id: String,
}

impl WithdrawInvitationInput {
    /// With all it needs.
    pub fn new(invitation_id: impl Into<String>) -> Self {
        Self { invitation_id: invitation_id.into() }
    }
}

/// Answer of MACS withdraw_invitation.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WithdrawInvitationOutput {
    /// UUID in lower case.
    pub invitation_id: String,
    pub withdrawn: bool,
}
