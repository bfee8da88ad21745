//! Tokens for a person by the identity provider of an enterprise (SEP-990): `tests/cases/auth_exchange.json`, and the
//! destination of each secret.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use becket_mcp::auth::{HeaderAttempt, Target};
use becket_mcp::config::{Grant, IdentityProvider, OAuth};
use becket_testkit::mcp_auth::{AuthPlan, AuthServer};
use becket_testkit::mcp_http::{Plan, ReceivedRequest, Reply, Server};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::auth::place::{Place, challenge, token, with};

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const SECRET: &str = "s3cr3t-mine/1+";
const SECRET_THERE: &str = "s3cr3t-there/1+";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    rule: String,
    /// Changes to the metadata that the authorisation server publishes.
    #[serde(default)]
    metadata: Value,
    /// True if this program has a secret at the provider, and at the authorisation server.
    #[serde(default)]
    secrets: [bool; 2],
    /// The content of the file with the identity token, if it is not valid; `expired` is replaced by an old one.
    identity: Option<String>,
    /// The provider's response: its status, its body, or changes to its members.
    #[serde(default = "fine")]
    status: u16,
    body: Option<String>,
    #[serde(default)]
    answer: Value,
    /// The scopes that the user has configured.
    #[serde(default)]
    written: Vec<String>,
    /// The scopes that are requested from both.
    #[serde(default)]
    scopes: String,
    /// The number of requests to each of them.
    asked: [usize; 2],
    /// A part of the error; `None` if a token is issued.
    error: Option<String>,
}

fn fine() -> u16 {
    200
}

/// The provider, and a server whose authorisation server trusts it.
struct Scene {
    server: AuthServer,
    provider: Server,
    place: Place,
    target: Target,
    file: PathBuf,
}

fn jwt(claims: &Value) -> String {
    let parts = [json!({"alg": "ES256"}).to_string(), claims.to_string(), "s3cr3t-signature".to_owned()];
    parts.map(|part| URL_SAFE_NO_PAD.encode(part)).join(".")
}

