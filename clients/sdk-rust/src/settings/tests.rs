use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::error::ErrorCode;

const DID: &str = "did:oas:acme:agent:1";
const KEPT: &str = r#"{ "api_url": "https://file.example/", "api_key": "file",
    "agent_did": "did:oas:filed:agent:3", "tenant_id": "other-tenant" }"#;

/// A temporary home directory per test, removed afterwards.
struct Home(PathBuf);

impl Home {
    fn new() -> Self {
        static HOMES: AtomicU32 = AtomicU32::new(0);
        let nth = HOMES.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("svc-settings-{}-{nth}", std::process::id()));
        fs::create_dir_all(path.join(".svc/profiles")).unwrap();
        Home(path)
    }

    fn with(text: &str) -> Self {
        let home = Home::new();
        home.write("config.json", text, 0o600);
        home
    }

    fn write(&self, name: &str, text: &str, mode: u32) {
        let path = self.0.join(".svc").join(name);
        fs::write(&path, text).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
    }

    fn resolve(&self, given: Given, env: &[(&str, &str)]) -> Result<Settings, Error> {
        let value =
            |name: &str| env.iter().find(|(each, _)| *each == name).map(|(_, value)| (*value).to_owned());
        resolve(&given, &Surroundings { env: &value, home: Some(self.0.clone()) })
    }

    fn refusal(&self, given: Given, env: &[(&str, &str)]) -> String {
        let error = self.resolve(given, env).expect_err("it was taken");
        assert_eq!(error.code(), ErrorCode::NotConfigured);
        error.to_string()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn given() -> Given {
    Given {
        api_url: text("https://given.example"),
        api_key: text("given"),
        agent_did: text(DID),
        ..Given::default()
    }
}

/// Only the API key: a private key is compared as a credential.
fn key_of(settings: &Settings) -> &str {
    match &settings.credential {
        Credential::ApiKey(key) => key,
        Credential::PrivateKey(_) => "a private key",
        Credential::WorkloadTokenFile(_) => "a file",
    }
}

const ENV: &[(&str, &str)] = &[
    ("SVC_API_URL", "https://env.example"),
    ("SVC_API_KEY", "env"),
    ("SVC_AGENT_DID", "did:oas:envy:agent:2"),
];

#[test]
fn the_options_then_the_environment_then_the_file() {
    let home = Home::with(KEPT);
    let filed = home.resolve(Given::default(), &[]).unwrap();
    assert_eq!((filed.api_url.as_str(), key_of(&filed)), ("https://file.example", "file"));
    assert_eq!(key_of(&home.resolve(Given::default(), ENV).unwrap()), "env");
    assert_eq!(key_of(&home.resolve(given(), ENV).unwrap()), "given");
    let mixed = Given { api_key: text("given"), ..Given::default() };
    let mixed = home.resolve(mixed, &[("SVC_API_URL", "http://env")]).unwrap();
    assert_eq!((mixed.api_url.as_str(), mixed.agent_did.as_str()), ("http://env", "did:oas:filed:agent:3"));
}

#[test]
fn the_tenant_is_the_one_named_else_that_of_the_file_for_its_own_agent_else_where_the_agent_is_at_home() {
    let home = Home::with(KEPT);
    let tenant = |given, env: &[_]| home.resolve(given, env).unwrap().tenant_id;
    assert_eq!(tenant(Given { tenant_id: text("t"), ..given() }, ENV), "t");
    assert_eq!(tenant(given(), &[("SVC_TENANT_ID", "e")]), "e");
    assert_eq!(tenant(given(), &[]), "acme");
    assert_eq!(tenant(Given { api_key: text("other"), ..Given::default() }, &[]), "other-tenant");
    assert_eq!(tenant(Given { agent_did: text(DID), ..Given::default() }, &[]), "acme");
}

#[test]
fn what_is_empty_or_blank_counts_as_not_set() {
    let home = Home::with(KEPT);
    let blank = ["SVC_API_URL", "SVC_API_KEY", "SVC_AGENT_DID", "SVC_TENANT_ID", "SVC_PROFILE"]
        .map(|name| (name, " \n"));
    let settings = home.resolve(Given { api_url: text(""), ..Given::default() }, &blank).unwrap();
    assert_eq!((key_of(&settings), settings.tenant_id.as_str()), ("file", "other-tenant"));
    assert_eq!(key_of(&home.resolve(Given { api_key: text("key\n"), ..given() }, &[]).unwrap()), "key");
}

#[test]
fn with_nothing_set_one_sentence_names_what_is_missing_and_every_way_to_set_it() {
    let home = Home::new();
    let said = home.refusal(Given { api_url: text("http://x"), ..Given::default() }, &[]);
    let path = home.0.join(".svc/config.json");
    let ways = "pass api_url, agent_did and api_key or private_key, \
        or set SVC_API_URL, SVC_API_KEY and SVC_AGENT_DID";
    let login = format!("or run `svc login`, which writes {}.", path.display());
    assert_eq!(said, format!("There is no api_key and no agent_did: {ways}, {login}"));
    let homeless = resolve(&Given::default(), &Surroundings { env: &|_| None, home: None }).unwrap_err();
    assert_eq!(homeless.to_string(), format!("There is no api_url and no api_key and no agent_did: {ways}."));
}

#[test]
fn a_profile_has_a_file_of_its_own_and_a_name_that_leads_nowhere_else() {
    let home = Home::with(KEPT);
    home.write("profiles/work.json", &KEPT.replace("\"file\"", "\"work\""), 0o600);
    let profile = |name: &str| Given { profile: text(name), ..Given::default() };
    assert_eq!(key_of(&home.resolve(profile("work"), &[]).unwrap()), "work");
    assert_eq!(key_of(&home.resolve(Given::default(), &[("SVC_PROFILE", "work")]).unwrap()), "work");
    assert_eq!(key_of(&home.resolve(profile("default"), &[("SVC_PROFILE", "work")]).unwrap()), "file");
    for name in ["../config", "a/b", ".", "-x", &"x".repeat(65)] {
        assert!(home.refusal(profile(name), &[]).starts_with("The profile is called "), "{name}");
    }
    assert!(home.refusal(profile("none"), &[]).ends_with("profiles/none.json."));
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_read_is_refused_and_not_looked_at_without_need() {
    let home = Home::new();
    let path = home.0.join(".svc/config.json");
    for mode in [0o644, 0o640, 0o602] {
        home.write("config.json", KEPT, mode);
        let said = home.refusal(Given::default(), &[]);
        assert!(said.ends_with(&format!("run chmod 600 {}.", path.display())), "{said}");
    }
    assert_eq!(home.resolve(given(), &[]).unwrap().tenant_id, "acme");
}

#[test]
fn a_file_that_is_no_config_is_refused_without_saying_what_is_in_it() {
    let home = Home::new();
    // Fields are matched by name, never by position.
    let listed = r#"["https://x", "svc_secret", "svc_secret", "did:oas:acme:agent:1", "acme"]"#;
    let half = "{\"api_key\": \"svc_secret";
    for text in [half, "[]", listed, "null", "\"svc_secret\"", "{\"api_key\": 5}", "{\"auth_url\": 5}", ""] {
        home.write("config.json", text, 0o600);
        let error = home.resolve(Given::default(), &[]).unwrap_err();
        let said = format!("{error} {error:?}");
        assert!(said.contains("config.json is not the JSON that") && !said.contains("secret"), "{said}");
    }
    home.write("config.json", &"x".repeat(70_000), 0o600);
    assert!(home.refusal(Given::default(), &[]).contains("70000 bytes"));
    home.write(
        "config.json",
        &KEPT.replace('}', ", \"refresh_token\": null, \"tenant_id_was\": null }"),
        0o600,
    );
    assert!(home.resolve(Given::default(), &[]).is_ok());
}

#[test]
fn addresses_keys_and_dids_that_cannot_work_are_refused_and_secrets_are_not_said_back() {
    let home = Home::new();
    let address = |url: &str| Given { api_url: text(url), ..given() };
    for url in [
        "nowhere",
        "ftp://x",
        "http://x/?a=1",
        "http://x/#a",
        "http://",
        "http://x:99999",
        "http://x:a",
        "http:x",
    ] {
        let said = home.refusal(address(url), &[]);
        assert!(said.starts_with("api_url is "), "{url}: {said}");
    }
    for url in
        ["http://me:secret@x", "http:/me:secret@x", "http:///me:secret@x", "http//me:secret@x", "me:secret@x"]
    {
        let named = home.refusal(address(url), &[]);
        assert!(named.starts_with("api_url holds a name or password"), "{named}");
    }
    let keyed = home.refusal(Given { api_key: text("secret\nsecret"), ..given() }, &[]);
    assert!(!keyed.contains("secret"), "{keyed}");
    for did in ["me", "did:oas:a:b", "did:web:a:b:c", "did:oas:a:b:c\nd", "did:oas:a::c", "did:oas:a:b:c:d"] {
        assert!(
            home.refusal(Given { agent_did: text(did), ..given() }, &[]).starts_with("agent_did is "),
            "{did}"
        );
    }
    for (url, plain) in [
        ("https://x/svc/", "https://x/svc"),
        ("HTTPS://X.Example", "https://x.example"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://x:8080/@svc", "http://x:8080/@svc"),
    ] {
        assert_eq!(home.resolve(address(url), &[]).unwrap().api_url, plain);
    }
}

const SEED: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE";

#[test]
fn a_private_key_is_taken_from_the_nearest_place_that_names_a_key_and_two_at_one_place_are_refused() {
    let home = Home::with(KEPT);
    let own = || Given { private_key: text(SEED), ..Given::default() };
    let env = |name| [(name, SEED)];
    let signs = |given, env: &[_]| home.resolve(given, env).unwrap().credential;
    assert!(signs(own(), ENV) == Credential::PrivateKey([1; 32]));
    assert!(signs(Given::default(), &env("SVC_PRIVATE_KEY")) == Credential::PrivateKey([1; 32]));
    assert!(signs(given(), &env("SVC_PRIVATE_KEY")) == Credential::ApiKey("given".to_owned()));
    let path = || Some(PathBuf::from("/run/token"));
    let by_file = || Given { workload_token_file: path(), ..Given::default() };
    assert!(signs(by_file(), ENV) == Credential::WorkloadTokenFile("/run/token".into()));
    let named = [("SVC_WORKLOAD_TOKEN_FILE", "/run/token\n")];
    assert!(signs(Given::default(), &named) == Credential::WorkloadTokenFile("/run/token".into()));
    assert!(signs(own(), &named) == Credential::PrivateKey([1; 32]));
    let twice = "There is more than one of api_key, private_key and workload_token_file; set one.";
    assert_eq!(home.refusal(Given { workload_token_file: path(), ..given() }, &[]), twice);
    assert_eq!(home.refusal(Given::default(), &[named[0], ("SVC_PRIVATE_KEY", SEED)]), twice);
    assert_eq!(home.refusal(Given { private_key: text(SEED), ..given() }, &[]), twice);
    assert_eq!(home.refusal(Given::default(), &[("SVC_API_KEY", "k"), ("SVC_PRIVATE_KEY", SEED)]), twice);
    home.write("config.json", &KEPT.replace('}', &format!(", \"private_key\": \"{SEED}\" }}")), 0o600);
    assert_eq!(home.refusal(Given::default(), &[]), twice);
    assert!(signs(given(), &[]) == Credential::ApiKey("given".to_owned()));
    let filed = KEPT.replace("\"api_key\": \"file\"", &format!("\"private_key\": \"{SEED}\""));
    home.write("config.json", &filed, 0o600);
    assert!(signs(Given::default(), &[]) == Credential::PrivateKey([1; 32]));
    for wrong in [&SEED[1..], &format!("{SEED}="), &SEED.replace('E', "="), &SEED.repeat(2)] {
        let said = home.refusal(Given { private_key: text(wrong), ..Given::default() }, &[]);
        assert!(said.starts_with("The private_key is not 32 bytes") && !said.contains(wrong), "{said}");
    }
}

#[test]
fn no_printed_form_shows_the_key() {
    let settings = Home::new().resolve(Given { api_key: text("svc_secret"), ..given() }, &[]).unwrap();
    assert!(!format!("{settings:?}").contains("svc_secret"));
    let signing = Given { private_key: text(SEED), api_key: None, ..given() };
    let settings = Home::new().resolve(signing, &[]).unwrap();
    assert!(!format!("{settings:?}").contains("1, 1"));
}
