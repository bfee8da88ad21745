//! The checked address is the one that is connected to, even on a connection that is kept (S1).

use crate::common::{Project, bash, block_on, fire, hooks};
use crate::http::server::{Server, ok};
use crate::http::{failure, guard, handler};
use becket_engine::{Engine, Resolve};
use becket_model::Source;
use futures_util::future::BoxFuture;
use serde_json::json;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

/// Returns these answers, one after the other, and the last one forever. Records the requests.
#[derive(Clone, Default)]
struct Script {
    answers: Arc<Mutex<VecDeque<Vec<IpAddr>>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Script {
    fn of(answers: &[&[&str]]) -> Self {
        let read = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
        Script { answers: Arc::new(Mutex::new(answers.iter().map(read).collect())), ..Script::default() }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolve for Script {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.asked.lock().unwrap().push(name.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        Box::pin(async move { answer.ok_or_else(|| io::Error::other("no such host")) })
    }
}

/// Returns an engine with one project handler on a name that the script resolves.
fn engine(project: &Project, script: &Script) -> Engine {
    project.builder().resolver(script.clone()).build().unwrap()
}

fn named(server: &Server, name: &str) -> String {
    format!("http://{name}:{}/", server.port)
}

fn closing() -> Server {
    Server::new(|_, stream| {
        let _ = stream.write_all(ok("").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").as_bytes());
        false
    })
}

// rule: H5
#[test]
fn a_connection_is_kept_for_the_next_event() {
    let (server, script) = (Server::ok(""), Script::of(&[&["127.0.0.1"]]));
    let project = Project::with(guard(&named(&server, "Guard.Example."), json!({})));
    let (engine, event) = (engine(&project, &script), project.event(bash("ls")));
    block_on(async {
        for _ in 0..3 {
            assert_eq!(failure(&engine.fire(&event).await), "");
        }
    });
    assert_eq!((server.opened(), server.seen().len()), (1, 3));
    assert_eq!(script.asked(), ["guard.example."]);
}

// rule: S1
#[test]
fn there_is_one_lookup_for_each_connection_and_each_is_judged() {
    let (server, script) = (closing(), Script::of(&[&["127.0.0.1"], &["169.254.169.254"]]));
    let project = Project::with(guard(&named(&server, "guard.example"), json!({})));
    let engine = engine(&project, &script);
    let event = project.event(bash("ls"));
    assert_eq!(failure(&fire(&engine, &event)), "");
    let second = failure(&fire(&engine, &event));
    assert_eq!(
        second,
        "its request failed: `guard.example (169.254.169.254)` can't be posted to: its address is link-local, \
         reserved or a cloud's metadata service"
    );
    assert_eq!((server.opened(), script.asked().len()), (1, 2));
}

// rule: S1
#[test]
fn of_a_mixed_answer_only_the_good_addresses_are_tried() {
    for bad in ["169.254.169.254", "10.255.255.1", "::ffff:10.0.0.1", "fd00:ec2::254", "0.0.0.0", "::"] {
        let (server, script) = (Server::ok(""), Script::of(&[&[bad, "127.0.0.1"]]));
        let project = Project::with(guard(&named(&server, "guard.example"), json!({"timeout": 20})));
        assert_eq!(failure(&fire(&engine(&project, &script), &project.event(bash("ls")))), "", "{bad}");
    }
}

// rule: S1
#[test]
fn a_name_without_a_good_address_says_which_and_why() {
    for (answer, why) in [
        (
            &[&["10.1.2.3", "169.254.169.254"][..]][..],
            "`x.example (10.1.2.3)` can't be posted to: its address is in a private network; name the network in `httpHookAllowedNetworks`",
        ),
        (&[&["0.0.0.0"][..]][..], "`x.example (0.0.0.0)` can't be posted to"),
        (&[&[][..]][..], "the name `x.example` has no address"),
        (&[][..], "the name `x.example` can't be resolved: no such host"),
    ] {
        let project = Project::with(guard("http://x.example/", json!({})));
        let outcome = fire(&engine(&project, &Script::of(answer)), &project.event(bash("ls")));
        assert!(failure(&outcome).contains(why), "{}", failure(&outcome));
    }
}

// rule: S1
#[test]
fn handlers_that_may_reach_different_addresses_share_no_connection() {
    let (server, script) = (Server::ok(""), Script::of(&[&["127.0.0.1"]]));
    let project = Project::with(guard(&format!("{}project", named(&server, "guard.example")), json!({})));
    let of_user = guard(&format!("{}user", named(&server, "guard.example")), json!({}));
    project.write("home/.claude/settings.json", &of_user.to_string());
    let (engine, event) = (engine(&project, &script), project.event(bash("ls")));
    block_on(async {
        for _ in 0..3 {
            let outcome = engine.fire(&event).await;
            assert!(outcome.runs.len() == 2 && outcome.verdict.unchecked().count() == 0);
        }
    });
    let seen = server.seen();
    assert_eq!((server.opened(), seen.len()), (2, 6));
    for connection in [0, 1] {
        let on_it: Vec<_> = seen.iter().filter(|seen| seen.connection == connection).collect();
        let path = on_it[0].head.lines().next().unwrap();
        assert!(on_it.iter().all(|seen| seen.head.starts_with(path)), "{path}");
    }
}

// rules: S1, C8
#[test]
fn a_connection_of_an_older_policy_is_not_used() {
    let (server, script) = (Server::ok(""), Script::of(&[&["127.0.0.1"]]));
    let project = Project::with(guard(&named(&server, "guard.example"), json!({})));
    let (engine, event) = (engine(&project, &script), project.event(bash("ls")));
    block_on(async {
        assert_eq!(failure(&engine.fire(&event).await), "");
        engine.host().reload().unwrap();
        assert_eq!(failure(&engine.fire(&event).await), "", "the same policy keeps its connections");
        assert_eq!(server.opened(), 1);
        project.write("managed/managed-settings.json", r#"{"httpHookLoopback": false}"#);
        engine.host().reload().unwrap();
        let refused = failure(&engine.fire(&event).await);
        assert!(refused.contains("managed settings say `httpHookLoopback: false`"), "{refused}");
    });
    assert_eq!(server.seen().len(), 2);
}

// rule: H5
#[test]
fn a_runtime_that_stands_still_holds_up_no_other() {
    let server = Server::ok("");
    let project = Project::with(guard(&server.url("/"), json!({"timeout": 20})));
    let (engine, event) = (project.engine(), project.event(bash("ls")));
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (first, second) = (runtime(), runtime());
    for runtime in [&first, &second, &first, &second] {
        assert_eq!(failure(&runtime.block_on(engine.fire(&event))), "");
    }
}

// rule: H5
#[test]
fn a_connection_that_the_server_gave_up_is_replaced() {
    // It promises to keep the connection, and closes it.
    let server = Server::new(|_, stream| stream.write_all(ok("").as_bytes()).is_err());
    let project = Project::with(guard(&server.url("/"), json!({})));
    let (engine, event) = (project.engine(), project.event(bash("ls")));
    block_on(async {
        for _ in 0..5 {
            assert_eq!(failure(&engine.fire(&event).await), "");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    });
    assert_eq!(server.opened(), 5);
}

// rule: S1
#[test]
fn a_registered_handler_is_judged_when_it_runs() {
    let project = Project::with(json!({}));
    let read = crate::common::frontmatter(
        &project,
        Source::Skill("s".into()),
        "---\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: http\n          url: http://0xa9fea9fe/latest\n---\n",
        None,
    );
    assert_eq!(read.handlers.len(), 1, "{:?}", read.diagnostics);
    let engine = project.engine();
    engine.register(read.handlers);
    let refused = failure(&fire(&engine, &project.event(bash("ls"))));
    assert!(refused.contains("`169.254.169.254` can't be posted to: its address is link-local"), "{refused}");
}

// rules: S1, H5
#[test]
fn the_systems_resolver_finds_this_machine() {
    let server = Server::ok("");
    let project = Project::with(hooks(
        "PreToolUse",
        "",
        json!([
            handler(&named(&server, "localhost"), json!({})),
            handler("http://no-such-name.invalid/", json!({}))
        ]),
    ));
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    assert_eq!(outcome.runs[0].failure, None);
    let failed = outcome.runs[1].failure.as_ref().unwrap().to_string();
    assert!(failed.contains("the name `no-such-name.invalid` can't be resolved"), "{failed}");
}
