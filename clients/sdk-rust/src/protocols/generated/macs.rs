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

    /// List your requests for access, or those that you may decide.
    ///
    /// A read: repeated by the rules of retries.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::{AccessRequestsInput, AccessRequestsSide, AccessRequestsState};
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = AccessRequestsInput::default()
    ///     .side(AccessRequestsSide::ToDecide)
    ///     .state(AccessRequestsState::OPEN);
    /// let output = client.macs().access_requests(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn access_requests(&self, input: &AccessRequestsInput) -> Result<AccessRequestsOutput, Error> {
        self.call("access_requests", input).await
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

    /// Give the role that a person asked for, or refuse it.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - You have the role administrator, and a colleague who signs in as ada has asked for the role finance.
    /// - `MACS.access_requests`, which gives `items`.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::{DecideAccessDecision, DecideAccessInput};
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = DecideAccessInput::new(
    ///     "3b9d4a7e-0c52-4f6d-8a11-7e2c5d9f4b60",
    ///     DecideAccessDecision::Grant,
    /// );
    /// let output = client.macs().decide_access(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn decide_access(&self, input: &DecideAccessInput) -> Result<DecideAccessOutput, Error> {
        self.call("decide_access", input).await
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

    /// Ask the administrators of your organization for a capability or a role that you lack.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - You have the role administrator, and a colleague who signs in as ada.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::macs::RequestAccessInput;
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = RequestAccessInput::default().role("finance");
    /// let output = client.macs().request_access(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn request_access(&self, input: &RequestAccessInput) -> Result<RequestAccessOutput, Error> {
        self.call("request_access", input).await
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

/// List your requests for access, or those that you may decide.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AccessRequestsInput {
    /// own: what you asked for. to_decide: what others did. Default own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<AccessRequestsSide>,
    /// Only those in this state; absent: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<AccessRequestsState>,
}

impl AccessRequestsInput {
    /// Sets `side`.
    #[must_use]
    pub fn side(mut self, side: AccessRequestsSide) -> Self {
        self.side = Some(side);
        self
    }

    /// Sets `state`.
    #[must_use]
    pub fn state(mut self, state: AccessRequestsState) -> Self {
        self.state = Some(state);
        self
    }
}

/// own: what you asked for. to_decide: what others did. Default own.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum AccessRequestsSide {
    /// `own`
    #[serde(rename = "own")]
    Own,
    /// `to_decide`
    #[serde(rename = "to_decide")]
    ToDecide,
}

/// Only those in this state; absent: all.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum AccessRequestsState {
    /// `OPEN`
    OPEN,
    /// `GRANTED`
    GRANTED,
    /// `REFUSED`
    REFUSED,
    /// `EXPIRED`
    EXPIRED,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Answer of MACS access_requests.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AccessRequestsOutput {
    /// Newest first. Empty where you may not decide.
    pub items: Vec<AccessRequestsItem>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AccessRequestsItem {
    /// Names the request.
    pub request_id: String,
    /// Identity of the person who asked.
    pub agent_did: String,
    /// Name of the person who asked, or the login.
    pub person: String,
    /// What the person wants to call; absent: a role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// The role that is wanted; absent: a capability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Roles that would allow it, the narrowest first.
    pub fitting_roles: Vec<String>,
    /// OPEN: nobody has decided. GRANTED: a role was given. REFUSED: it was not. EXPIRED: nobody decided in time.
    pub state: AccessRequestsState,
    /// When it was asked for.
    pub requested_at: String,
    /// It can be decided until then.
    pub expires_at: String,
    /// When it was decided; absent: not yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    /// Who decided; absent: nobody has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// The role that was given; absent: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_given: Option<String>,
}

/// Let tokens of another platform act as you or a descendant, without a stored secret.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AddWorkloadInput {
    /// Identity that such a workload acts as.
    pub agent_did: String,
    /// As in the iss of its tokens; its public keys are read there.
    pub issuer: String,
    /// As in the aud of its tokens.
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
    /// Names the mapping, to remove it.
    pub workload_id: String,
    /// Identity that such a workload acts as.
    pub agent_did: String,
    /// As in the iss of its tokens; its public keys are read there.
    pub issuer: String,
    /// As in the aud of its tokens.
    pub audience: String,
    /// Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects.
    pub claims: BTreeMap<String, Vec<String>>,
}

