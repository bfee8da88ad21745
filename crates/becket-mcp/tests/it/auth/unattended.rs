//! Tokens by grants that need no person: `tests/cases/auth_unattended.json`, and their use.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use becket_mcp::auth::NoHeaders;
use becket_mcp::auth::{AuthError, HeaderAttempt, HeaderSource, LoggedOut, Target};
use becket_mcp::config::{Grant, OAuth, PrivateKey};
use becket_testkit::mcp_auth::{AuthPlan, AuthServer};
use becket_testkit::mcp_http::Reply;
use futures_util::future::join_all;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::auth::place::{Place, challenge, enter, refused, token, with};

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const SECRET: &str = "s3cr3t-mine/1+";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    rule: String,
    /// The method of client authentication.
    by: String,
    #[serde(default)]
    metadata: Value,
    /// The scopes that the server's challenge names.
    challenge: Option<String>,
    /// The scopes that the user has configured.
    #[serde(default)]
    written: Vec<String>,
    /// True if the user has named the metadata.
    #[serde(default)]
    named: bool,
    /// A path that answers with this status and body instead.
    #[serde(default)]
    other: Vec<(String, u16, String)>,
    /// The scopes that are requested if a token is issued.
    scopes: Option<String>,
    /// A part of the error; `None` if a token is issued.
    error: Option<String>,
    /// The number of requests to the token endpoint if there is an error.
    #[serde(default)]
    asked: usize,
}

/// A client, its place, and a server that trusts it.
struct Scene {
    server: AuthServer,
    place: Place,
    target: Target,
    /// The client assertions that were received.
    signed: Arc<Mutex<Vec<Value>>>,
    file: PathBuf,
}

fn plan(metadata: &Value) -> AuthPlan {
    let mut whole = json!({"grant_types_supported": ["client_credentials", JWT_BEARER]});
    for (name, value) in metadata.as_object().into_iter().flatten() {
        whole[name] = value.clone();
    }
    AuthPlan::new().metadata(whole)
}

/// Returns a JWT of a third party, with a signature that only it knows.
fn jwt(expires: SystemTime) -> String {
    let expires = expires.duration_since(UNIX_EPOCH).unwrap().as_secs();
    let parts = [json!({"alg": "ES256"}), json!({"sub": "pod", "exp": expires})];
    let [header, claims] = parts.map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
    format!("{header}.{claims}.{}", URL_SAFE_NO_PAD.encode("s3cr3t-signature"))
}

impl Scene {
    fn new(by: &str, plan: AuthPlan) -> Self {
        let (place, key) = (Place::new(), rcgen::KeyPair::generate().unwrap());
        let good = jwt(place.now() + Duration::from_secs(3600));
        let (signed, believed) = (Arc::<Mutex<Vec<Value>>>::default(), good.clone());
        let (public, notes) = (key.public_key_raw().to_vec(), Arc::clone(&signed));
        let server = plan.believes(move |jwt| jwt == believed || holds(jwt, &public, &notes)).start();
        server.know("mine", Some(SECRET));
        let file = place.directory.path().join("proof");
        let (text, grant) = match by {
            "secret" | "wrong secret" => (String::new(), Grant::Secret),
            "assertion" | "assertion and secret" => (format!("{good}\n"), Grant::Assertion(file.clone())),
            "wrong assertion" => (jwt(place.now() + Duration::from_secs(60)), Grant::Assertion(file.clone())),
            "expired assertion" => (jwt(place.now()), Grant::Assertion(file.clone())),
            "no assertion" => ("root:s3cr3t:0:0".to_owned(), Grant::Assertion(file.clone())),
            _ => {
                let text = match by {
                    "key" | "no file" => key.serialize_pem(),
                    "wrong key" => rcgen::KeyPair::generate().unwrap().serialize_pem(),
                    "no key" => "root:s3cr3t:0:0".to_owned(),
                    "endless key" => "s3cr3t".repeat(100_000),
                    other => panic!("{other}"),
                };
                let key = PrivateKey { file: file.clone(), algorithm: None, id: Some("k1".into()) };
                (text, Grant::Key(key))
            }
        };
        if by != "no file" {
            std::fs::write(&file, text).unwrap();
        }
        let secret = match by {
            "secret" | "assertion and secret" => Some(SECRET),
            "wrong secret" => Some("s3cr3t-other"),
            _ => None,
        };
        if matches!(by, "assertion" | "wrong assertion") {
            server.know("mine", None);
        }
        let (client_id, client_secret) = (Some("mine".to_owned()), secret.map(Into::into));
        let target = with(&server, OAuth { client_id, client_secret, grant, ..OAuth::default() });
        Self { server, place, target, signed, file }
    }

