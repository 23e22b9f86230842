//! Address and identity: each from the options, then the environment, then the config file.

pub(crate) mod config_file;

use std::fmt;
use std::path::{Path, PathBuf};

use hyper::Uri;

use crate::bytes::from_base64url;
use crate::error::Error;
use crate::settings::config_file::{ConfigFile, config_path};

/// The resolved settings. `Debug` omits the key.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// The address of the engine or its gateway, without a trailing slash.
    pub api_url: String,
    pub(crate) credential: Credential,
    /// The DID the key is bound to.
    pub agent_did: String,
    /// The target tenant.
    pub tenant_id: String,
}

/// How a caller shows who it is. It holds secrets, so it has no `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Credential {
    /// An API key or an access token, sent with each request.
    ApiKey(String),
    /// The agent's own Ed25519 key: it signs each request and is never sent.
    PrivateKey([u8; 32]),
    /// Where the platform writes its token, which is exchanged for a session.
    WorkloadTokenFile(PathBuf),
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Settings");
        shown.field("api_url", &self.api_url).field("agent_did", &self.agent_did);
        shown.field("tenant_id", &self.tenant_id).finish_non_exhaustive()
    }
}

/// Values from the options; the rest is looked up.
#[derive(Clone, Default)]
pub(crate) struct Given {
    pub api_url: Option<String>,
    pub api_key: Option<String>,
    pub private_key: Option<String>,
    pub workload_token_file: Option<PathBuf>,
    pub agent_did: Option<String>,
    pub tenant_id: Option<String>,
    pub profile: Option<String>,
}

/// Where the rest is looked up; replaceable in tests.
pub(crate) struct Surroundings<'a> {
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// None if there is no home directory.
    pub home: Option<PathBuf>,
}

impl Surroundings<'_> {
    pub fn of_process() -> Self {
        // A variable that is not valid Unicode is not used.
        Surroundings { env: &|name| std::env::var(name).ok(), home: std::env::home_dir() }
    }
}

/// What was found so far.
struct Found {
    api_url: Option<String>,
    credential: Option<Credential>,
    agent_did: Option<String>,
    tenant_id: Option<String>,
}

pub(crate) fn resolve(given: &Given, around: &Surroundings<'_>) -> Result<Settings, Error> {
    let env = |name: &str| filled((around.env)(name).as_deref());
    let first = |given: &Option<String>, name: &str| filled(given.as_deref()).or_else(|| env(name));
    let (api_key, private_key) = (filled(given.api_key.as_deref()), filled(given.private_key.as_deref()));
    let named = credential_of(api_key, private_key, given.workload_token_file.clone())?;
    let credential = match named {
        None => {
            let token_file = env("SVC_WORKLOAD_TOKEN_FILE").map(PathBuf::from);
            credential_of(env("SVC_API_KEY"), env("SVC_PRIVATE_KEY"), token_file)?
        }
        named => named,
    };
    let mut found = Found {
        api_url: first(&given.api_url, "SVC_API_URL"),
        credential,
        agent_did: first(&given.agent_did, "SVC_AGENT_DID"),
        tenant_id: first(&given.tenant_id, "SVC_TENANT_ID"),
    };
    let mut path = None;
    // Read only when something is missing.
    if found.api_url.is_none() || found.credential.is_none() || found.agent_did.is_none() {
        let profile = first(&given.profile, "SVC_PROFILE");
        path = config_path(profile.as_deref(), around.home.as_deref())?;
        found.fill_from(&path.as_deref().map_or(Ok(ConfigFile::default()), ConfigFile::read)?)?;
    }
    let Found { api_url: Some(api_url), credential: Some(credential), agent_did: Some(agent_did), tenant_id } =
        found
    else {
        return Err(not_configured(&found, path.as_deref()));
    };
    let namespace = namespace_of(&agent_did)?.to_owned();
    Ok(Settings {
        api_url: plain_url(&api_url)?,
        credential,
        agent_did,
        tenant_id: tenant_id.unwrap_or(namespace),
    })
}

impl Found {
    fn fill_from(&mut self, file: &ConfigFile) -> Result<(), Error> {
        let kept = |text: &Option<String>| filled(text.as_deref());
        // The file's tenant belongs to the file's agent; another agent defaults to its own.
        if self.agent_did.is_none() {
            self.tenant_id = self.tenant_id.take().or_else(|| kept(&file.tenant_id));
        }
        self.api_url = self.api_url.take().or_else(|| kept(&file.api_url));
        if self.credential.is_none() {
            let api_key = kept(&file.api_key).or_else(|| kept(&file.access_token));
            self.credential = credential_of(api_key, kept(&file.private_key), None)?;
        }
        self.agent_did = self.agent_did.take().or_else(|| kept(&file.agent_did));
        Ok(())
    }
}

