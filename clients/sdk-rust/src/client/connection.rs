//! Connections to one engine: kept open between calls, over TLS for https addresses.

use std::sync::Arc;
use std::time::Duration;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::{ClientConfig, RootCertStore};

use crate::error::Error;

pub(crate) type Connections = Client<HttpsConnector<HttpConnector>, String>;

const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
/// An engine closes connections idle for 5 s; a request sent at that moment has an unknown outcome.
const IDLE_TIME_MAX: Duration = Duration::from_secs(4);

/// Follows no redirect and never retries; a request not yet written may use another connection.
pub(crate) fn open_connections(api_url: &str) -> Result<Connections, Error> {
    let mut tcp = HttpConnector::new();
    tcp.set_connect_timeout(Some(CONNECT_TIME_MAX));
    tcp.set_nodelay(true);
    tcp.enforce_http(false);
    let https = HttpsConnectorBuilder::new()
        .with_tls_config(tls_config(api_url)?)
        .https_or_http()
        .enable_http1()
        .wrap_connector(tcp);
    Ok(Client::builder(TokioExecutor::new()).pool_idle_timeout(IDLE_TIME_MAX).build(https))
}

fn tls_config(api_url: &str) -> Result<ClientConfig, Error> {
    let unusable =
        |why: &dyn std::fmt::Display| Error::not_configured(format!("TLS cannot be used here ({why})."));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    // Without https no certificates are needed, so a container without any can call a local engine.
    let roots = if api_url.starts_with("https:") { system_roots()? } else { RootCertStore::empty() };
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Ok(versions.map_err(|why| unusable(&why))?.with_root_certificates(roots).with_no_client_auth())
}

/// The certificates this machine trusts, or those of `SSL_CERT_FILE` and `SSL_CERT_DIR`.
fn system_roots() -> Result<RootCertStore, Error> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added > 0 {
        return Ok(roots);
    }
    let why = found.errors.first().map_or("none were found".to_owned(), ToString::to_string);
    Err(Error::not_configured(format!(
        "There are no root certificates for https ({why}); install them, or let SSL_CERT_FILE name them."
    )))
}