/// Agree on how this agent will prove its identity.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuthNegotiationInput {
    /// How to prove: DidAuth with its own key, DelegatedAuth with a delegation too.
    pub profile: String,
    /// What to sign: Nonce, or TimestampedNonce with times too.
    pub challenge_kind: String,
    /// Who will prove itself; default: the caller.
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
    /// Session to ask a challenge for; absent if not accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// False if the pair is not supported; see alternatives.
    pub accepted: bool,
    /// As in the request.
    pub profile: String,
    /// As in the request.
    pub challenge_kind: String,
    /// Pairs that are supported; empty if accepted.
    pub alternatives: Vec<AuthNegotiationAlternative>,
    /// Kind of signature.
    pub signature_suite: AuthNegotiationSignatureSuite,
    /// First line of every text to sign.
    pub domain: String,
    /// The session ends then, unless proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuthNegotiationAlternative {
    /// How to prove.
    pub profile: String,
    /// What to sign.
    pub challenge_kind: String,
}

/// Kind of signature.
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
    /// Whose capabilities to list.
    pub agent_did: String,
    /// Time to judge by; default now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Only capabilities of this protocol.
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
    /// What it may do, before policies and limits.
    pub capabilities: Vec<AuthorizationRequestCapability>,
    /// Capabilities that no longer count.
    pub excluded: Vec<AuthorizationRequestExcluded>,
    /// When the list was made.
    pub composed_at: String,
    /// How long the engine itself may use such a list.
    pub cache_ttl_seconds: i64,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuthorizationRequestCapability {
    /// Name it is granted by, maybe a wildcard.
    pub name: String,
    /// When it ends; absent: it does not end by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Bounds on its use; absent: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<CapabilityLimits>,
    /// Conditions, such as time:09-17.
    pub caveats: Vec<String>,
    /// Where it comes from.
    pub source: AuthorizationRequestCapabilitySource,
    /// The delegation token, treaty, envelope or name of the role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_ref: Option<String>,
    /// Whether all conditions hold at the time asked about.
    pub satisfied_now: bool,
    /// Conditions that do not hold.
    pub unsatisfied: Vec<String>,
}

/// Bounds on its use; absent: none.
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

/// Where it comes from.
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
    /// Name of the capability.
    pub name: String,
    /// over_depth: delegated further than a delegator allows.
    pub why: AuthorizationRequestExcludedWhy,
}

/// over_depth: delegated further than a delegator allows.
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
    /// What it is for, to recognise it in lists.
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
    /// Names the key in lists, and to revoke it.
    pub key_id: String,
    /// Whose key it is.
    pub agent_did: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it may be used for; absent: all that its agent holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<String>>,
    /// Where it may be used from; empty: anywhere.
    pub networks: Vec<String>,
    /// What all calls with it may cost in an ISO week; absent: no own budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weekly_budget_usd: Option<String>,
    /// When it ends; absent: it does not end by itself.
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

/// Give the role that a person asked for, or refuse it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DecideAccessInput {
    /// Names the request.
    pub request_id: String,
    /// grant: gives a role. refuse: gives nothing.
    pub decision: DecideAccessDecision,
    /// The role to give, where a capability was asked for; it must allow that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

impl DecideAccessInput {
    /// With all it needs; the rest is set by name.
    pub fn new(request_id: impl Into<String>, decision: DecideAccessDecision) -> Self {
        Self { request_id: request_id.into(), decision, role: None }
    }

    /// Sets `role`.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }
}

/// grant: gives a role. refuse: gives nothing.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum DecideAccessDecision {
    /// `grant`
    #[serde(rename = "grant")]
    Grant,
    /// `refuse`
    #[serde(rename = "refuse")]
    Refuse,
}

/// Answer of MACS decide_access.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DecideAccessOutput {
    /// Names the request.
    pub request_id: String,
    /// OPEN: nobody has decided. GRANTED: a role was given. REFUSED: it was not. EXPIRED: nobody decided in time.
    pub state: DecideAccessState,
    /// Roles the person has now.
    pub roles: Vec<String>,
}