fn form(seen: &ReceivedRequest) -> Vec<(String, String)> {
    let text = seen.body.as_str().unwrap_or_default();
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

fn value(form: &[(String, String)], name: &str) -> String {
    form.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

impl Scene {
    fn new(case: &Case) -> Self {
        let place = Place::new();
        let mut metadata = json!({"grant_types_supported": [JWT_BEARER]});
        for (name, changed) in case.metadata.as_object().into_iter().flatten() {
            metadata[name] = changed.clone();
        }
        let vouches = |jwt: &str| {
            let claims = jwt.split('.').nth(1).and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
            claims.is_some_and(|claims| String::from_utf8_lossy(&claims).contains("s3cr3t-grant"))
        };
        let server = AuthPlan::new().metadata(metadata).believes(vouches).start();
        server.know("mine", case.secrets[1].then_some(SECRET));
        let provider = provider(case, server.origin());
        let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap().as_secs();
        let expires = |life| json!({"sub": "ann", "exp": seconds(place.now() + Duration::from_secs(life))});
        let file = place.directory.path().join("identity");
        let identity = match case.identity.as_deref() {
            Some("expired") => jwt(&expires(0)),
            Some(other) => other.to_owned(),
            None => format!("{}\n", jwt(&expires(3600))),
        };
        std::fs::write(&file, identity).unwrap();
        let grant = Grant::Exchange(IdentityProvider {
            token_endpoint: provider.url().replace("/mcp", "/exchange").parse().unwrap(),
            client_id: "mine-there".into(),
            client_secret: case.secrets[0].then(|| SECRET_THERE.into()),
            id_token: file.clone(),
        });
        let (client_id, client_secret) = (Some("mine".to_owned()), case.secrets[1].then(|| SECRET.into()));
        let scopes = case.written.clone();
        let target = with(&server, OAuth { client_id, client_secret, scopes, grant, ..OAuth::default() });
        Self { server, provider, place, target, file }
    }

    /// Returns the number of requests to the provider.
    fn exchanges(&self) -> usize {
        self.provider.seen().iter().filter(|seen| seen.path == "/exchange").count()
    }

    /// Returns the last form that each of them received.
    fn forms(&self) -> [Vec<(String, String)>; 2] {
        [(self.provider.seen(), "/exchange"), (self.server.http().seen(), "/token")]
            .map(|(seen, path)| form(seen.iter().rev().find(|seen| seen.path == path).unwrap()))
    }
}

/// Returns a provider that gives every requested grant, or answers as the case defines.
fn provider(case: &Case, origin: String) -> Server {
    let (status, body, answer) = (case.status, case.body.clone(), case.answer.clone());
    let rule = move |seen: &ReceivedRequest| {
        if seen.path != "/exchange" {
            return Some(Reply::status(404));
        }
        if let Some(body) = &body {
            if body != "[ALL]" {
                return Some(Reply::text(status, "application/json", body.clone()));
            }
            let all = format!("{:?} {:?}", seen.header("authorization"), form(seen));
            return Some(Reply::json(status, &json!({"error": "invalid_request", "error_description": all})));
        }
        let audience = value(&form(seen), "audience");
        assert_eq!(audience.trim_end_matches('/'), origin);
        let mut claims = json!({"aud": audience, "jti": "s3cr3t-grant", "client_id": "mine"});
        let mut given = json!({"issued_token_type": ID_JAG, "token_type": "N_A", "access_token": ""});
        for (name, changed) in answer.as_object().into_iter().flatten() {
            let part = if matches!(name.as_str(), "aud" | "jti") { &mut claims } else { &mut given };
            let text = changed.to_string().replace("[ORIGIN]", &origin);
            part[name] = serde_json::from_str(&text).unwrap();
        }
        if given["access_token"] == "" {
            given["access_token"] = json!(jwt(&claims));
        }
        Some(Reply::json(status, &given))
    };
    Plan::new().rule(rule).start()
}

// rule: X3
#[tokio::test]
async fn a_person_is_vouched_for_and_each_bad_step_is_named() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../cases/auth_exchange.json")).unwrap();
    assert!(cases.len() > 15);
    for case in cases {
        run(&case).await;
    }
}

async fn run(case: &Case) {
    let (scene, name) = (Scene::new(case), &format!("{} ({})", case.name, case.rule));
    let logins = scene.place.logins();
    let source = logins.headers(&scene.target);
    assert_eq!(token(&source, HeaderAttempt::First).await.unwrap(), "", "{name}: nothing is sent unasked");
    let given = token(&source, HeaderAttempt::After401(challenge(&scene.server))).await;
    let asked = [scene.exchanges(), scene.server.count("/token")];
    assert_eq!(asked, case.asked, "{name}: {given:?}");
    let mut shown = vec![format!("{source:?} {logins:?} {:?}", scene.target)];
    match (given, &case.error) {
        (Ok(token), None) => {
            assert!(scene.server.takes(&token), "{name}");
            check(&scene, case, name);
        }
        (Err(fault), Some(expected)) => {
            let said = fault.to_string().replace(&scene.file.display().to_string(), "…");
            assert!(said.contains(expected.as_str()), "{name}: {said}");
            shown.extend([said, format!("{fault:?}")]);
        }
        (given, _) => panic!("{name}: {given:?}"),
    }
    let secret = [URL_SAFE_NO_PAD.encode("s3cr3t-signature"), "s3cr3t".to_owned()];
    for text in shown {
        assert!(secret.iter().all(|secret| !text.contains(secret.as_str())), "{name}: {text}");
    }
    assert!(scene.place.kept(&scene.target).await.is_none(), "{name}: nothing is kept on disk");
}

/// Checks the traffic: each secret goes to its own party only.
fn check(scene: &Scene, case: &Case, name: &str) {
    let [there, here] = scene.forms();
    let identity = std::fs::read_to_string(&scene.file).unwrap();
    for (field, expected) in [
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        ("requested_token_type", ID_JAG),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
        ("subject_token", identity.trim()),
        ("resource", &scene.server.url()),
        ("scope", &case.scopes),
        ("client_id", if case.secrets[0] { "" } else { "mine-there" }),
    ] {
        assert_eq!(value(&there, field), expected, "{name}: {field}");
    }
    assert_eq!(value(&here, "grant_type"), JWT_BEARER, "{name}");
    assert_eq!(value(&here, "scope"), case.scopes, "{name}");
    let all = |seen: &[ReceivedRequest]| {
        seen.iter().map(|seen| format!("{:?}{}", seen.headers, seen.body)).collect::<String>()
    };
    let (to_provider, to_server) = (all(&scene.provider.seen()), all(&scene.server.http().seen()));
    let basic = |id: &str, secret: &str| {
        let encoded: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
        base64::engine::general_purpose::STANDARD.encode(format!("{id}:{encoded}"))
    };
    let [mine_there, mine] = [basic("mine-there", SECRET_THERE), basic("mine", SECRET)];
    assert_eq!(to_provider.contains(&mine_there), case.secrets[0], "{name}");
    assert_eq!(to_server.contains(&mine), case.secrets[1], "{name}");
    assert!(!to_server.contains(&mine_there) && !to_server.contains(identity.trim()), "{name}");
    assert!(!to_provider.contains(&mine) && !to_provider.contains(&value(&here, "assertion")), "{name}");
}

// rule: X3
#[tokio::test]
async fn a_provider_that_says_no_is_not_asked_again_at_once_and_a_new_token_is_vouched_for_anew() {
    let case = |more: Value| -> Case {
        let mut whole = json!({"name": "", "rule": "X3", "asked": [1, 1]});
        more.as_object().unwrap().iter().for_each(|(name, value)| whole[name] = value.clone());
        serde_json::from_value(whole).unwrap()
    };
    let scene = Scene::new(&case(json!({"status": 400, "body": r#"{"error": "invalid_grant"}"#})));
    let source = scene.place.logins().headers(&scene.target);
    for _ in 0..3 {
        token(&source, HeaderAttempt::After401(challenge(&scene.server))).await.unwrap_err();
    }
    assert_eq!(scene.exchanges(), 1);

    let scene = Scene::new(&case(json!({})));
    let source = scene.place.logins().headers(&scene.target);
    let first = token(&source, HeaderAttempt::After401(challenge(&scene.server))).await.unwrap();
    scene.place.pass(3550);
    let second = token(&source, HeaderAttempt::First).await.unwrap();
    assert!(second != first && scene.server.takes(&second));
    assert_eq!([scene.exchanges(), scene.server.count("/token")], [2, 2]);
}
