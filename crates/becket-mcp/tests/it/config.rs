//! The cases of `tests/cases/config.json`: a text, and the result for each of its servers.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use becket_mcp::Secret;
use becket_mcp::config::{
    self, Algorithm, ConfiguredServer, Grant, Ide, IdentityProvider, OAuth, PrivateKey, Proxy, Remote, Scope,
    ServerConfig, Stdio, Tls, Transport,
};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(rename = "rule")]
    _rule: Option<String>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    text: Vec<String>,
    servers: Option<Value>,
    /// The warnings of each server that has any.
    #[serde(default)]
    warnings: BTreeMap<String, Vec<String>>,
    error: Option<String>,
}

#[test]
fn cases() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../cases/config.json")).unwrap();
    for case in cases {
        let variables: Vec<(OsString, OsString)> =
            case.variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let expected = match (case.servers, case.error) {
            (Some(servers), None) => Ok(servers),
            (None, Some(error)) => Err(error),
            (Some(_), Some(_)) | (None, None) => panic!("{}: `servers` or `error`", case.name),
        };
        let read = config::read(&case.text.join("\n"), Path::new("f.json"), &variables);
        let warnings: BTreeMap<String, Vec<String>> = read.iter().flatten().filter_map(warnings).collect();
        let got = read.map_err(|error| error.to_string()).map(|servers| {
            Value::Object(
                servers.into_iter().map(|server| (server.name.to_string(), became(&server))).collect(),
            )
        });
        assert_eq!(got, expected, "{}", case.name);
        assert_eq!(warnings, case.warnings, "{}", case.name);
    }
}

fn warnings(server: &ConfiguredServer) -> Option<(String, Vec<String>)> {
    let all: Vec<String> = server.warnings.iter().map(ToString::to_string).collect();
    (!all.is_empty()).then(|| (server.name.to_string(), all))
}

fn became(server: &ConfiguredServer) -> Value {
    match &server.config {
        Ok(config) => shown(config),
        Err(error) => Value::from(error.to_string()),
    }
}

/// A complete configuration; missing parts are omitted, except for a process, where they are `null`.
fn shown(config: &ServerConfig) -> Value {
    let ServerConfig { transport, timeout } = config;
    let timeout = timeout.map(|timeout| timeout.as_millis());
    let mut shown = match transport {
        Transport::Stdio(Stdio { command, args, env, cwd }) => {
            let text = |text: &OsString| text.to_str().unwrap().to_owned();
            return json!({
                "command": text(command),
                "args": args.iter().map(text).collect::<Vec<_>>(),
                "env": env.iter().map(|(name, value)| (text(name), text(value))).collect::<BTreeMap<_, _>>(),
                "cwd": cwd,
                "timeout_ms": timeout,
            });
        }
        Transport::Http(remote) | Transport::Sse(remote) | Transport::WebSocket(remote) => of_remote(remote),
        Transport::SseIde(Ide { url, ide_name, auth_token })
        | Transport::WsIde(Ide { url, ide_name, auth_token }) => {
            json!({"url": url.as_str(), "ide": ide_name, "token": auth_token.as_ref().map(Secret::expose)})
        }
        Transport::Proxy(Proxy { url, id, needs_host: _ }) => json!({"url": url.as_str(), "id": id}),
        Transport::InProcess => json!({}),
    };
    let members = shown.as_object_mut().unwrap();
    members.insert("type".to_owned(), transport.kind().into());
    members.insert("timeout_ms".to_owned(), json!(timeout));
    members.retain(|_, value| !value.is_null());
    shown
}

fn of_remote(remote: &Remote) -> Value {
    let Remote { url, headers, headers_helper, helper_env, helper_cwd: _, oauth, tls } = remote;
    let headers: Vec<String> =
        headers.iter().map(|(name, value)| format!("{name}: {}", value.expose())).collect();
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.to_str().unwrap().to_owned());
    json!({
        "url": url.as_str(),
        "headers": (!headers.is_empty()).then_some(headers),
        "helper": headers_helper,
        "oauth": oauth.as_ref().map(of_oauth),
        "helper_env": (!helper_env.is_empty()).then_some(helper_env),
        "tls": tls.as_ref().map(|Tls { ca, cert, key }| json!([path(ca), path(cert), path(key)])),
    })
}

