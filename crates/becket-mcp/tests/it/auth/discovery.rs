//! Discovery of authorisation servers, and rejected metadata: `tests/cases/auth_discovery.json`.

use becket_mcp::Challenge;
use becket_mcp::auth::MissingMetadata;
use becket_mcp::config::OAuth;
use becket_testkit::mcp_auth::AuthPlan;
use becket_testkit::mcp_http::Reply;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

use crate::auth::place::{Place, challenge, enter, target, with};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    rule: String,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    resource: Value,
    #[serde(default)]
    path: String,
    #[serde(default)]
    openid: bool,
    #[serde(default)]
    unannounced: bool,
    #[serde(default)]
    assume: bool,
    /// A challenge that replaces the server's own.
    challenge: Option<String>,
    /// A path that answers with this status and body instead.
    #[serde(default)]
    other: Vec<(String, u16, String)>,
    /// The metadata that the user names.
    named: Option<String>,
    /// A part of the error; `None` if the login succeeds.
    error: Option<String>,
}

// rule: X3
#[tokio::test]
async fn each_way_of_publishing_is_found_and_each_bad_one_is_named() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../cases/auth_discovery.json")).unwrap();
    assert!(cases.len() > 20);
    for case in cases {
        let said = run(&case).await;
        match (&said, &case.error) {
            (Ok(()), None) => {}
            (Err(said), Some(expected)) if said.contains(expected.as_str()) => {}
            _ => panic!("{} ({}): {said:?}", case.name, case.rule),
        }
    }
}

async fn run(case: &Case) -> Result<(), String> {
    let mut plan =
        AuthPlan::new().metadata(case.metadata.clone()).resource(case.resource.clone()).at(&case.path);
    if case.openid {
        plan = plan.openid();
    }
    if case.unannounced {
        plan = plan.unannounced();
    }
    for (path, status, body) in case.other.clone() {
        plan = plan.rule(move |seen| {
            let is_meant = seen.path.split('?').next() == Some(&path);
            is_meant.then(|| match body.strip_prefix("to ") {
                Some(to) => Reply::redirect(status, to),
                None => Reply::text(status, "application/json", body.clone()),
            })
        });
    }
    let (server, mut place) = (plan.start(), Place::new());
    if case.assume {
        place.options.missing_metadata = MissingMetadata::LegacyFallback;
    }
    let named = case.named.as_ref().map(|url| url.replace("[ORIGIN]", &server.origin()).parse().unwrap());
    let target = with(&server, OAuth { auth_server_metadata_url: named, ..OAuth::default() });
    let own = case.challenge.as_ref().map(|header| header.replace("[ORIGIN]", &server.origin()));
    let own = own.map(|header| Challenge { header: Some(header) });
    let challenge = own.unwrap_or_else(|| challenge(&server));
    let done = enter(&place.logins(), &target, &challenge).await;
    let origin = server.origin();
    done.map(drop).map_err(|error| error.to_string().replace(&origin, "[ORIGIN]"))
}

#[tokio::test]
async fn an_endless_answer_and_a_stream_end_a_login_and_do_not_hang_it() {
    let huge = || Reply::text(200, "application/json", vec![b' '; (1 << 20) + 1]);
    let server = AuthPlan::new().always("/.well-known/oauth-authorization-server", huge).start();
    let place = Place::new();
    let error = enter(&place.logins(), &target(&server), &challenge(&server)).await.unwrap_err().to_string();
    assert!(error.contains("it answers with more than 1048576 bytes"), "{error}");

    // The server itself is queried if its challenge names nothing; this one begins to stream.
    let server = AuthPlan::new().rule(|seen| (seen.path == "/mcp").then_some(Reply::Listen)).start();
    let empty = Challenge::default();
    let (logins, target) = (place.logins(), target(&server));
    let login = tokio::time::timeout(Duration::from_secs(20), enter(&logins, &target, &empty));
    login.await.expect("a stream is not read to its end").unwrap();
}
