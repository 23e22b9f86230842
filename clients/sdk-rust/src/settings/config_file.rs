//! `~/.svc/config.json`, as `svc login` writes it: used only if no one but its owner can read it.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Fields};

const FILE_BYTES_MAX: u64 = 64 * 1024;
const PROFILE_CHARS_MAX: usize = 64;

/// Every field is text or absent. It holds secrets, so it has no `Debug`.
#[derive(Default)]
pub(crate) struct ConfigFile {
    pub api_url: Option<String>,
    pub api_key: Option<String>,
    pub access_token: Option<String>,
    pub private_key: Option<String>,
    pub agent_did: Option<String>,
    pub tenant_id: Option<String>,
}

impl ConfigFile {
    /// Empty if there is no such file. A file others can read is rejected, as ssh does: it holds a key.
    pub fn read(path: &Path) -> Result<Self, Error> {
        match open(path) {
            Ok((file, about)) => {
                require_private(path, &about)?;
                config_of(&text_of(path, file, about.len())?, path)
            }
            Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Ok(ConfigFile::default())
            }
            Err(cause) => Err(unreadable(path, cause)),
        }
    }
}

/// None if there is no home directory.
pub(crate) fn config_path(profile: Option<&str>, home: Option<&Path>) -> Result<Option<PathBuf>, Error> {
    if let Some(profile) = profile.filter(|profile| !is_profile(profile)) {
        return Err(Error::not_configured(format!(
            "The profile is called {profile}; use letters, digits, - and _, at most 64."
        )));
    }
    let name = profile
        .filter(|profile| *profile != "default")
        .map_or("config.json".to_owned(), |profile| format!("profiles/{profile}.json"));
    Ok(home.map(|home| home.join(".svc").join(name)))
}

fn is_profile(text: &str) -> bool {
    text.len() <= PROFILE_CHARS_MAX
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(|each| each.is_ascii_alphanumeric() || each == '-' || each == '_')
}

fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let file = File::open(path)?;
    // Checks the opened file, not the path, which may have changed.
    let about = file.metadata()?;
    Ok((file, about))
}

#[cfg(unix)]
fn require_private(path: &Path, about: &Metadata) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt;
    let others = 0o077;
    if about.mode() & others == 0 {
        return Ok(());
    }
    let path = path.display();
    Err(Error::not_configured(format!("{path} holds a key and others can read it; run chmod 600 {path}.")))
}

#[cfg(not(unix))]
fn require_private(_: &Path, _: &Metadata) -> Result<(), Error> {
    Ok(())
}

fn text_of(path: &Path, file: File, bytes: u64) -> Result<String, Error> {
    if bytes > FILE_BYTES_MAX {
        let path = path.display();
        return Err(Error::not_configured(format!(
            "{path} is no config file of svc; it is {bytes} bytes large."
        )));
    }
    let mut text = String::new();
    file.take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(|cause| unreadable(path, cause))?;
    Ok(text)
}

fn unreadable(path: &Path, cause: io::Error) -> Error {
    let message =
        format!("{} cannot be read ({}); fix it, or run `svc login` again.", path.display(), cause.kind());
    let mut fields = Fields::new(crate::ErrorCode::NotConfigured, "not configured", message);
    fields.source = Some(std::sync::Arc::new(cause));
    fields.into()
}

fn config_of(text: &str, path: &Path) -> Result<ConfigFile, Error> {
    // Neither the text nor serde's error is passed on: it may contain part of a key.
    let mut fields: BTreeMap<String, Option<String>> = serde_json::from_str(text).map_err(|_| {
        let path = path.display();
        Error::not_configured(format!(
            "{path} is not the JSON that `svc login` writes; fix it, or run `svc login` again."
        ))
    })?;
    let mut kept = |name: &str| fields.remove(name).flatten();
    Ok(ConfigFile {
        api_url: kept("api_url"),
        api_key: kept("api_key"),
        access_token: kept("access_token"),
        private_key: kept("private_key"),
        agent_did: kept("agent_did"),
        tenant_id: kept("tenant_id"),
    })
}