/// Of one place: the nearest place that names one decides. No key is ever quoted in an error: it is a secret
/// even if mistyped.
fn credential_of(
    api_key: Option<String>,
    private_key: Option<String>,
    token_file: Option<PathBuf>,
) -> Result<Option<Credential>, Error> {
    match (api_key, private_key, token_file) {
        (None, None, None) => Ok(None),
        (Some(api_key), None, None) if api_key.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Ok(Some(Credential::ApiKey(api_key)))
        }
        (Some(_), None, None) => {
            Err(Error::not_configured("The api_key holds spaces or signs that no key has; copy it again."))
        }
        (None, Some(text), None) => {
            let seed = from_base64url(&text).and_then(|bytes| bytes.try_into().ok());
            let seed = seed.ok_or_else(|| {
                Error::not_configured(
                    "The private_key is not 32 bytes in base64url (43 characters); copy it again.",
                )
            })?;
            Ok(Some(Credential::PrivateKey(seed)))
        }
        (None, None, Some(path)) => Ok(Some(Credential::WorkloadTokenFile(path))),
        _ => Err(Error::not_configured(
            "There is more than one of api_key, private_key and workload_token_file; set one.",
        )),
    }
}

/// Empty counts as not set: scripts and containers unset a variable this way.
fn filled(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn not_configured(found: &Found, path: Option<&Path>) -> Error {
    let settings = [
        ("api_url", found.api_url.is_none()),
        ("api_key", found.credential.is_none()),
        ("agent_did", found.agent_did.is_none()),
    ];
    let missing: Vec<&str> =
        settings.iter().filter(|(_, is_missing)| *is_missing).map(|(name, _)| *name).collect();
    let mut ways = vec![
        "pass api_url, agent_did and api_key or private_key".to_owned(),
        "set SVC_API_URL, SVC_API_KEY and SVC_AGENT_DID".to_owned(),
    ];
    ways.extend(path.map(|path| format!("run `svc login`, which writes {}", path.display())));
    Error::not_configured(format!("There is no {}: {}.", missing.join(" and no "), ways.join(", or ")))
}

/// The tenant that a DID belongs to.
pub(crate) fn namespace_of(agent_did: &str) -> Result<&str, Error> {
    let is_part = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic());
    let parts: Vec<&str> = agent_did.split(':').filter(is_part).collect();
    match parts[..] {
        ["did", "oas", namespace, _, _] if agent_did.matches(':').count() == 4 => Ok(namespace),
        _ => Err(Error::not_configured(format!(
            "agent_did is {agent_did}, but a DID here is did:oas:<tenant>:<kind>:<identifier>."
        ))),
    }
}

fn plain_url(text: &str) -> Result<String, Error> {
    let no_address =
        || Error::not_configured(format!("api_url is {text}, which is no http or https address."));
    // Handles mistyped slashes, because the error below quotes the address.
    let after_scheme =
        text.split_once([':', '/']).map_or(text, |(_, rest)| rest).trim_start_matches([':', '/']);
    if after_scheme.split(['/', '?', '#']).next().is_some_and(|authority| authority.contains('@')) {
        return Err(Error::not_configured(
            "api_url holds a name or password; the key goes into api_key, and api_url is the address alone.",
        ));
    }
    let uri: Uri = text.parse().map_err(|_| no_address())?;
    let scheme =
        uri.scheme_str().map(str::to_ascii_lowercase).filter(|scheme| scheme == "http" || scheme == "https");
    let (Some(scheme), Some(authority)) = (scheme, uri.authority()) else { return Err(no_address()) };
    let is_whole = authority.as_str() == authority.host() || authority.port_u16().is_some();
    if authority.host().is_empty() || !is_whole {
        return Err(no_address());
    }
    // The parser drops everything after `#`.
    if uri.query().is_some() || text.contains('#') {
        return Err(Error::not_configured(format!("api_url is {text}; leave out what follows the path.")));
    }
    let path = uri.path().strip_suffix('/').unwrap_or(uri.path());
    Ok(format!("{scheme}://{}{path}", authority.as_str().to_ascii_lowercase()))
}

#[cfg(test)]
mod tests;