/// Every place that may contain a secret, with one in it, literal or from a variable.
const SECRETS: &str = r#"{"mcpServers": {
    "a": {"command": "s", "args": ["${T}"], "env": {"KEY": "${T}", "LITERAL": "s3cret"}},
    "b": {"type": "http", "url": "https://h/?k=${T}", "headers": {"X": "${T}"}, "headersHelper": "echo s3cret",
          "oauth": {"clientId": "me", "clientSecret": "${T}", "clientMetadataUrl": "https://h/?s3cret",
                    "authServerMetadataUrl": "https://h/?s3cret"}},
    "c": {"type": "ws-ide", "url": "ws://127.0.0.1/?${T}", "authToken": "${T}"},
    "d": {"type": "proxy", "url": "https://h/?${T}", "id": "x"},
    "e": {"type": "sse", "url": "http://${T}:s3cret@h/"},
    "f": {"type": "sse", "url": "s3cret"},
    "g": {"type": "sse", "url": "http://h/", "headers": {"X": "${T}\n"}},
    "h": {"type": "sse", "url": "http://h/", "headers": "s3cret"},
    "i": {"command": "s", "args": "s3cret"},
    "j": {"command": "s", "env": {"A": ["s3cret"]}},
    "k": {"command": "s", "env": {"A": "${B:-s3cret${C}}"}},
    "l": {"command": "s", "env": {"A": "${B-s3cret}"}},
    "m": {"type": "ws", "url": "ws://h/", "oauth": {"clientSecret": "${T}", "callbackPort": "s3cret"}},
    "n": {"type": "proxy", "url": "https://h", "id": "s3cret!"},
    "o": {"type": "ws-ide", "url": "ws://127.0.0.1/", "authToken": "s3cret\n"},
    "p": {"command": "s", "timeout": "s3cret"},
    "q": {"type": "http", "url": "https://h/", "tls": "s3cret"},
    "r": {"command": "s3cret\u0000"},
    "s": "s3cret"
}}"#;

#[test]
fn what_may_be_secret_is_not_shown() {
    let variables = [("T".into(), "s3cret".into())];
    let servers = config::read(SECRETS, Path::new("f.json"), &variables).unwrap();
    let fine = servers.iter().filter(|server| server.config.is_ok()).count();
    assert_eq!((servers.len(), fine), (19, 4), "{servers:?}");
    for server in &servers {
        let shown = format!("{server:?} {} {:?}", became_error(server), server.warnings);
        assert!(!shown.contains("s3cret"), "{shown}");
    }
    assert!(format!("{servers:?}").contains("KEY"));
    let layer = config::read_file(SECRETS, Path::new("f.json"), Scope::User).unwrap();
    assert!(!format!("{layer:?}").contains("s3cret"));
    let options = becket_mcp::Options::new(vec![("KEY".into(), "s3cret".into())], "/");
    let shown = format!("{options:?}");
    assert!(shown.contains("KEY") && !shown.contains("s3cret"), "{shown}");
    let whole = config::read("\"s3cret\"", Path::new("f.json"), &[]).unwrap_err().to_string();
    assert_eq!(whole, "f.json:1:1: the file is a string: write an object");
}

fn became_error(server: &ConfiguredServer) -> String {
    server.config.as_ref().map_or_else(ToString::to_string, |_| String::new())
}

/// Returns the login settings; the grant only if it needs no person.
fn of_oauth(oauth: &OAuth) -> Value {
    let OAuth { client_id, client_secret, client_metadata_url, callback_port, .. } = oauth;
    let OAuth { scopes, auth_server_metadata_url, grant, .. } = oauth;
    let mut shown = vec![
        json!(client_id),
        json!(client_secret.as_ref().map(Secret::expose)),
        json!(client_metadata_url),
        json!(callback_port),
        json!(scopes),
        json!(auth_server_metadata_url.as_ref().map(|url| url.as_str())),
    ];
    match grant {
        Grant::Code => {}
        Grant::Secret => shown.push(json!(grant.name())),
        Grant::Exchange(IdentityProvider { token_endpoint, client_id, client_secret, id_token }) => {
            let secret = client_secret.as_ref().map(Secret::expose);
            shown.push(json!([grant.name(), token_endpoint.as_str(), client_id, secret, id_token]));
        }
        Grant::Assertion(file) => shown.push(json!([grant.name(), file])),
        Grant::Key(PrivateKey { file, algorithm, id }) => {
            shown.push(json!([grant.name(), file, algorithm.map(Algorithm::name), id]));
        }
    }
    Value::from(shown)
}
