//! The socket to which a browser is redirected.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use becket_mcp::CancellationToken;
use becket_mcp::auth::{AuthError, Login};
use becket_mcp::config::OAuth;
use becket_testkit::mcp_auth::{AuthPlan, AuthServer, browse, log_in};
use becket_testkit::proc::wait_until;

use crate::auth::place::{Place, challenge, target, with};

/// The redirect address without parameters, and the `state`.
fn back(login: &Login) -> (String, String) {
    let value = |name: &str| {
        let mut found = login.url().query_pairs().filter(|(known, _)| known == name);
        found.next().unwrap().1.into_owned()
    };
    (value("redirect_uri"), value("state"))
}

async fn begin(server: &AuthServer, place: &Place) -> Login {
    place.logins().login(&target(server), &challenge(server)).await.unwrap()
}

fn is_open(address: &str) -> bool {
    let place = address.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    TcpStream::connect(place).is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_not_the_browser_is_sent_away_and_the_wait_goes_on() {
    let (server, place) = (AuthPlan::new().start(), Place::new());
    let login = begin(&server, &place).await;
    let ((redirect, state), url) = (back(&login), login.url().to_string());
    let visits = tokio::task::spawn_blocking(move || {
        let root = redirect.trim_end_matches("/callback");
        for (address, status) in [
            (format!("{root}/"), 404),
            (format!("{root}/favicon.ico"), 404),
            (format!("{root}/callback/x?code=a&state={state}"), 404),
            (format!("{root}//evil.example/callback?code=a&state={state}"), 404),
            (redirect.clone(), 400),
            (format!("{redirect}?code=a"), 400),
            (format!("{redirect}?code=a&state=wrong"), 400),
            (format!("{redirect}?code=a&state={state}x"), 400),
            (format!("{redirect}?code=a&state={state}&state=b"), 400),
            (format!("{redirect}?state={state}"), 400),
            (format!("{redirect}?code=&state={state}"), 400),
        ] {
            let page = browse(&address);
            assert_eq!(page.status, status, "{address}");
            assert!(!page.body.contains(&state));
        }
        // Clients that send nothing, too much, or something other than HTTP.
        let place = root.trim_start_matches("http://").to_owned();
        let silent: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(&place).unwrap()).collect();
        let mut long = TcpStream::connect(&place).unwrap();
        let _ = long.write_all(&[b'a'; 100_000]);
        let mut odd = TcpStream::connect(&place).unwrap();
        let _ = odd.write_all(b"POST /callback HTTP/1.1\r\n\r\n");
        assert!(matches!(odd.read(&mut [0]), Ok(0) | Err(_)));
        let page = log_in(&url);
        drop(silent);
        (page, redirect)
    });
    login.finish(&CancellationToken::new()).await.unwrap();
    let (page, redirect) = visits.await.unwrap();
    assert_eq!(page.status, 200);
    assert!(
        page.body.contains("You can close this page") && page.head.contains("default-src 'none'"),
        "{page:?}"
    );
    assert!(!is_open(&redirect));
}

#[tokio::test]
async fn a_wait_ends_at_its_limit_by_the_host_or_with_the_login_and_nobody_listens_then() {
    let (server, mut place) = (AuthPlan::new().start(), Place::new());
    place.options.limit = Duration::from_millis(50);
    let login = begin(&server, &place).await;
    let (redirect, _) = back(&login);
    assert!(is_open(&redirect));
    let error = login.finish(&CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "no login was completed within 0.05 s");
    assert!(!is_open(&redirect));

    place.options.limit = Duration::from_secs(300);
    let login = begin(&server, &place).await;
    let (redirect, _) = back(&login);
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert!(matches!(login.finish(&cancel).await, Err(AuthError::Cancelled)));
    assert!(!is_open(&redirect));

    let login = begin(&server, &place).await;
    let (redirect, _) = back(&login);
    drop(login);
    assert!(wait_until(|| !is_open(&redirect)));
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let (server, place) = (AuthPlan::new().start(), Place::new());
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let oauth = || OAuth { callback_port: Some(port), ..OAuth::default() };
    let error =
        place.logins().login(&with(&server, oauth()), &challenge(&server)).await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("the port {port} on this machine can't be listened on")), "{error}");
    drop(taken);
    let login = place.logins().login(&with(&server, oauth()), &challenge(&server)).await.unwrap();
    assert_eq!(back(&login).0, format!("http://127.0.0.1:{port}/callback"));
}

// rule: X3
#[tokio::test]
async fn an_answer_from_another_authorisation_server_is_not_used() {
    let promise = || serde_json::json!({"authorization_response_iss_parameter_supported": true});
    for (plan, error) in [
        (AuthPlan::new().says("[ORIGIN]"), None),
        (AuthPlan::new().says("[ORIGIN]").metadata(promise()), None),
        (AuthPlan::new().says("https://evil.example"), Some("it says that it is `https://evil.example`")),
        (AuthPlan::new().says("[ORIGIN]/"), Some("it says that it is")),
        (AuthPlan::new().metadata(promise()), Some("it does not say who it is")),
    ] {
        let (server, place) = (plan.start(), Place::new());
        let done = crate::auth::place::enter(&place.logins(), &target(&server), &challenge(&server)).await;
        let (asked, shown) = (server.count("/token"), done.map(drop).map_err(|error| error.to_string()));
        match error {
            None => assert_eq!((shown, asked), (Ok(()), 1)),
            Some(error) => {
                let shown = shown.unwrap_err();
                assert!(shown.contains(error) && asked == 0, "{shown} {asked}");
            }
        }
    }
}

#[tokio::test]
async fn without_a_browser_here_the_address_it_ended_at_does() {
    let (server, place) = (AuthPlan::new().start(), Place::new());
    let ended = |login: &Login| browse(login.url().as_str()).location.unwrap();
    let login = begin(&server, &place).await;
    let address = ended(&login);
    let (redirect, _) = back(&login);
    assert!(login.finish_with(&format!(" {address}\n")).await.unwrap().is_renewable);
    assert!(!is_open(&redirect));

    for (address, error) in [
        (address.as_str(), "its `state` is of another login"),
        ("what?", "it is not an address"),
        ("http://127.0.0.1/callback", "its `state` is of another login"),
    ] {
        let login = begin(&server, &place).await;
        let said = login.finish_with(address).await.unwrap_err().to_string();
        assert_eq!(said, format!("this is not the address that the login ends at: {error}"));
    }
    let login = begin(&server, &place).await;
    let (redirect, state) = back(&login);
    let no = format!("{redirect}?error=access_denied&error_description=not%0Atoday&state={state}");
    let said = login.finish_with(&no).await.unwrap_err().to_string();
    assert_eq!(said, "the login was refused: access_denied (not today)");
}
