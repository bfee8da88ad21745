//! Nothing secret is shown, whatever servers do with it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use becket_mcp::config::{ConfiguredServer, Ide, OAuth, Proxy, Remote, ServerConfig, Transport};
use becket_mcp::{CancellationToken, Connect, Secret};
use becket_testkit::mcp_http::{Plan, ReceivedRequest, Reply};
use serde_json::json;

use crate::common::{LONG, Place, python};
use crate::end_to_end::scene::{of, over};

/// The secrets that must not appear anywhere.
const SECRETS: [&str; 6] = [
    "hunter2-header",
    "hunter2-query",
    "hunter2-password",
    "hunter2-client",
    "hunter2-variable",
    "hunter2-editor",
];

/// Returns an answer that echoes the request wherever possible.
type Echo = fn(&ReceivedRequest) -> Reply;

fn echoes() -> Vec<(&'static str, Echo)> {
    fn got(seen: &ReceivedRequest) -> String {
        format!("{} {:?}", seen.path, seen.headers)
    }
    vec![
        ("the body of an error", |seen| Reply::text(500, "text/plain", got(seen))),
        ("the page of an error", |seen| Reply::text(403, "text/html", got(seen))),
        ("an error of JSON-RPC", |seen| Reply::error(400, seen.id(), -32000, &got(seen))),
        ("an error with 200", |seen| Reply::error(200, seen.id(), -32000, &got(seen))),
        ("what is not an MCP", |seen| Reply::text(200, "text/html", got(seen))),
        ("a content type", |seen| {
            let key = seen.header("x-api-key").unwrap_or_default().to_owned();
            Reply::text(200, &format!("text/{key}"), "x")
        }),
        ("a challenge", |seen| {
            let key = seen.header("x-api-key").unwrap_or_default();
            Reply::unauthorized(Some(&format!("Bearer error_description=\"{key} is not valid\"")))
        }),
        ("an address", |seen| {
            let key = seen.header("x-api-key").unwrap_or_default();
            Reply::redirect(301, &format!("/{key}"))
        }),
        ("the address of another", |seen| {
            let key = seen.header("x-api-key").unwrap_or_default();
            Reply::redirect(307, &format!("http://{key}.example/"))
        }),
    ]
}

fn remote(url: &str) -> Remote {
    let mut url: url::Url = url.parse().unwrap();
    url.set_query(Some("key=hunter2-query"));
    let mut remote = Remote::new(url);
    remote.headers.push(("X-Api-Key".into(), Secret::new("hunter2-header")));
    remote.oauth = Some(OAuth { client_secret: Some(Secret::new("hunter2-client")), ..OAuth::default() });
    remote
}

/// Returns one server for each transport.
fn configured(url: &str) -> Vec<ConfiguredServer> {
    let mut with_password: url::Url = url.parse().unwrap();
    with_password.set_password(Some("hunter2-password")).unwrap();
    let ws: url::Url = url.replace("http://", "ws://").parse().unwrap();
    let ide = |url: url::Url| Ide { url, ide_name: None, auth_token: Some(Secret::new("hunter2-editor")) };
    let mut program = ServerConfig::stdio(
        python(),
        vec!["-c".into(), "import os, sys; sys.exit('bad key: ' + os.environ['API_KEY'])".into()],
    );
    if let Transport::Stdio(stdio) = &mut program.transport {
        stdio.env.push(("API_KEY".into(), "hunter2-variable".into()));
        stdio.args.push("hunter2-variable".into());
    }
    vec![
        over("http", Transport::Http(remote(url))),
        over("sse", Transport::Sse(remote(url))),
        over("ws", Transport::WebSocket(remote(ws.as_str()))),
        over("password", Transport::Http(Remote::new(with_password))),
        over("sse-ide", Transport::SseIde(ide(url.parse().unwrap()))),
        over("ws-ide", Transport::WsIde(ide(ws))),
        over(
            "proxy",
            Transport::Proxy(Proxy { url: url.parse().unwrap(), id: "id".into(), needs_host: false }),
        ),
        ConfiguredServer::of_host("program", program),
    ]
}

/// Returns every text that a host may show: configurations, views, states, changes, errors.
async fn shown(echo: Echo, only_calls: bool) -> Vec<String> {
    let rule = move |seen: &ReceivedRequest| (!only_calls || seen.rpc() == "tools/call").then(|| echo(seen));
    let bad = Plan::new().rule(rule).start();
    let place = Place::new();
    let mut options = place.options.clone();
    options.environment.push(("TOKEN".into(), "hunter2-variable".into()));
    options.proxy = None;
    let mut shown = vec![format!("{options:?}")];
    let pool = becket_mcp::Pool::new(options, Arc::new(()));
    let changes = Arc::new(Mutex::new(Vec::new()));
    let (mut heard, noted) = (pool.changes(), Arc::clone(&changes));
    let listening = tokio::spawn(async move {
        while let Some(change) = heard.next().await {
            noted.lock().unwrap().push(format!("{change:?}"));
        }
    });
    pool.configure(configured(&bad.url()));
    let cancel = CancellationToken::new();
    pool.start(&cancel).await;
    for view in pool.servers() {
        let mut call = of(&view.name, "echo", json!({}), LONG);
        call.connect = Connect::IfNeeded;
        shown.push(format!("{view:?} {view:#?}"));
        match pool.call(call, &cancel).await {
            Ok(answer) => assert!(only_calls, "{answer:?}"),
            Err(error) => shown.push(format!("{error} {error:?}")),
        }
        if let Err(error) = pool.login(&view.name).await {
            shown.push(format!("{error} {error:?}"));
        }
    }
    shown.extend(pool.servers().iter().map(|view| format!("{view:?}")));
    pool.close().await;
    listening.await.unwrap();
    shown.append(&mut changes.lock().unwrap());
    shown
}

// rules: X1, X2, X3
#[tokio::test]
async fn no_state_no_error_and_no_debug_form_has_a_secret() {
    let mut leaks = BTreeSet::new();
    for (name, echo) in echoes() {
        for only_calls in [false, true] {
            let shown = shown(echo, only_calls).await;
            assert!(shown.len() > 20, "{}", shown.len());
            for text in shown {
                for secret in SECRETS.iter().filter(|secret| text.contains(**secret)) {
                    let at = text.find(secret).unwrap_or_default();
                    let around: String =
                        text[..at].chars().rev().take(120).collect::<Vec<_>>().into_iter().rev().collect();
                    leaks.insert(format!("{name}: {around}[{secret}]"));
                }
            }
        }
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
}