    /// Returns the form of the last token request.
    fn form(&self) -> Vec<(String, String)> {
        let seen = self.server.http().seen();
        let form = seen.iter().rev().find(|seen| seen.path == "/token").unwrap();
        url::form_urlencoded::parse(form.body.as_str().unwrap().as_bytes()).into_owned().collect()
    }

    /// Checks that none of these texts contains a secret.
    fn check(&self, shown: &[String]) {
        for text in shown {
            for secret in self.server.secrets().iter().map(String::as_str).chain(["s3cr3t", "PRIVATE"]) {
                let is_said = text.contains("unencrypted `PRIVATE KEY`") && secret == "PRIVATE";
                assert!(is_said || !text.contains(secret), "`{secret}` is in `{text}`");
            }
        }
    }
}

/// Returns whether the client has signed it; records its claims.
fn holds(jwt: &str, public: &[u8], notes: &Mutex<Vec<Value>>) -> bool {
    let (text, signature) = jwt.rsplit_once('.').unwrap();
    let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public);
    let good = key.verify(text.as_bytes(), &decoded(signature)).is_ok();
    let (header, claims) = text.split_once('.').unwrap();
    let [header, claims] =
        [header, claims].map(|part| serde_json::from_slice::<Value>(&decoded(part)).unwrap());
    notes.lock().unwrap().push(json!([header, claims]));
    good
}

// rule: X3
#[tokio::test]
async fn each_proof_gets_a_token_and_each_bad_one_is_named() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../cases/auth_unattended.json")).unwrap();
    assert!(cases.len() > 30);
    for case in cases {
        run(&case).await;
    }
}

async fn run(case: &Case) {
    let mut plan = plan(&case.metadata);
    if let Some(scopes) = &case.challenge {
        plan = plan.challenges(scopes);
    }
    for (path, status, body) in case.other.clone() {
        let path: &'static str = path.leak();
        plan = plan.always(path, move || Reply::text(status, "application/json", body.clone()));
    }
    let mut scene = Scene::new(&case.by, plan);
    let named = format!("{}/.well-known/oauth-authorization-server", scene.server.origin());
    scene.target.oauth.scopes.clone_from(&case.written);
    scene.target.oauth.auth_server_metadata_url = case.named.then(|| named.parse().unwrap());
    let (logins, name) = (scene.place.logins(), &format!("{} ({})", case.name, case.rule));
    let source = logins.headers(&scene.target);
    assert_eq!(token(&source, HeaderAttempt::First).await.unwrap(), "", "{name}: nothing is sent unasked");
    let given = token(&source, HeaderAttempt::After401(challenge(&scene.server))).await;
    let mut shown = vec![format!("{source:?} {logins:?} {:?}", scene.target)];
    match (given, &case.error) {
        (Ok(token), None) => {
            assert!(scene.server.takes(&token), "{name}");
            let asked = |wanted: &str| {
                let form = scene.form();
                form.into_iter().find(|(name, _)| name == wanted).map(|(_, value)| value).unwrap_or_default()
            };
            assert_eq!(asked("scope"), case.scopes.clone().unwrap_or_default(), "{name}");
            assert_eq!(asked("resource"), scene.server.url(), "{name}");
            let is_assertion = case.by.starts_with("assertion");
            let grant = if is_assertion { JWT_BEARER } else { "client_credentials" };
            assert_eq!(asked("grant_type"), grant, "{name}");
        }
        (Err(fault), Some(expected)) => {
            let said = fault.to_string().replace(&scene.file.display().to_string(), "…");
            assert!(said.contains(expected.as_str()), "{name}: {said}");
            assert_eq!(scene.server.count("/token"), case.asked, "{name}");
            shown.extend([said, format!("{fault:?}")]);
            assert_eq!(token(&source, HeaderAttempt::First).await.unwrap(), "", "{name}");
        }
        (given, _) => panic!("{name}: {given:?}"),
    }
    scene.check(&shown);
    assert!(scene.place.kept(&scene.target).await.is_none(), "{name}: nothing is kept on disk");
    assert_eq!(scene.server.count("/authorize") + scene.server.count("/register"), 0, "{name}");
}

