//! `allowedHttpHookUrls`: handlers that it excludes post nothing, and are reported (H5).

use crate::common::{Project, bash, fire, frontmatter, hooks};
use crate::http::server::Server;
use crate::http::{failure, handler};
use becket_engine::{Engine, SkipReason, Stage};
use becket_model::event::permission::Notification;
use becket_model::{Event, Source};
use serde_json::{Value, json};

const WHY: &str = "its URL matches no pattern of `allowedHttpHookUrls`";

/// Returns how many of the handlers at these URLs may post under settings of a file. The handlers are the project's.
fn runs(urls: &[String], settings: &[(&str, Value)]) -> usize {
    let handlers: Vec<Value> = urls.iter().map(|url| handler(url, json!({}))).collect();
    let project = Project::with(hooks("Notification", "", handlers.into()));
    for (file, list) in settings {
        project.write(file, &json!({"allowedHttpHookUrls": list}).to_string());
    }
    let plan = project.engine().plan(&notification(&project));
    for skipped in plan.skipped() {
        assert_eq!((&skipped.why, skipped.why.stage()), (&SkipReason::UrlNotAllowed, Stage::Policy));
        assert_eq!(skipped.to_string(), WHY);
    }
    assert_eq!(plan.runs().len() + plan.skipped().count(), urls.len());
    plan.runs().len()
}

fn notification(project: &Project) -> Event {
    project.event(Notification::new("hi".into(), "idle_prompt".into()))
}

/// Returns how many handlers would post, and how many can only fail.
fn posts_and_fails(engine: &Engine, event: &Event) -> (usize, usize) {
    let plan = engine.plan(event);
    let fails = plan.runs().iter().filter(|run| run.fails == Some(WHY)).count();
    assert_eq!(plan.skipped().count(), 0);
    (plan.runs().len() - fails, fails)
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

// rules: H5, O10
#[test]
fn what_is_not_allowed_is_not_posted_and_fails_where_it_guards() {
    for (more, blocks) in [(json!({}), false), (json!({"onFailure": "block"}), true)] {
        let server = Server::ok("");
        let project = Project::with(hooks("PreToolUse", "", json!([handler(&server.url("/x"), more)])));
        project.write(USER, r#"{"allowedHttpHookUrls": ["http://localhost:*"]}"#);
        let outcome = fire(&project.engine(), &project.event(bash("ls")));
        assert_eq!(server.opened(), 0);
        assert_eq!(failure(&outcome), format!("its request failed: {WHY}"));
        assert_eq!((outcome.verdict.unchecked().count(), outcome.verdict.blocks()), (1, blocks));
    }
}

// rules: H5, C3
#[test]
fn a_list_narrows_handlers_that_are_trusted_no_more_than_its_file() {
    const PROJECT: &str = "work/.claude/settings.json";
    // The files, the most trusted first.
    let files = [MANAGED, USER, LOCAL, PROJECT];
    let settings = |at: usize, narrows: bool| {
        let mut settings =
            hooks("PreToolUse", "", json!([handler(&format!("https://h{at}.example/"), json!({}))]));
        if narrows {
            settings["allowedHttpHookUrls"] = json!(["https://other.example/*"]);
        }
        settings.to_string()
    };
    for narrowing in 0..files.len() {
        let project = Project::with(json!({}));
        for (at, file) in files.iter().enumerate() {
            project.write(file, &settings(at, at == narrowing));
        }
        let counts = posts_and_fails(&project.engine(), &project.event(bash("ls")));
        assert_eq!(counts, (narrowing, files.len() - narrowing), "{}", files[narrowing]);
    }
}

// rule: H5
#[test]
fn it_holds_for_registered_handlers_and_after_a_reload() {
    let server = Server::ok("");
    let project = Project::with(json!({}));
    let engine = project.engine();
    let text = format!(
        "---\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: http\n          url: {}\n---\n",
        server.url("/")
    );
    engine.register(frontmatter(&project, Source::Skill("s".into()), &text, None).handlers);
    let user = |list: Value| {
        let mut settings = hooks("PreToolUse", "", json!([handler(&server.url("/m"), json!({}))]));
        settings["allowedHttpHookUrls"] = list;
        project.write(USER, &settings.to_string());
        engine.host().reload().unwrap();
    };
    let event = project.event(bash("ls"));
    user(json!(["*"]));
    assert_eq!(posts_and_fails(&engine, &event), (2, 0));
    user(json!([]));
    assert_eq!(posts_and_fails(&engine, &event), (0, 2));
}
