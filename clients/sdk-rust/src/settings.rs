//! Address and identity: each from the options, then the environment, then the config file.

pub(crate) mod config_file;

use std::fmt;
use std::path::{Path, PathBuf};

use hyper::Uri;

use crate::error::Error;
use crate::settings::config_file::{ConfigFile, config_path};

/// The resolved settings. `Debug` omits the key.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// The address of the engine or its gateway, without a trailing slash.
    pub api_url: String,
    pub(crate) api_key: String,
    /// The DID the key is bound to.
    pub agent_did: String,
    /// The target tenant.
    pub tenant_id: String,
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

pub(crate) fn resolve(given: &Given, around: &Surroundings<'_>) -> Result<Settings, Error> {
    let first = |given: &Option<String>, name: &str| {
        filled(given.as_deref()).or_else(|| filled((around.env)(name).as_deref()))
    };
    let mut found = Given {
        api_url: first(&given.api_url, "SVC_API_URL"),
        api_key: first(&given.api_key, "SVC_API_KEY"),
        agent_did: first(&given.agent_did, "SVC_AGENT_DID"),
        tenant_id: first(&given.tenant_id, "SVC_TENANT_ID"),
        profile: first(&given.profile, "SVC_PROFILE"),
    };
    let mut path = None;
    // Read only when something is missing.
    if found.api_url.is_none() || found.api_key.is_none() || found.agent_did.is_none() {
        path = config_path(found.profile.as_deref(), around.home.as_deref())?;
        found.fill_from(&path.as_deref().map_or(Ok(ConfigFile::default()), ConfigFile::read)?);
    }
    let (Some(api_url), Some(api_key), Some(agent_did)) = (&found.api_url, &found.api_key, &found.agent_did)
    else {
        return Err(not_configured(&found, path.as_deref()));
    };
    require_key(api_key)?;
    let namespace = namespace_of(agent_did)?;
    Ok(Settings {
        api_url: plain_url(api_url)?,
        api_key: api_key.clone(),
        agent_did: agent_did.clone(),
        tenant_id: found.tenant_id.unwrap_or_else(|| namespace.to_owned()),
    })
}

impl Given {
    fn fill_from(&mut self, file: &ConfigFile) {
        let kept = |text: &Option<String>| filled(text.as_deref());
        // The file's tenant belongs to the file's agent; another agent defaults to its own.
        if self.agent_did.is_none() {
            self.tenant_id = self.tenant_id.take().or_else(|| kept(&file.tenant_id));
        }
        self.api_url = self.api_url.take().or_else(|| kept(&file.api_url));
        self.api_key =
            self.api_key.take().or_else(|| kept(&file.api_key)).or_else(|| kept(&file.access_token));
        self.agent_did = self.agent_did.take().or_else(|| kept(&file.agent_did));
    }
}

/// Empty counts as not set: scripts and containers unset a variable this way.
fn filled(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn not_configured(found: &Given, path: Option<&Path>) -> Error {
    let settings =
        [("api_url", &found.api_url), ("api_key", &found.api_key), ("agent_did", &found.agent_did)];
    let missing: Vec<&str> =
        settings.iter().filter(|(_, found)| found.is_none()).map(|(name, _)| *name).collect();
    let mut ways = vec![
        "pass api_url, api_key and agent_did".to_owned(),
        "set SVC_API_URL, SVC_API_KEY and SVC_AGENT_DID".to_owned(),
    ];
    ways.extend(path.map(|path| format!("run `svc login`, which writes {}", path.display())));
    Error::not_configured(format!("There is no {}: {}.", missing.join(" and no "), ways.join(", or ")))
}

/// Never quoted in an error: it is a secret even if mistyped.
fn require_key(api_key: &str) -> Result<(), Error> {
    if api_key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(());
    }
    Err(Error::not_configured("The api_key holds spaces or signs that no key has; copy it again."))
}

fn namespace_of(agent_did: &str) -> Result<&str, Error> {
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