// rule: X3
#[tokio::test]
async fn what_a_key_signs_is_for_this_authorisation_server_and_for_one_request() {
    let scene = Scene::new("key", plan(&json!({})).life(Some(100)));
    let source = scene.place.logins().headers(&scene.target);
    token(&source, HeaderAttempt::After401(challenge(&scene.server))).await.unwrap();
    scene.place.pass(99);
    token(&source, HeaderAttempt::First).await.unwrap();
    let signed = scene.signed.lock().unwrap().clone();
    let now = scene.place.now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert_eq!(signed.len(), 2);
    assert_eq!(signed[1][0], json!({"alg": "ES256", "typ": "JWT", "kid": "k1"}));
    assert_ne!(signed[0][1]["jti"], signed[1][1]["jti"]);
    for (name, value) in [
        ("iss", json!("mine")),
        ("sub", json!("mine")),
        ("aud", json!(scene.server.origin())),
        ("iat", json!(now)),
        ("exp", json!(now + 120)),
    ] {
        assert_eq!(signed[1][1][name], value, "{name}");
    }
}

// rule: X3
#[tokio::test]
async fn a_token_is_got_anew_before_it_expires_and_the_file_is_read_anew() {
    let scene = Scene::new("assertion", plan(&json!({})));
    let source = scene.place.logins().headers(&scene.target);
    let first = token(&source, HeaderAttempt::After401(challenge(&scene.server))).await.unwrap();
    scene.place.pass(3500);
    assert_eq!(token(&source, HeaderAttempt::First).await.unwrap(), first);
    scene.place.pass(50);
    let second = token(&source, HeaderAttempt::First).await.unwrap();
    assert!(second != first && scene.server.takes(&second));
    // Refresh tokens are not used: the credentials are available.
    assert_eq!((scene.server.count("refresh_token"), scene.server.count("/token")), (0, 2));
    // The assertion was not renewed: the token lives as long as it does.
    scene.place.pass(3550);
    assert_eq!(token(&source, HeaderAttempt::First).await.unwrap(), second);
    scene.place.pass(50);
    let fault = token(&source, HeaderAttempt::First).await.unwrap_err().to_string();
    assert!(fault.contains("the JWT in it has expired"), "{fault}");
}

// rule: X3
#[tokio::test]
async fn many_requests_that_are_refused_at_once_have_one_token_got() {
    let scene = Scene::new("secret", plan(&json!({})));
    let source = Arc::new(scene.place.logins().headers(&scene.target));
    let said = challenge(&scene.server);
    let tokens = join_all((0..20).map(|_| token(&*source, HeaderAttempt::After401(said.clone())))).await;
    let tokens: Vec<String> = tokens.into_iter().map(Result::unwrap).collect();
    assert!(tokens.iter().all(|token| *token == tokens[0]));
    assert_eq!(scene.server.count("client_credentials"), 1);
    // Later another token was refused.
    scene.place.pass(2);
    scene.server.expire();
    let next = token(&*source, refused()).await.unwrap();
    assert!(next != tokens[0] && scene.server.takes(&next));
}

