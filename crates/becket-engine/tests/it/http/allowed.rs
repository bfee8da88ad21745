//! `allowedHttpHookUrls`: handlers that it excludes do not run, and are reported (H5).

use crate::common::{Project, bash, fire, frontmatter, hooks};
use crate::http::handler;
use crate::http::server::Server;
use becket_engine::{SkipReason, Stage};
use becket_model::Source;
use serde_json::{Value, json};

/// Returns how many of the handlers at these URLs run under settings of a file.
fn runs(urls: &[String], settings: &[(&str, Value)]) -> usize {
    let handlers: Vec<Value> = urls.iter().map(|url| handler(url, json!({}))).collect();
    let project = Project::with(hooks("PreToolUse", "", handlers.into()));
    for (file, list) in settings {
        project.write(file, &json!({"allowedHttpHookUrls": list}).to_string());
    }
    let engine = project.engine();
    let plan = engine.plan(&project.event(bash("ls")));
    for skipped in plan.skipped() {
        assert_eq!((&skipped.why, skipped.why.stage()), (&SkipReason::UrlNotAllowed, Stage::Policy));
        assert_eq!(skipped.to_string(), "its URL matches no pattern of `allowedHttpHookUrls`");
    }
    assert_eq!(plan.runs().len() + plan.skipped().count(), urls.len());
    plan.runs().len()
}

const MANAGED: &str = "managed/managed-settings.json";
const USER: &str = "home/.claude/settings.json";
const LOCAL: &str = "work/.claude/settings.local.json";

// rule: H5
#[test]
fn lists_add_up_and_a_managed_one_stands_alone() {
    let urls = ["https://a.example/x", "https://b.example/x", "https://c.example/x"].map(str::to_owned);
    let (a, b) = (json!(["https://a.example/*"]), json!(["https://B.example./*"]));
    assert_eq!(runs(&urls, &[]), 3);
    assert_eq!(runs(&urls, &[(USER, json!([]))]), 0);
    assert_eq!(runs(&urls, &[(USER, a.clone())]), 1);
    assert_eq!(runs(&urls, &[(USER, a.clone()), (LOCAL, b.clone())]), 2);
    assert_eq!(runs(&urls, &[(MANAGED, a.clone()), (USER, b), (LOCAL, json!(["*"]))]), 1);
    assert_eq!(runs(&urls, &[(MANAGED, json!([])), (USER, a)]), 0);
    assert_eq!(runs(&urls, &[(MANAGED, json!("*"))]), 0, "a wrong type counts as the empty list (C7b)");
}

// rule: H5
#[test]
fn what_is_not_allowed_is_not_posted() {
    let server = Server::ok("");
    let project = Project::with(hooks("PreToolUse", "", json!([handler(&server.url("/x"), json!({}))])));
    project.write(USER, r#"{"allowedHttpHookUrls": ["http://localhost:*"]}"#);
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    assert_eq!((outcome.runs.len(), server.opened()), (0, 0));
    assert!(outcome.plan.skipped().all(|skipped| skipped.why == SkipReason::UrlNotAllowed));
}

// rule: H5
#[test]
fn it_holds_for_every_source_and_after_a_reload() {
    let server = Server::ok("");
    let project = Project::with(json!({}));
    let engine = project.engine();
    let text = format!(
        "---\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: http\n          url: {}\n---\n",
        server.url("/")
    );
    engine.register(frontmatter(&project, Source::Skill("s".into()), &text, None).handlers);
    project
        .write(MANAGED, &hooks("PreToolUse", "", json!([handler(&server.url("/m"), json!({}))])).to_string());
    engine.host().reload().unwrap();
    let event = project.event(bash("ls"));
    assert_eq!(engine.plan(&event).runs().len(), 2);
    project.write(LOCAL, r#"{"allowedHttpHookUrls": []}"#);
    engine.host().reload().unwrap();
    assert_eq!(engine.plan(&event).runs().len(), 0);
}