/// OPEN: nobody has decided. GRANTED: a role was given. REFUSED: it was not. EXPIRED: nobody decided in time.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum DecideAccessState {
    /// `OPEN`
    OPEN,
    /// `GRANTED`
    GRANTED,
    /// `REFUSED`
    REFUSED,
    /// `EXPIRED`
    EXPIRED,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Create a child identity under the caller, with at most the capabilities of the caller.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeriveInput {
    /// Kind of the child; roots cannot be derived.
    pub entity_kind: DeriveEntityKind,
    /// Names a child among its siblings.
    pub label: String,
    /// Tells apart children with the same label; default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// For people to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the child may do; never more than you hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<AgentCapability>>,
    /// Where the child can be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_endpoints: Option<Vec<DeriveServiceEndpoint>>,
    /// The child counts until then; absent: it does not end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Who keeps the child's private key; default engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custody: Option<DeriveCustody>,
    /// The child's key; needed with custody client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child_public_key: Option<String>,
    /// Your key that signs; only with custody client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_public_key: Option<String>,
    /// Time in the statement that you signed; only with custody client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Of the lineage statement by your key; only with custody client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Of document_signing_input by the child's key; only with custody client.
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

/// Kind of the child; roots cannot be derived.
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
    /// What is offered there, such as svc or mcp.
    pub kind: String,
    /// Where it is.
    pub url: String,
    /// Protocols it serves.
    pub protocols: Vec<String>,
}

impl DeriveServiceEndpoint {
    /// With all it needs.
    pub fn new(kind: impl Into<String>, url: impl Into<String>, protocols: Vec<String>) -> Self {
        Self { kind: kind.into(), url: url.into(), protocols }
    }
}

/// Who keeps the child's private key; default engine.
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
    /// The child.
    pub did: String,
    /// Its key.
    pub public_key: String,
    /// Proof of descent, signed by you.
    pub lineage_statement: LineageStatement,
    /// The child's identity document.
    pub document: DeriveDocument,
    /// Hash of the document; absent until it is signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_hash: Option<String>,
    /// Text the child's key must sign; absent once signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_signing_input: Option<String>,
    /// Steps from its root.
    pub lineage_depth: u64,
    /// False if it existed already with the same content.
    pub created: bool,
    /// Whether the identity node serves its document.
    pub published: bool,
    /// What is still missing, in words.
    pub warnings: Vec<String>,
}

/// The child's identity document.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeriveDocument {
    /// The identity.
    pub id: String,
    /// A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others.
    pub entity_kind: String,
    /// For people to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its current key.
    pub public_key: String,
    /// Parent that derived it; absent for a root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator_did: Option<String>,
    /// Statements from this identity up to its root.
    pub lineage: Vec<LineageStatement>,
    /// What it may do, as granted by its parent.
    pub capabilities: Vec<AgentCapability>,
    /// Where it can be reached.
    pub service_endpoints: Vec<AgentServiceEndpoint>,
    /// True once it was revoked for good.
    pub revoked: bool,
    /// Sections that others signed, such as attestations.
    pub extended: Map<String, Value>,
    /// Grows with each change.
    pub version: u64,
    /// When this version was made.
    pub updated_at: String,
    /// How it came to its current key; absent: it has its first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_events: Option<Vec<KeyEvent>>,
    /// Signature of the document; absent until the child's key signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AgentServiceEndpoint {
    /// What is offered there, such as svc or mcp.
    pub kind: String,
    /// Where it is.
    pub url: String,
    /// Protocols it serves.
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
    /// Protocol of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Operation of the protocol.
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
    /// Whose access is explained.
    pub agent: ExplainAccessAgent,
    /// What a call would need.
    pub capability: String,
    /// Organization in which the call would run.
    pub target_tenant: String,
    /// Time it was judged by.
    pub at: String,
    /// By stage 4, for a call without input; limits and budgets come later.
    pub allowed: bool,
    /// Not allowed without input, but a call with a fitting input, or from a fitting network, would be.
    pub depends_on_call: bool,
    /// How the call would be refused; absent if allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<ExplainAccessRefusal>,
    /// Of the key you ask with, about yourself: a call must also fit into what is left of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_budget: Option<ExplainAccessKeyBudget>,
    /// In the order in which they are tried; those that no longer count are last.
    pub paths: Vec<ExplainAccessPath>,
}

/// Whose access is explained.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessAgent {
    /// The identity.
    pub did: String,
    /// As its own document says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// How the call would be refused; absent if allowed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessRefusal {
    /// Error code.
    pub code: String,
    /// Short reason, stable for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What happened, why and what to do.
    pub sentence: String,
}