// rule: X3
#[tokio::test]
async fn whoever_says_no_is_not_asked_again_at_once_and_no_other_grant_is_tried() {
    let scene = Scene::new("wrong secret", plan(&json!({})));
    let logins = scene.place.logins();
    let source = logins.headers(&scene.target);
    let mut said = Vec::new();
    for _ in 0..5 {
        said.push(
            token(&source, HeaderAttempt::After401(challenge(&scene.server))).await.unwrap_err().to_string(),
        );
    }
    said.dedup();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!((scene.server.count("/token"), scene.server.count("client_credentials")), (1, 1));
    // Another secret is another client, which is asked at once.
    let mut corrected = scene.target.clone();
    corrected.oauth.client_secret = Some(SECRET.into());
    let source = logins.headers(&corrected);
    assert!(
        scene.server.takes(&token(&source, HeaderAttempt::After401(challenge(&scene.server))).await.unwrap())
    );
}

// rule: X3
#[tokio::test]
async fn a_failure_of_a_moment_is_none_the_next_time() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let fails = Arc::new(AtomicBool::new(true));
    let left = Arc::clone(&fails);
    let rule = move |seen: &becket_testkit::mcp_http::ReceivedRequest| {
        let fails = seen.path == "/token" && left.swap(false, Ordering::SeqCst);
        fails.then(|| Reply::text(503, "text/html", "later"))
    };
    let scene = Scene::new("key", plan(&json!({})).rule(rule));
    let source = scene.place.logins().headers(&scene.target);
    let error =
        token(&source, HeaderAttempt::After401(challenge(&scene.server))).await.unwrap_err().to_string();
    assert!(error.contains("it is HTTP 503 without an error of OAuth"), "{error}");
    assert!(scene.server.takes(&token(&source, refused()).await.unwrap()));
}

// rule: X3
#[tokio::test]
async fn no_person_logs_in_and_more_scopes_are_no_matter_of_a_new_token() {
    let scene = Scene::new("secret", plan(&json!({})));
    let logins = scene.place.logins();
    let error = enter(&logins, &scene.target, &challenge(&scene.server)).await.unwrap_err();
    assert!(matches!(error, AuthError::NoPerson { grant: "client_credentials" }), "{error}");
    let source = logins.headers(&scene.target);
    token(&source, HeaderAttempt::After401(challenge(&scene.server))).await.unwrap();
    let more =
        becket_mcp::Challenge { header: Some(r#"Bearer error="insufficient_scope", scope="x""#.into()) };
    let fault = source.headers(HeaderAttempt::After401(more)).await.unwrap_err();
    assert!(matches!(fault, NoHeaders::AuthNeeded(_)), "{fault}");
    assert_eq!(scene.server.count("/token"), 1);
    assert!(matches!(logins.logout(&scene.target).await.unwrap(), LoggedOut::LocalOnly));
    assert!(matches!(logins.logout(&scene.target).await.unwrap(), LoggedOut::NoTokens));
    assert_eq!(token(&source, HeaderAttempt::First).await.unwrap(), "");
}

// rule: X3
#[tokio::test]
async fn what_an_authorisation_server_sends_back_is_not_shown() {
    for by in ["secret", "key", "assertion and secret"] {
        let echo = |seen: &becket_testkit::mcp_http::ReceivedRequest| {
            let form = seen.body.as_str().filter(|_| seen.path == "/token")?;
            let header = seen.header("authorization").unwrap_or_default().to_owned();
            let decoded = url::form_urlencoded::parse(form.as_bytes()).map(|(_, value)| value.into_owned());
            let said: Vec<String> = decoded.chain([form.to_owned()]).collect();
            Some(Reply::json(400, &json!({"error": header, "error_description": said.join(" ")})))
        };
        let scene = Scene::new(by, plan(&json!({})).rule(echo));
        let source = scene.place.logins().headers(&scene.target);
        let fault = token(&source, HeaderAttempt::After401(challenge(&scene.server))).await.unwrap_err();
        let proof = std::fs::read_to_string(&scene.file).unwrap();
        for text in [fault.to_string(), format!("{fault:?}")] {
            scene.check(std::slice::from_ref(&text));
            assert!(text.contains("urn:ietf:params:oauth") || text.contains("client_credentials"), "{text}");
            assert!(proof.is_empty() || !text.contains(proof.trim()), "{text}");
            let signed =
                text.split([' ', '=', '&']).any(|word| word.matches('.').count() == 2 && word.len() > 100);
            assert!(!signed, "{by}: {text}");
        }
    }
}
