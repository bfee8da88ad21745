//! Access control of HTTP.

use super::caller::on_port;
use crate::serve::{BECKET, command, with_hook};
use becket_testkit::env::TestEnv;
use serde_json::json;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

#[test]
fn nobody_is_let_in_without_the_token() {
    let env = with_hook("Stop", command("true"));
    let port = on_port(&env, &[], &[]);
    let (address, token) = (port.address, port.token.clone());
    let host = format!("Host: {address}");
    let flipped: String = token.chars().map(|c| if c == 'a' { 'b' } else { c }).collect();
    let own = format!("Authorization: Bearer {token}");
    for headers in [
        vec![],
        vec!["Authorization: Bearer".to_owned()],
        vec!["Authorization: Bearer ".to_owned()],
        vec![format!("Authorization: {token}")],
        vec![format!("Authorization: Basic {token}")],
        vec![format!("Authorization: Bearer {}", &token[1..])],
        vec![format!("Authorization: Bearer {token}0")],
        vec![format!("Authorization: Bearer {}", token.to_uppercase())],
        vec![format!("Authorization: Bearer {flipped}x")],
        vec![own.clone(), own.clone()],
        vec![format!("Cookie: token={token}")],
    ] {
        for line in ["POST / HTTP/1.1", "GET /?token=x HTTP/1.1", "BREW /pot HTTP/1.1", "DELETE / HTTP/1.1"] {
            let head = headers.join("\r\n");
            let request = format!(
                "{line}\r\n{host}\r\n{head}{}Content-Length: 1\r\n\r\n{{",
                if head.is_empty() { "" } else { "\r\n" }
            );
            let answer = port.sends(request.as_bytes());
            assert_eq!((answer.status, answer.kind().as_str()), (401, "unauthorized"), "{line} {headers:?}");
        }
    }
    assert_eq!(port.asks("POST", None, "{").status, 400);
}

#[test]
fn pages_of_browsers_are_turned_away() {
    let env = with_hook("Stop", command("true"));
    let port = on_port(&env, &[], &[]);
    let (address, token, at) = (port.address, &port.token, port.address.port());
    let with = |line: &str, headers: &[String]| {
        let headers = headers.iter().map(|header| format!("{header}\r\n")).collect::<String>();
        let request =
            format!("{line}\r\nAuthorization: bearer {token}\r\n{headers}Content-Length: 1\r\n\r\n{{");
        port.sends(request.as_bytes()).status
    };
    for host in ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", ""]
    {
        assert_eq!(with("POST / HTTP/1.1", &[format!("Host: {host}")]), 421, "{host}");
    }
    let own = format!("Host: {address}");
    assert_eq!(with("POST / HTTP/1.1", &[]), 421);
    assert_eq!(with("POST / HTTP/1.1", &[own.clone(), "Host: evil.example".to_owned()]), 421);
    assert_eq!(with("POST http://evil.example/ HTTP/1.1", std::slice::from_ref(&own)), 421);
    assert_eq!(with("POST / HTTP/1.1", &[own.clone(), "Origin: http://evil.example".to_owned()]), 403);
    assert_eq!(with("POST / HTTP/1.1", &[own.clone(), format!("Origin: http://{address}")]), 403);
    for host in [format!("{address}"), format!("LOCALHOST:{at}")] {
        assert_eq!(with("POST / HTTP/1.1", &[format!("Host: {host}")]), 400, "{host}");
    }
}

#[test]
fn a_token_stands_where_only_its_owner_reads_it() {
    let env = with_hook("Stop", command("true"));
    let mut port = on_port(&env, &[], &[]);
    let file = port.token_file.clone();
    let mode = |path: &std::path::Path| fs::metadata(path).expect("it is there").mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().expect("it has one"))), (0o600, 0o700));
    assert_eq!(port.token.len(), 64);
    let other = on_port(&env, &[], &[]);
    assert_ne!(port.token, other.token);
    let lines = fs::read(format!("/proc/{}/cmdline", port.child.id())).expect("it runs");
    assert!(!String::from_utf8_lossy(&lines).contains(&port.token));
    let ended = std::process::Command::new("kill").arg(port.child.id().to_string()).status();
    assert!(ended.is_ok_and(|sent| sent.success()));
    assert_eq!(port.child.wait().expect("it ends").code(), Some(0));
    assert!(!file.exists() && !file.parent().expect("it has one").exists());
}

#[test]
fn a_token_can_be_ones_own() {
    let env = with_hook("Stop", command("true"));
    let file = env.write("token", format!("{}\n", "t".repeat(40)));
    let refused = || {
        let ended = env.becket(["serve", "--http", "127.0.0.1:0", "--token-file", "../token"]).run();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
        ended.stderr
    };
    fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("it is ours");
    assert!(refused().contains("others can read this token"));
    fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("it is ours");
    {
        let port = on_port(&env, &["--token-file", "../token"], &[]);
        assert_eq!(port.token, "t".repeat(40));
        port.caller();
    }
    fs::write(&file, "short").expect("it is ours");
    assert!(refused().contains("32 visible characters"));
}

#[test]
fn only_the_loopback_interface_is_listened_on() {
    let env = TestEnv::new(BECKET);
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80", "[::ffff:127.0.0.1]:0"] {
        let ended = env.becket(["serve", "--http", address]).run();
        assert_eq!(ended.code, Some(1), "{address}");
        assert!(ended.stderr.contains("can be reached from outside"), "{}", ended.stderr);
    }
    for arguments in
        [&["--http", "localhost:0"][..], &["--http", "127.0.0.1:0", "--stdio"], &["--token-file", "x"]]
    {
        assert_ne!(env.becket([&["serve"], arguments].concat()).run().code, Some(0), "{arguments:?}");
    }
}

#[test]
fn what_is_no_request_of_the_protocol_is_told_so() {
    let env = with_hook("Stop", command("true"));
    let port = on_port(&env, &[], &[]);
    let caller = port.caller();
    let said = |answer: super::caller::Answer| (answer.status, answer.kind());
    let kind = |status: u16, kind: &str| (status, kind.to_owned());
    let own = Some(caller.id.as_str());
    assert_eq!(said(port.asks("PUT", own, "")), kind(405, "no_verb"));
    assert_eq!(said(port.asks("GET", None, "")), kind(400, "unnamed"));
    assert_eq!(said(port.asks("GET", Some("0123"), "")), kind(404, "no_connection"));
    assert_eq!(said(port.asks("POST", Some("0123"), "{}")), kind(404, "no_connection"));
    assert_eq!(said(port.asks("POST", own, "")), kind(400, "no_message"));
    assert_eq!(said(port.asks("POST", own, "{")), kind(400, "not_json"));
    assert_eq!(said(port.asks("POST", own, "[]")), kind(400, "no_message"));
    let good = caller.request("nothing", &json!({}));
    assert_eq!(said(port.asks("POST", own, &format!("{good}\n{{"))), kind(400, "not_json"));
    assert_eq!(said(port.asks("POST", own, &format!("{good}\n{good}"))), kind(409, "id_in_use"));
    assert_eq!(said(port.asks("POST", own, &good)), kind(200, "no_method"));
    assert_eq!(said(port.asks("POST", None, &good)), kind(200, "no_method"));
    let wrong =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": 9}}).to_string();
    assert_eq!(said(port.asks("POST", None, &wrong)), kind(200, "version"));
    let path = port.written("POST", own, &good).replacen("POST / ", "POST /x ", 1);
    assert_eq!(said(port.sends(path.as_bytes())), kind(404, "no_path"));
}