/// Of the key you ask with, about yourself: a call must also fit into what is left of it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessKeyBudget {
    /// What all calls with it may cost in this ISO week.
    pub weekly_budget_usd: String,
    /// What they have cost so far.
    pub spent_this_week_usd: String,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessPath {
    /// Where it comes from; open: everybody may call this operation.
    pub source: ExplainAccessPathSource,
    /// Name it is granted by, maybe a wildcard.
    pub capability: String,
    /// The delegation token, treaty, envelope or name of the role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_ref: Option<String>,
    /// Of an envelope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub department: Option<String>,
    /// When it ends; absent: it does not end by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Bounds on its use; absent: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<CapabilityLimits>,
    /// Conditions, such as time:09-17.
    pub caveats: Vec<String>,
    /// Whether a call could use it.
    pub usable: bool,
    /// A call would use this one.
    pub used: bool,
    /// Why a call cannot use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<ExplainAccessPathBlocked>,
    /// Delegations from the first delegator to the holder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<Vec<ExplainAccessPathChain>>,
}

/// Where it comes from; open: everybody may call this operation.
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

/// Why a call cannot use it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainAccessPathBlocked {
    /// What stands against it; source_lost: its delegator no longer holds it.
    pub by: ExplainAccessPathBlockedBy,
    /// For people to read.
    pub sentence: String,
    /// The condition that does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
}

/// What stands against it; source_lost: its delegator no longer holds it.
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
    /// Hash of the token.
    pub token_id: String,
    /// Who delegated.
    pub from: ExplainAccessAgent,
    /// Who received.
    pub to: ExplainAccessAgent,
    /// PARENT_REVOKED: a delegation it depends on was revoked.
    pub state: ExplainAccessPathChainState,
    /// When it ends.
    pub expires_at: String,
}

/// PARENT_REVOKED: a delegation it depends on was revoked.
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
    /// Session of auth_negotiation.
    pub session_id: String,
    /// Who will prove itself; default: that of the session.
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
    /// Names the challenge in verify_response.
    pub challenge_id: String,
    /// Random, used once; 32 bytes, base64url.
    pub nonce: String,
    /// For whom the proof is.
    pub audience: String,
    /// When it was made.
    pub issued_at: String,
    /// It must be answered by then.
    pub expires_at: String,
    /// The text to sign, byte for byte.
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
    /// Who is invited; for people to read.
    pub name: String,
    /// Roles the person will have; at most what you may do.
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
    /// Names the invitation, to withdraw it.
    pub invitation_id: String,
    /// Good once, for whoever opens it. Shown once: only a hash is stored.
    pub link: String,
    /// It can be accepted until then.
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
    /// Only this identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did: Option<String>,
    /// Only identities of this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_kind: Option<ListEntityKind>,
    /// Entries per page. Default `25`.
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

/// Only identities of this kind.
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
    /// Identities of your organization.
    pub items: Vec<ListItem>,
    /// There may be more entries, even after a page that is not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListItem {
    /// The identity.
    pub did: String,
    /// A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others.
    pub entity_kind: String,
    /// As its document says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// unresolved: its document is not available now.
    pub state: ListItemState,
    /// L0: known. L1: verified lineage. L2: also attested, with a reputation.
    pub conformance_level: ListItemConformanceLevel,
    /// Whether its descent from a root is proven.
    pub lineage_verified: bool,
    /// Steps from its root; 0 for a root.
    pub lineage_depth: u64,
    /// Who derived it; absent for a root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_did: Option<String>,
    /// Human or organization at the root of its lineage; absent: not verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human_root_did: Option<String>,
    /// When it was derived here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived_at: Option<String>,
    /// Whether it is a charter member of the organization.
    pub in_charter: bool,
    /// Number of capabilities it holds now; authorization_request lists them.
    pub capabilities: u64,
    /// How it was revoked; absent: it was not.
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

/// L0: known. L1: verified lineage. L2: also attested, with a reputation.
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

/// How it was revoked; absent: it was not.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListItemRevoked {
    /// When it was revoked.
    pub at: String,
    /// Why, as stated.
    pub reason: String,
    /// Who revoked it.
    pub by: String,
}

