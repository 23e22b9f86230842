//! The token of the platform that a workload runs on, and the request that exchanges it (RFC 8693).

use std::fs::File;
use std::io::Read;
use std::path::Path;

use hyper::Method;

use crate::client::send::Request;
use crate::client::session::REQUEST_TIME_MAX;
use crate::error::Error;

const TOKEN_BYTES_MAX: u64 = 64 * 1024;

/// Read for each session: the platform replaces it before it expires. Never quoted in an error.
pub(crate) fn read_token(path: &Path) -> Result<String, Error> {
    let unreadable = |why: &dyn std::fmt::Display| {
        Error::not_configured(format!(
            "The workload token in {} cannot be read ({why}); let the platform write it there.",
            path.display()
        ))
    };
    let mut text = String::new();
    let file = File::open(path).map_err(|why| unreadable(&why))?;
    file.take(TOKEN_BYTES_MAX + 1).read_to_string(&mut text).map_err(|why| unreadable(&why))?;
    let token = text.trim();
    if token.is_empty() || text.len() as u64 > TOKEN_BYTES_MAX {
        return Err(unreadable(&"it is empty or no token"));
    }
    Ok(token.to_owned())
}

pub(crate) fn exchange_request(token: &str, agent_did: &str) -> Request {
    let fields = [
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        ("client_id", "svc-workload"),
        ("subject_token", token),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:jwt"),
        ("agent_did", agent_did),
    ];
    let body = fields.map(|(name, value)| format!("{name}={}", form_encoded(value))).join("&");
    Request {
        method: Method::POST,
        path: "/oauth/token",
        headers: vec![("content-type", "application/x-www-form-urlencoded".to_owned())],
        body,
        changes: false,
        timeout: REQUEST_TIME_MAX,
    }
}

fn form_encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
