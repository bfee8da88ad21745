//! Tokens that expire, or that the server refuses.

use std::sync::Arc;
use std::time::Duration;

use becket_mcp::auth::HeaderAttempt;
use becket_mcp::auth::NoHeaders;
use becket_testkit::mcp_auth::{AuthPlan, AuthServer};
use becket_testkit::mcp_http::Reply;
use futures_util::future::join_all;

use crate::auth::place::{Place, challenge, enter, refused, target, token};

async fn logged_in(plan: AuthPlan) -> (AuthServer, Place) {
    let (server, place) = (plan.start(), Place::new());
    enter(&place.logins(), &target(&server), &challenge(&server)).await.unwrap();
    (server, place)
}

// rule: X3
#[tokio::test]
async fn a_token_is_renewed_before_it_expires_even_by_a_process_that_never_logged_in() {
    let (server, place) = logged_in(AuthPlan::new().with_secrets()).await;
    let target = target(&server);
    let source = place.logins().headers(&target);
    let first = token(&source, HeaderAttempt::First).await.unwrap();
    place.pass(3500);
    assert_eq!(token(&source, HeaderAttempt::First).await.unwrap(), first);
    place.pass(50);
    let second = token(&source, HeaderAttempt::First).await.unwrap();
    assert!(second != first && server.takes(&second));
    // The new refresh token is stored, since each is used only once.
    place.pass(3600);
    let third = token(&place.logins().headers(&target), HeaderAttempt::First).await.unwrap();
    assert!(third != second && server.takes(&third));
    assert_eq!((server.count("refresh_token"), server.count("/token")), (2, 3));
    let kept = place.kept(&target).await.unwrap();
    assert_eq!(
        (kept.scopes, kept.issued.issuer),
        (vec!["read".into(), "write".into()], Some(server.origin()))
    );
}

// rule: X3
#[tokio::test]
async fn many_requests_that_are_refused_at_once_have_it_renewed_once() {
    let (server, place) = logged_in(AuthPlan::new().rule(slow_refresh)).await;
    let source = Arc::new(place.logins().headers(&target(&server)));
    let first = token(&*source, HeaderAttempt::First).await.unwrap();
    server.expire();
    let tokens = join_all((0..20).map(|_| token(&*source, refused()))).await;
    let tokens: Vec<String> = tokens.into_iter().map(Result::unwrap).collect();
    assert!(tokens.iter().all(|token| *token == tokens[0] && *token != first));
    // A request that was in progress all the time.
    assert_eq!(token(&*source, refused()).await.unwrap(), tokens[0]);
    assert_eq!(server.count("refresh_token"), 1);
}

fn slow_refresh(seen: &becket_testkit::mcp_http::ReceivedRequest) -> Option<Reply> {
    if seen.body.as_str().is_some_and(|form| form.contains("grant_type=refresh_token")) {
        std::thread::sleep(Duration::from_millis(100));
    }
    None
}

// rule: X3
#[tokio::test]
async fn whoever_gives_up_waiting_loses_no_token() {
    let (server, place) = logged_in(AuthPlan::new().rule(slow_refresh)).await;
    let logins = place.logins();
    let source = logins.headers(&target(&server));
    token(&source, HeaderAttempt::First).await.unwrap();
    server.expire();
    let given_up = tokio::time::timeout(Duration::from_millis(20), token(&source, refused())).await;
    assert!(given_up.is_err());
    logins.settled().await;
    let kept = place.kept(&target(&server)).await.unwrap();
    assert!(server.takes(kept.access.expose()));
    assert_eq!(server.count("refresh_token"), 1);
}

// rule: X3
#[tokio::test]
async fn a_refresh_token_that_is_no_good_is_forgotten_and_the_user_is_asked() {
    let (server, place) = logged_in(AuthPlan::new()).await;
    let (logins, target) = (place.logins(), target(&server));
    let source = logins.headers(&target);
    let first = token(&source, HeaderAttempt::First).await.unwrap();
    server.forget_refresh();
    // A token that has not expired stays valid until then.
    place.pass(3550);
    assert_eq!(token(&source, HeaderAttempt::First).await.unwrap(), first);
    server.expire();
    let fault = token(&source, refused()).await.unwrap_err();
    let NoHeaders::AuthNeeded(said) = &fault else { panic!("{fault:?}") };
    assert_eq!(said.header.as_deref(), Some(r#"Bearer error="invalid_token""#));
    assert!(place.kept(&target).await.is_none());
    assert_eq!(token(&source, HeaderAttempt::First).await.unwrap(), "");
    assert!(matches!(token(&source, refused()).await, Err(NoHeaders::AuthNeeded(_))));
}

// rule: X3
#[tokio::test]
async fn without_a_refresh_token_only_the_user_helps() {
    let (server, place) = logged_in(AuthPlan::new().without_refresh()).await;
    let source = place.logins().headers(&target(&server));
    assert!(server.takes(&token(&source, HeaderAttempt::First).await.unwrap()));
    assert!(matches!(token(&source, refused()).await, Err(NoHeaders::AuthNeeded(_))));
    place.pass(3600);
    assert!(matches!(token(&source, HeaderAttempt::First).await, Err(NoHeaders::AuthNeeded(_))));
    assert_eq!(server.count("refresh_token"), 0);
}

// rule: X3
#[tokio::test]
async fn an_authorisation_server_that_fails_for_a_moment_costs_no_login() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let failures = Arc::new(AtomicUsize::new(2));
    let left = Arc::clone(&failures);
    let plan = AuthPlan::new().rule(move |seen| {
        let is_refresh = seen.body.as_str().is_some_and(|form| form.contains("grant_type=refresh_token"));
        let fails =
            is_refresh && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok();
        fails.then(|| Reply::text(503, "text/html", "<html>later"))
    });
    let (server, place) = logged_in(plan).await;
    let source = place.logins().headers(&target(&server));
    let first = token(&source, HeaderAttempt::First).await.unwrap();
    place.pass(3550);
    assert_eq!(token(&source, HeaderAttempt::First).await.unwrap(), first);
    server.expire();
    let fault = token(&source, refused()).await.unwrap_err().to_string();
    let endpoint = format!("{}/token", server.origin());
    assert_eq!(
        fault,
        format!(
            "the login of the server can't be used: the answer of the token endpoint `{endpoint}` can't be used: it is HTTP 503 without an error of OAuth"
        )
    );
    assert!(server.takes(&token(&source, refused()).await.unwrap()));
}

// rule: X3
#[tokio::test]
async fn what_another_process_has_renewed_is_used() {
    let (server, place) = logged_in(AuthPlan::new()).await;
    let target = target(&server);
    let (one, other) = (place.logins().headers(&target), place.logins().headers(&target));
    let first = token(&one, HeaderAttempt::First).await.unwrap();
    assert_eq!(token(&other, HeaderAttempt::First).await.unwrap(), first);
    server.expire();
    let second = token(&one, refused()).await.unwrap();
    assert_eq!(token(&other, refused()).await.unwrap(), second);
    assert_eq!(server.count("refresh_token"), 1);
}