/// Visible to the identity itself and to charter members.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListItemCredentials {
    /// Number of API keys that are accepted.
    pub keys_live: u64,
    /// Number of API keys that expired or were revoked.
    pub keys_ended: u64,
    /// Number of sessions that are accepted.
    pub sessions_live: u64,
    /// When one was last used; absent: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
    /// The engine holds its private key.
    pub in_custody: bool,
}

/// List the API keys and sessions of yourself or a descendant.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListKeysInput {
    /// Whose to list: a descendant of yours; default: your own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_did: Option<String>,
    /// Only entries from this time on, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Entries per page. Default `25`.
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
    /// Keys and sessions, newest first; secrets are not stored.
    pub items: Vec<ListKeysItem>,
    /// There may be more entries, even after a page that is not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListKeysItem {
    /// Names the key in lists, and to revoke it.
    pub key_id: String,
    /// Whose key it is.
    pub agent_did: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it may be used for; absent: all that its agent holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<String>>,
    /// Where it may be used from; empty: anywhere.
    pub networks: Vec<String>,
    /// What all calls with it may cost in an ISO week; absent: no own budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weekly_budget_usd: Option<String>,
    /// When it ends; absent: it does not end by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Of its weekly budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent_this_week_usd: Option<String>,
    /// A key ends when revoked or expired; a session was proven with MACS verify_response.
    pub kind: ListKeysItemKind,
    /// Only live ones are accepted.
    pub state: ListKeysItemState,
    /// Who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    /// When it was made.
    pub created_at: String,
    /// When it was revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
    /// When a call last used it; absent: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

/// A key ends when revoked or expired; a session was proven with MACS verify_response.
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

/// Only live ones are accepted.
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
    /// Only mappings to this identity; default: all of your organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_did: Option<String>,
    /// Only entries from this time on, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Entries per page. Default `25`.
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
    /// Mappings, newest first.
    pub items: Vec<ListWorkloadsItem>,
    /// There may be more entries, even after a page that is not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListWorkloadsItem {
    /// Names the mapping, to remove it.
    pub workload_id: String,
    /// Identity that such a workload acts as.
    pub agent_did: String,
    /// As in the iss of its tokens.
    pub issuer: String,
    /// As in the aud of its tokens.
    pub audience: String,
    /// Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects.
    pub claims: BTreeMap<String, Vec<String>>,
    /// The operator stored the keys of its issuer.
    pub has_stored_keys: bool,
    /// When it was added.
    pub created_at: String,
    /// When a token last used it; absent: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

/// List the people who can sign in, their roles, and open invitations.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PeopleInput {
    /// Entries per page. Default `25`.
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
    /// People of your organization, by login.
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
    /// Name to sign in with.
    pub login: String,
    /// For people to read; absent: none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Roles this person has.
    pub roles: Vec<String>,
    /// Of these, those that single sign-on gives.
    pub claimed_roles: Vec<String>,
    /// Disabled people cannot sign in.
    pub state: PeopleItemState,
    /// Ways this person can sign in.
    pub signs_in_by: Vec<PeopleItemSignsInBy>,
    /// Identity this person acts as.
    pub agent_did: String,
    /// When this person was added.
    pub created_at: String,
}

/// Disabled people cannot sign in.
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
    /// Names the invitation, to withdraw it.
    pub invitation_id: String,
    /// Who is invited.
    pub name: String,
    /// Roles the person will have.
    pub roles: Vec<String>,
    /// When it was made.
    pub made_at: String,
    /// It can be accepted until then.
    pub expires_at: String,
}

/// Give an identity a new key, as its parent or one of those it has named for that.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecoverKeyInput {
    /// Identity whose key was lost or stolen.
    pub agent_did: String,
    /// The new key. Where the engine keeps the keys, only to name an open recovery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
    /// With the first call: commits to the key after the new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_key_hash: Option<String>,
    /// Who may recover it later; default as before.
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
    /// Your key that made own_signature; needed with it.
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

