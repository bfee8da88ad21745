//! Nothing secret is shown, whatever fails and however it is printed.

use becket_mcp::auth::HeaderAttempt;
use becket_mcp::config::OAuth;
use becket_testkit::mcp_auth::{AuthPlan, AuthServer};
use becket_testkit::mcp_http::Reply;

use crate::auth::place::{Place, challenge, enter, refused, target, token, with};

fn check(server: &AuthServer, shown: &[String]) {
    let secrets = server.secrets();
    assert!(secrets.len() > 2, "{secrets:?}");
    for text in shown {
        for secret in &secrets {
            assert!(!text.contains(secret.as_str()), "`{secret}` is in `{text}`");
        }
        assert!(!text.contains("s3cr3t"), "{text}");
    }
}

#[tokio::test]
async fn no_debug_form_has_a_secret() {
    let (server, place) = (AuthPlan::new().with_secrets().start(), Place::new());
    server.know("mine", Some("s3cr3t-mine"));
    let oauth = OAuth {
        client_id: Some("mine".into()),
        client_secret: Some("s3cr3t-mine".into()),
        ..OAuth::default()
    };
    for target in [target(&server), with(&server, oauth)] {
        let logins = place.logins();
        let login = logins.login(&target, &challenge(&server)).await.unwrap();
        let mut shown = vec![format!("{login:?}"), format!("{target:?}"), format!("{logins:?}")];
        drop(login);
        let done = enter(&logins, &target, &challenge(&server)).await.unwrap();
        let source = logins.headers(&target);
        let headers = becket_mcp::auth::HeaderSource::headers(&source, HeaderAttempt::First).await;
        let kept = place.kept(&target).await.unwrap();
        shown.extend([
            format!("{done:?}"),
            format!("{headers:?}"),
            format!("{source:?}"),
            format!("{kept:?}"),
        ]);
        shown.push(format!("{logins:?}"));
        check(&server, &shown);
    }
}

/// Echoes the request, and more secrets.
fn echo(status: u16) -> impl Fn(&becket_testkit::mcp_http::ReceivedRequest) -> Option<Reply> + Send + Sync {
    move |seen| {
        let form = seen.body.as_str().filter(|_| seen.path == "/token")?;
        let said = serde_json::json!({
            "error": "server_error", "error_description": form, "access_token": [form], "token_type": form,
            "expires_in": form,
        });
        Some(Reply::json(status, &said))
    }
}

#[tokio::test]
async fn no_error_has_what_an_authorisation_server_sends_back() {
    let garbage = |text: &'static str| {
        AuthPlan::new().with_secrets().always("/token", move || Reply::text(200, "application/json", text))
    };
    for (plan, expected) in [
        (AuthPlan::new().with_secrets().rule(echo(400)), "server_error"),
        (AuthPlan::new().with_secrets().rule(echo(200)), "server_error"),
        (garbage(r#"{"access_token": "s3cr3t-1", "token_type": "mac"}"#), "another type than `Bearer`"),
        (
            garbage("{\"access_token\": \"s3cr3t\\n1\", \"token_type\": \"bearer\"}"),
            "can't be sent in a header",
        ),
        (garbage(r#"{"access_token": "", "token_type": "bearer"}"#), "can't be sent in a header"),
        (
            garbage(r#"{"access_token": {"s3cr3t-1": 1}, "token_type": "bearer"}"#),
            "it is not a token (line 1, column",
        ),
        (garbage(r#""s3cr3t-1""#), "it is not a token (line 1, column"),
        (garbage("access_token=s3cr3t-1&token_type=bearer"), "it is not a token (line 1, column 1)"),
        (garbage(""), "it is not a token"),
    ] {
        let (server, place) = (plan.start(), Place::new());
        let error = enter(&place.logins(), &target(&server), &challenge(&server)).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        for text in [error.to_string(), format!("{error:?}")] {
            for secret in server.secrets() {
                assert!(!text.contains(&secret), "`{secret}` is in `{text}`");
            }
            assert!(!text.contains("s3cr3t"), "{text}");
        }
        assert!(place.kept(&target(&server)).await.is_none());
    }
}

#[tokio::test]
async fn no_fault_of_a_renewal_has_a_secret() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let echoes = Arc::new(AtomicBool::new(false));
    let (on, back) = (Arc::clone(&echoes), echo(400));
    let plan = AuthPlan::new()
        .with_secrets()
        .rule(move |seen| on.load(Ordering::SeqCst).then(|| back(seen)).flatten());
    let (server, place) = (plan.start(), Place::new());
    let logins = place.logins();
    enter(&logins, &target(&server), &challenge(&server)).await.unwrap();
    let source = logins.headers(&target(&server));
    token(&source, HeaderAttempt::First).await.unwrap();
    echoes.store(true, Ordering::SeqCst);
    let fault = token(&source, refused()).await.unwrap_err();
    assert!(fault.to_string().contains("server_error"), "{fault}");
    check(&server, &[fault.to_string(), format!("{fault:?}")]);
}
