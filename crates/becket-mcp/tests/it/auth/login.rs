//! Complete logins, by each way of client identification.

use becket_mcp::auth::{CallbackHost, HeaderAttempt, Proof};
use becket_mcp::config::OAuth;
use becket_testkit::mcp_auth::AuthPlan;
use serde_json::json;
use std::os::unix::fs::MetadataExt;

use crate::auth::place::{Place, challenge, enter, target, token, with};

// rule: X3
#[tokio::test]
async fn a_login_leaves_a_token_that_the_server_takes_and_takes_it_out_of_the_memory() {
    let (server, place) = (AuthPlan::new().start(), Place::new());
    let (logins, target) = (place.logins(), target(&server));
    let key = becket_mcp::auth::Key::new("docs", &target.url);
    place.needed().note(&key, place.now()).await.unwrap();
    assert_eq!(token(&logins.headers(&target), HeaderAttempt::First).await.unwrap(), "");
    assert!(!logins.is_logged_in(&target).await.unwrap());

    let done = enter(&logins, &target, &challenge(&server)).await.unwrap();
    assert_eq!((done.scopes, done.is_renewable), (vec!["read".into(), "write".into()], true));
    assert_eq!(done.expires_at, Some(place.now() + std::time::Duration::from_secs(3600)));

    let given = token(&logins.headers(&target), HeaderAttempt::First).await.unwrap();
    assert!(server.takes(&given));
    assert_eq!(place.needed().is_needed(&key, place.now()), None);
    assert_eq!(std::fs::metadata(place.file()).unwrap().mode() & 0o777, 0o600);
    // Another process, later: nothing is requested again.
    assert_eq!(token(&place.logins().headers(&target), HeaderAttempt::First).await.unwrap(), given);
    assert_eq!((server.count("/token"), server.count("/register")), (1, 1));
    let kept = place.kept(&target).await.unwrap();
    assert_eq!(kept.issued.issuer, Some(server.origin()));
    assert_eq!(kept.issued.token_endpoint.as_str(), format!("{}/token", server.origin()));
    assert_eq!(kept.issued.resource, server.url());
}

// rule: X3
#[tokio::test]
async fn a_token_is_for_one_name_and_one_address() {
    let (server, place) = (AuthPlan::new().start(), Place::new());
    let (logins, docs) = (place.logins(), target(&server));
    enter(&logins, &docs, &challenge(&server)).await.unwrap();
    let mut renamed = docs.clone();
    renamed.server = "other".into();
    let mut moved = docs.clone();
    moved.url.set_path("/elsewhere");
    for other in [renamed, moved] {
        assert_eq!(token(&logins.headers(&other), HeaderAttempt::First).await.unwrap(), "");
    }
}

#[tokio::test]
async fn a_client_is_known_by_its_registration_by_a_document_or_by_itself() {
    let mine = || OAuth {
        client_id: Some("mine".into()),
        client_secret: Some("s3cr3t+of/mine".into()),
        ..OAuth::default()
    };
    let document = "https://me.example/client.json";
    let by_document = || OAuth { client_metadata_url: Some(document.into()), ..OAuth::default() };
    let post = json!({"token_endpoint_auth_methods_supported": ["client_secret_post"]});
    let documents = json!({"client_id_metadata_document_supported": true});
    for (plan, oauth, id, proof, registered) in [
        (AuthPlan::new(), OAuth::default(), "client-1", "None", 1),
        (AuthPlan::new().with_secrets(), OAuth::default(), "client-1", "Basic", 1),
        (AuthPlan::new().with_secrets().metadata(post.clone()), OAuth::default(), "client-1", "Post", 1),
        (AuthPlan::new(), mine(), "mine", "Basic", 0),
        (AuthPlan::new().metadata(post), mine(), "mine", "Post", 0),
        (AuthPlan::new().metadata(documents), by_document(), document, "None", 0),
        (AuthPlan::new(), by_document(), "client-2", "None", 1),
    ] {
        let (server, place) = (plan.start(), Place::new());
        if id != "client-1" {
            server.know("mine", Some("s3cr3t+of/mine"));
        }
        let target = with(&server, oauth);
        enter(&place.logins(), &target, &challenge(&server)).await.unwrap();
        let client = place.kept(&target).await.unwrap().client;
        let shown = match client.proof {
            Proof::None => "None",
            Proof::Basic(_) => "Basic",
            Proof::Post(_) => "Post",
        };
        assert_eq!((client.id.as_str(), shown, server.count("/register")), (id, proof, registered));
    }
}

#[tokio::test]
async fn pkce_state_and_resource_are_in_every_login_and_the_callback_is_on_this_machine() {
    let (server, mut place) = (AuthPlan::new().start(), Place::new());
    for (host, shown) in [(CallbackHost::Address, "127.0.0.1"), (CallbackHost::Localhost, "localhost")] {
        place.options.callback_host = host;
        let login = place.logins().login(&target(&server), &challenge(&server)).await.unwrap();
        let value = |name: &str| {
            let mut found = login.url().query_pairs().filter(|(known, _)| known == name);
            found.next().map(|(_, value)| value.into_owned()).unwrap()
        };
        assert_eq!(
            (value("response_type").as_str(), value("code_challenge_method").as_str()),
            ("code", "S256")
        );
        assert!(value("code_challenge").len() == 43 && value("state").len() >= 20);
        assert_eq!((value("resource"), value("scope")), (server.url(), "read write".into()));
        assert!(value("redirect_uri").starts_with(&format!("http://{shown}:")), "{}", value("redirect_uri"));
        let shown = format!("{login:?}");
        assert!(!shown.contains(&value("state")) && !shown.contains("verifier: \""), "{shown}");
    }
}

#[tokio::test]
async fn scopes_are_those_of_the_user_or_of_the_challenge_or_of_the_metadata() {
    let offline = json!({"scopes_supported": ["a", "offline_access"]});
    let mine = OAuth { scopes: vec!["x".into(), "y".into()], ..OAuth::default() };
    for (plan, oauth, expected) in [
        (AuthPlan::new(), OAuth::default(), Some("read write")),
        (AuthPlan::new().challenges("files"), OAuth::default(), Some("files")),
        (
            AuthPlan::new().challenges("files").metadata(offline.clone()),
            OAuth::default(),
            Some("files offline_access"),
        ),
        (AuthPlan::new().metadata(offline.clone()), OAuth::default(), Some("read write offline_access")),
        (AuthPlan::new().challenges("files").metadata(offline), mine, Some("x y")),
        (AuthPlan::new().resource(json!({"scopes_supported": null})), OAuth::default(), None),
    ] {
        let (server, place) = (plan.start(), Place::new());
        let login = place.logins().login(&with(&server, oauth), &challenge(&server)).await.unwrap();
        let asked =
            login.url().query_pairs().find(|(name, _)| name == "scope").map(|(_, value)| value.into_owned());
        assert_eq!(asked.as_deref(), expected);
    }
}