/// Who may recover it later; default as before.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecoverKeyRecovery {
    /// Who may recover it.
    pub dids: Vec<String>,
    /// How many of them must sign.
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
    /// The identity.
    pub agent_did: String,
    /// pending until all needed signatures are there.
    pub state: RecoverKeyState,
    /// The new key.
    pub public_key: String,
    /// Commits to the key after it.
    pub next_key_hash: String,
    /// Who may recover it later; absent: nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RecoverKeyRecovery>,
    /// Text for the recoverers and the new key to sign.
    pub signing_input: String,
    /// Text for the new key to sign.
    pub document_signing_input: String,
    /// Recoverers who have signed.
    pub signed_by: Vec<String>,
    /// Signatures that are still needed.
    pub missing: Vec<RecoverKeyMissing>,
    /// How many recoverers must sign.
    pub threshold: u64,
    /// Version of its document with the new key.
    pub document_version: u64,
    /// Hash of that document; absent while pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_hash: Option<String>,
    /// Number of sessions that ended.
    pub sessions_ended: u64,
    /// Number of API keys that ended.
    pub keys_ended: u64,
    /// Number of workload mappings that were removed.
    pub workloads_removed: u64,
}

/// pending until all needed signatures are there.
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
    /// Mapping to remove; its tokens are refused at once.
    pub workload_id: String,
    /// Why, for the audit log.
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
    /// Names the mapping, to remove it.
    pub workload_id: String,
    /// Identity that workloads acted as.
    pub agent_did: String,
    /// When it was removed.
    pub removed_at: String,
}

/// Ask the administrators of your organization for a capability or a role that you lack.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RequestAccessInput {
    /// What you want to be able to call; or role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// The role you want to have; or capability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

impl RequestAccessInput {
    /// Sets `capability`.
    #[must_use]
    pub fn capability(mut self, capability: impl Into<String>) -> Self {
        self.capability = Some(capability.into());
        self
    }

    /// Sets `role`.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }
}

/// Answer of MACS request_access.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RequestAccessOutput {
    /// Names the request.
    pub request_id: String,
    /// OPEN: nobody has decided. GRANTED: a role was given. REFUSED: it was not. EXPIRED: nobody decided in time.
    pub state: RequestAccessState,
    /// It can be decided until then.
    pub expires_at: String,
    /// Who was asked, by mail and in their list.
    pub administrators: Vec<String>,
}

/// OPEN: nobody has decided. GRANTED: a role was given. REFUSED: it was not. EXPIRED: nobody decided in time.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum RequestAccessState {
    /// `OPEN`
    OPEN,
    /// `GRANTED`
    GRANTED,
    /// `REFUSED`
    REFUSED,
    /// `EXPIRED`
    EXPIRED,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Revoke an API key or end a session, of yourself, a descendant, or one that you made.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RevokeKeyInput {
    /// The key or session to end; calls with it are refused at once.
    pub key_id: String,
    /// Why, for the audit log.
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
    /// The key that ended.
    pub key_id: String,
    /// Whose key it was.
    pub agent_did: String,
    /// When it ended.
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
    /// Built-in roles and your own.
    pub roles: Vec<RolesRole>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RolesRole {
    /// Name of a role.
    pub role: String,
    /// Whether svc defines it; you can change what it allows.
    pub built_in: bool,
    /// What it allows now.
    pub capabilities: Vec<String>,
    /// What your organization added to it.
    pub added: Vec<String>,
    /// What your organization removed from it.
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
    /// Who may recover it from now on; default as before.
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

/// Who may recover it from now on; default as before.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RotateKeyRecovery {
    /// Who may recover it.
    pub dids: Vec<String>,
    /// How many of them must sign.
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
    /// The identity.
    pub agent_did: String,
    /// unsigned: sign the texts and call again. committed: the next key is fixed. rotated: the key changed.
    pub state: RotateKeyState,
    /// Its key after this change.
    pub public_key: String,
    /// Commits to the key after it.
    pub next_key_hash: String,
    /// Who may recover it; absent: nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RotateKeyRecovery>,
    /// Time in the texts to sign; send it with the signatures.
    pub at: String,
    /// Text for the new key to sign; absent once done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signing_input: Option<String>,
    /// Text for the new key to sign; absent once done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_signing_input: Option<String>,
    /// Version of its document with this change.
    pub document_version: u64,
    /// Hash of that document; absent while unsigned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_hash: Option<String>,
    /// Number of sessions that ended with the old key.
    pub sessions_ended: u64,
}

/// unsigned: sign the texts and call again. committed: the next key is fixed. rotated: the key changed.
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
    /// Name to sign in with.
    pub login: String,
    /// Roles to add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub give: Option<Vec<String>>,
    /// Roles to take away.
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
    /// Name to sign in with.
    pub login: String,
    /// Roles this person has now.
    pub roles: Vec<String>,
    /// Disabled people cannot sign in.
    pub state: SetPersonState,
}

