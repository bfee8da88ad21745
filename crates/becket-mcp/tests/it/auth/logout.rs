//! Logouts.

use becket_mcp::auth::{HeaderAttempt, LoggedOut};
use becket_testkit::mcp_auth::AuthPlan;
use becket_testkit::mcp_http::Reply;
use serde_json::json;

use crate::auth::place::{Place, challenge, enter, target, token};

// rule: X3
#[tokio::test]
async fn tokens_are_forgotten_here_and_where_they_come_from() {
    let none = || json!({"revocation_endpoint": null});
    let far = || json!({"revocation_endpoint": "http://as.example/revoke"});
    for (plan, expected, revoked) in [
        (AuthPlan::new(), "Everywhere", 2),
        (AuthPlan::new().with_secrets(), "Everywhere", 2),
        (AuthPlan::new().metadata(none()), "LocalOnly", 0),
        // An endpoint that may not be used counts as missing.
        (AuthPlan::new().metadata(far()), "LocalOnly", 0),
        (AuthPlan::new().always("/revoke", || Reply::status(503)), "NotRevoked", 1),
    ] {
        let (server, place) = (plan.start(), Place::new());
        let (logins, target) = (place.logins(), target(&server));
        assert!(matches!(logins.logout(&target).await.unwrap(), LoggedOut::NoTokens));
        enter(&logins, &target, &challenge(&server)).await.unwrap();
        let ended = logins.logout(&target).await.unwrap();
        assert!(format!("{ended:?}").starts_with(expected), "{ended:?}");
        assert_eq!(server.count("/revoke"), revoked);
        assert_eq!(server.has_good_tokens(), expected != "Everywhere");
        assert!(place.kept(&target).await.is_none());
        assert_eq!(token(&logins.headers(&target), HeaderAttempt::First).await.unwrap(), "");
    }
}

// rule: X3
#[tokio::test]
async fn an_authorisation_server_that_hangs_does_not_keep_a_user_logged_in() {
    let (server, place) = (AuthPlan::new().always("/revoke", || Reply::Hang).start(), Place::new());
    let (logins, target) = (place.logins(), target(&server));
    enter(&logins, &target, &challenge(&server)).await.unwrap();
    let ended = logins.logout(&target).await.unwrap();
    assert!(matches!(ended, LoggedOut::NotRevoked { why: None }), "{ended:?}");
    assert!(place.kept(&target).await.is_none());
}
