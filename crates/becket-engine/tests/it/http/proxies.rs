//! Proxies of the environment, if the user allows them (S2).

use crate::common::{Project, bash, fire};
use crate::http::server::{Server, ok};
use crate::http::{failure, guard};
use becket_engine::{Outcome, Resolve};
use futures_util::future::BoxFuture;
use serde_json::json;
use std::io::{self, Write};
use std::net::IpAddr;

/// A resolver that knows the proxy's name and no other.
struct ProxyAlone;

impl Resolve for ProxyAlone {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let found = match name {
            "proxy.example" => Ok(vec!["127.0.0.1".parse().unwrap()]),
            _ => Err(io::Error::other("not asked for")),
        };
        Box::pin(async move { found })
    }
}

/// Posts with `variable` set, if the file of that name has `httpHookProxy: true`.
fn post(url: &str, settings: &str, variable: (&str, &str)) -> Outcome {
    let project = Project::with(guard(url, json!({})));
    project.write(settings, r#"{"httpHookProxy": true}"#);
    let environment = project.environment().with_var(variable.0, variable.1);
    let engine = project.builder().environment(environment).resolver(ProxyAlone).build().unwrap();
    fire(&engine, &project.event(bash("ls")))
}

const USER: &str = "home/.claude/settings.json";

// rule: S2
#[test]
fn a_name_is_left_to_the_proxy() {
    let proxy = Server::ok("");
    let address = format!("http://ann:hush@proxy.example:{}", proxy.port);
    for settings in [USER, "managed/managed-settings.json"] {
        let outcome = post("http://guard.example/x?y", settings, ("http_proxy", &address));
        assert_eq!(failure(&outcome), "");
        let seen = proxy.seen().pop().unwrap();
        assert!(seen.head.starts_with("post http://guard.example/x?y http/1.1\r\n"), "{}", seen.head);
        assert_eq!(seen.header("proxy-authorization"), [b"Basic YW5uOmh1c2g="]);
        assert_eq!(seen.header("host"), [b"guard.example"]);
    }
}

// rule: S2
#[test]
fn https_is_tunnelled() {
    let proxy = Server::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 403 Forbidden\r\n\r\n");
        false
    });
    let address = format!("http://ann:hush@127.0.0.1:{}", proxy.port);
    let failed = failure(&post("https://guard.example/x", USER, ("HTTPS_PROXY", &address)));
    assert!(proxy.seen()[0].head.starts_with("connect guard.example:443 http/1.1\r\n"));
    assert!(failed.contains("no connection to the proxy `http://127.0.0.1:"), "{failed}");
    assert!(failed.contains("of `HTTPS_PROXY`") && !failed.contains("hush"), "{failed}");
}

// rule: S2
#[test]
fn a_proxy_is_used_only_where_the_user_says_so() {
    let proxy = Server::ok("");
    let address = format!("http://127.0.0.1:{}", proxy.port);
    for settings in ["work/.claude/settings.local.json", "unread.json"] {
        let failed = failure(&post("http://guard.example/", settings, ("http_proxy", &address)));
        assert!(failed.contains("not asked for"), "{failed}");
    }
    assert_eq!(proxy.seen().len(), 0);
}

// rules: S1, S2
#[test]
fn a_literal_address_is_judged_before_a_proxy_sees_it() {
    let proxy = Server::ok("");
    let address = format!("http://127.0.0.1:{}", proxy.port);
    let project = Project::with(json!({"httpHookProxy": true}));
    project.write(USER, r#"{"httpHookProxy": true}"#);
    let environment = project.environment().with_var("http_proxy", &address);
    let engine = project.builder().environment(environment).build().unwrap();
    let text = "---\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: http\n          url: http://169.254.169.254/\n---\n";
    let read = crate::common::frontmatter(&project, becket_model::Source::Skill("s".into()), text, None);
    engine.register(read.handlers);
    let failed = failure(&fire(&engine, &project.event(bash("ls"))));
    assert!(failed.contains("can't be posted to"), "{failed}");
    assert_eq!(proxy.seen().len(), 0);
}

// rule: S2
#[test]
fn this_machine_is_posted_to_directly() {
    let (proxy, server) = (Server::ok(""), Server::says(ok("")));
    let address = format!("http://127.0.0.1:{}", proxy.port);
    assert_eq!(failure(&post(&server.url("/"), USER, ("all_proxy", &address))), "");
    assert_eq!((proxy.seen().len(), server.seen().len()), (0, 1));
}