/// Disabled people cannot sign in.
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
    /// Role to change; an unknown name makes a new one.
    pub role: String,
    /// What it allows in addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add: Option<Vec<String>>,
    /// What it no longer allows.
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
    /// Name of a role.
    pub role: String,
    /// What it allows now.
    pub capabilities: Vec<String>,
}

/// Suspend, resume or revoke an identity with all its descendants.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetStateInput {
    /// Identity to change, with all that descend from it.
    pub agent_did: String,
    /// suspended can be undone by active; revoked is for good.
    pub state: SetStateState,
    /// Why, for the audit log.
    pub reason: String,
}

impl SetStateInput {
    /// With all it needs.
    pub fn new(agent_did: impl Into<String>, state: SetStateState, reason: impl Into<String>) -> Self {
        Self { agent_did: agent_did.into(), state, reason: reason.into() }
    }
}

/// suspended can be undone by active; revoked is for good.
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
    /// The identity.
    pub agent_did: String,
    /// Its state now; it may still be suspended with one that it descends from.
    pub state: SetStateState,
    /// False where it was so before.
    pub changed: bool,
    /// How many changed: it, and its descendants.
    pub identities: u64,
    /// Number of API keys that ended with it.
    pub keys_revoked: u64,
    /// When it was done.
    pub at: String,
}

/// Change name, capabilities or endpoints in the document of yourself or a descendant.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UpdateIdentityInput {
    /// Default: yourself. Or a descendant of yours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_did: Option<String>,
    /// New name; absent: unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// All it shall declare; never more than its parent holds. Absent: unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<AgentCapability>>,
    /// All its endpoints; absent: unchanged.
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
    /// What is offered there, such as svc or mcp.
    pub kind: String,
    /// Where it is.
    pub url: String,
    /// Protocols it serves.
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
    /// The identity.
    pub agent_did: String,
    /// unsigned: sign document_signing_input and call again with document_proof.
    pub state: UpdateIdentityState,
    /// Version of its document with this change.
    pub document_version: u64,
    /// Hash of that document; absent while unsigned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_hash: Option<String>,
    /// Text for its key to sign; absent once done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_signing_input: Option<String>,
    /// What it declares with this change.
    pub capabilities: Vec<AgentCapability>,
    /// Time of this change; send it with document_proof.
    pub at: String,
}

/// unsigned: sign document_signing_input and call again with document_proof.
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
    /// The challenge to answer; it can be used once.
    pub challenge_id: String,
    /// Who proves itself.
    pub agent_did: String,
    /// Its current key.
    pub public_key: String,
    /// Of the challenge's signing_input by this key.
    pub signature: String,
    /// Statements up to a root; default: those of its document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lineage: Option<Vec<LineageStatement>>,
    /// Needed if DelegatedAuth was negotiated.
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
    /// Always true; otherwise the call is refused.
    pub verified: bool,
    /// Who was verified.
    pub did: String,
    /// A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others.
    pub entity_kind: String,
    /// Human or organization at the root; absent: lineage not verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human_root_did: Option<String>,
    /// Parent that derived it; absent for a root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator_did: Option<String>,
    /// Steps from its root; 0 for a root.
    pub lineage_depth: u64,
    /// Whether its descent from a root is proven.
    pub lineage_verified: bool,
    /// L0: known. L1: verified lineage. L2: also attested, with a reputation.
    pub conformance_level: VerifyResponseConformanceLevel,
    /// The session, as list_keys shows it.
    pub session_id: String,
    /// Of the token: records of calls made with it name it.
    pub key_id: String,
    /// For Authorization: DPoP \<session_token\>, with a DPoP header signed by the proven key (RFC 9449).
    pub session_token: String,
    /// The session's token is accepted until then.
    pub token_expires_at: String,
    /// What could not be verified, in words.
    pub warnings: Vec<String>,
}

impl std::fmt::Debug for VerifyResponseOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VerifyResponseOutput { .. }")
    }
}

/// L0: known. L1: verified lineage. L2: also attested, with a reputation.
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
    /// Invitation to withdraw.
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
    /// The invitation that ended.
    pub invitation_id: String,
    /// Always true: its link no longer works.
    pub withdrawn: bool,
}
