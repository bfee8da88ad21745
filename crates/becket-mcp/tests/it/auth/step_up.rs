//! A server that wants more than was granted.

use becket_mcp::auth::HeaderAttempt;
use becket_mcp::auth::NoHeaders;
use becket_testkit::mcp_auth::AuthPlan;

use crate::auth::place::{Place, challenge, enter, target, token};

/// Returns the server's challenge to a request with this token.
fn said(server: &becket_testkit::mcp_auth::AuthServer, token: &str) -> becket_mcp::Challenge {
    use std::io::{Read, Write};
    let place = server.origin().replace("http://", "");
    let mut stream = std::net::TcpStream::connect(&place).unwrap();
    let request = format!(
        "GET /mcp HTTP/1.1\r\nHost: {place}\r\nAuthorization: Bearer {token}\r\nContent-Length: 0\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let (mut answer, mut byte) = (Vec::new(), [0]);
    while !answer.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
        answer.push(byte[0]);
    }
    let text = String::from_utf8(answer).unwrap();
    assert!(text.starts_with("HTTP/1.1 403"), "{text}");
    let header = text.lines().find_map(|line| line.strip_prefix("WWW-Authenticate: ")).unwrap();
    becket_mcp::Challenge { header: Some(header.to_owned()) }
}

// rule: X3
#[tokio::test]
async fn more_scopes_are_asked_for_once_beside_those_that_were_granted() {
    let (server, place) = (AuthPlan::new().start(), Place::new());
    let (logins, target) = (place.logins(), target(&server));
    enter(&logins, &target, &challenge(&server)).await.unwrap();
    server.need(&["write", "admin"]);
    let source = logins.headers(&target);
    let wanted = said(&server, &token(&source, HeaderAttempt::First).await.unwrap());
    // A new token of the same kind would not help, so none is requested.
    let fault = token(&source, HeaderAttempt::After401(wanted.clone())).await.unwrap_err();
    assert!(matches!(&fault, NoHeaders::AuthNeeded(said) if *said == wanted));
    assert_eq!(server.count("refresh_token"), 0);

    let done = enter(&logins, &target, &wanted).await.unwrap();
    assert_eq!(done.scopes, ["read", "write", "admin"]);
    assert!(server.takes(&token(&source, HeaderAttempt::First).await.unwrap()));
}

// rule: X3
#[tokio::test]
async fn what_was_asked_for_and_not_granted_is_not_asked_for_again() {
    let (server, place) = (AuthPlan::new().at_most(&["read", "write"]).start(), Place::new());
    let target = target(&server);
    enter(&place.logins(), &target, &challenge(&server)).await.unwrap();
    server.need(&["admin"]);
    let given = token(&place.logins().headers(&target), HeaderAttempt::First).await.unwrap();
    let wanted = said(&server, &given);
    let done = enter(&place.logins(), &target, &wanted).await.unwrap();
    assert_eq!(done.scopes, ["read", "write"]);
    // Another process, later: it is known anyway.
    let error = enter(&place.logins(), &target, &wanted).await.unwrap_err().to_string();
    assert_eq!(
        error,
        "the server wants `admin`, which was asked for and not granted: log out and in again, or ask its operator"
    );
    assert_eq!(server.count("/authorize"), 2);
}
