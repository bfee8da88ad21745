//! No secret reaches anything that a host may log, print or trace (S3).

use crate::common::{Project, bash, fire, hooks};
use crate::http::handler;
use crate::http::server::{Server, ok};
use becket_engine::{Engine, Outcome, RunEvent};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Arc, Mutex};

/// The word that all secrets of these tests contain.
const HUSH: &str = "hush";

fn more() -> Value {
    json!({
        "headers": {"Authorization": "Bearer $TOKEN", "X-Literal": "literal-hush-1"},
        "allowedEnvVars": ["TOKEN"],
        "timeout": 1,
    })
}

fn build(project: &Project, told: &Arc<Mutex<String>>) -> Engine {
    let told = told.clone();
    project
        .builder()
        .environment(project.environment().with_var("TOKEN", "token-hush-2"))
        .observe(move |event: &RunEvent| writeln!(told.lock().unwrap(), "{event:?}").unwrap())
        .build()
        .unwrap()
}

/// Returns everything that can be printed of an outcome, as text for people and as `Debug`.
fn everything(engine: &Engine, outcome: &Outcome) -> String {
    let mut text = format!("{outcome:?}\n{engine:?}\n{:?}\n", engine.config());
    for run in &outcome.runs {
        let failure = run.failure.as_ref().map(ToString::to_string);
        let stdout = String::from_utf8_lossy(&run.stdout);
        writeln!(text, "{failure:?} {:?} {} {stdout}", run.warnings, run.handler.place.label).unwrap();
    }
    for skipped in outcome.plan.skipped() {
        writeln!(text, "{skipped} {}", skipped.handler.place.label).unwrap();
    }
    for failure in outcome.verdict.unchecked() {
        writeln!(text, "{failure:?} {} {}", failure.label, failure.what).unwrap();
    }
    writeln!(text, "{:?}", outcome.verdict.joined_reason()).unwrap();
    for diagnostic in &engine.config().diagnostics {
        writeln!(text, "{diagnostic:?} {}", diagnostic.message).unwrap();
    }
    text
}

/// Fires at a server; the report must name no secret, and the server must have received them.
fn stays_secret(name: &str, url: &str, more: Value) -> String {
    let project = Project::with(hooks(
        "PreToolUse",
        "",
        json!([handler(url, more.clone()), handler(&format!("{url}&twice"), more)]),
    ));
    project.write(
        "home/.claude/settings.json",
        &hooks("PreToolUse", "Write", json!([handler(url, json!({}))])).to_string(),
    );
    let told = Arc::default();
    let engine = build(&project, &told);
    let outcome = fire(&engine, &project.event(bash("ls")));
    let text = format!("{}{}", everything(&engine, &outcome), told.lock().unwrap());
    let at = text.find(HUSH);
    assert_eq!(
        at,
        None,
        "{name}: …{}…",
        at.map_or("", |at| &text[at.saturating_sub(200)..(at + 40).min(text.len())])
    );
    text
}

fn secret_url(port: u16) -> String {
    format!("http://ann-hush:pw-hush@127.0.0.1:{port}/check?key=query-hush")
}

// rule: S3
#[test]
fn no_secret_is_told_whatever_the_server_does() {
    /// Sends back the secrets that it received, in texts and in locations.
    fn echo(status: &str) -> Server {
        let status = status.to_owned();
        Server::new(move |seen, stream| {
            let raw = String::from_utf8_lossy(&seen.raw);
            let token = seen.header("authorization").concat();
            let token = String::from_utf8_lossy(&token);
            let answer = format!(
                "HTTP/1.1 {status}\r\nLocation: http://x.example/{token}?{token}\r\nContent-Length: {}\r\n\r\n{raw}",
                raw.len()
            );
            stream.write_all(answer.as_bytes()).is_ok()
        })
    }
    for status in ["200 OK", "302 Found", "401 Unauthorized", "500 Internal Server Error"] {
        let server = echo(status);
        let text = stays_secret(status, &secret_url(server.port), more());
        let got = String::from_utf8(server.seen()[0].raw.clone()).unwrap();
        for sent in ["Bearer token-hush-2", "literal-hush-1", "query-hush"] {
            assert!(got.contains(sent), "{got}");
        }
        assert!(text.contains("[redacted]"), "what came back is hidden, not lost");
        assert!(text.contains(&format!("http://127.0.0.1:{}/check?…", server.port)));
    }
    for (name, answer) in [
        ("success", ok("")),
        ("garbage", "garbage".to_owned()),
        ("broken", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{".to_owned()),
        ("wrong field", ok(r#"{"continue": "literal-hush-1"}"#)),
        ("invalid", ok(r#"{"literal-hush-1"#)),
    ] {
        let server = Server::new(move |_, stream| {
            let _ = stream.write_all(answer.as_bytes());
            false
        });
        stays_secret(name, &secret_url(server.port), more());
    }
    stays_secret("timeout", &secret_url(Server::new(|_, _| true).port), more());
}

// rule: S3
#[test]
fn no_secret_is_told_where_nothing_is_sent() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    stays_secret("refused", &secret_url(closed), more());
    for url in [
        "http://ann:pw-hush@no-such-name.invalid/?hush",
        "https://ann:pw-hush@127.0.0.1:1/?hush",
        "http://ann:pw-hush@169.254.169.254/?hush",
        "http://ann:pw-hush@1.2.3.4.5/?hush",
        "http://ann:pw-hush/@exa mple.com/?hush",
        "http:ann:pw-hush@x.example?hush",
        "ann:pw-hush@x.example?hush",
    ] {
        stays_secret(url, url, more());
    }
    let mut bad = more();
    bad["headers"]["X-Bad"] = "hush\u{7}".into();
    stays_secret("a bad header", &secret_url(closed), bad);
}

// rules: S3, H5
#[test]
fn no_secret_is_told_of_a_handler_that_may_not_run() {
    let project = Project::with(hooks("PreToolUse", "", json!([handler(&secret_url(1), more())])));
    project.write("managed/managed-settings.json", r#"{"allowedHttpHookUrls": []}"#);
    let told = Arc::default();
    let engine = build(&project, &told);
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert_eq!(outcome.runs.len(), 1);
    let text = format!("{}{}", everything(&engine, &outcome), told.lock().unwrap());
    assert!(text.contains("allowedHttpHookUrls") && !text.contains(HUSH));
}

// rules: S3, H2, H3
#[test]
fn neither_variables_of_settings_nor_options_of_plugins_are_shown_by_debug() {
    let mut settings = hooks("PreToolUse", "", json!([{"type": "command", "command": "true"}]));
    settings["env"] = json!({"SHOWN_NAME": "hush"});
    let project = Project::with(settings);
    let shipped = hooks("PreToolUse", "", json!([{"type": "command", "command": "true", "args": []}]));
    project.write("plugin/hooks/hooks.json", &shipped.to_string());
    let mut plugin = becket_engine::config::Plugin::new("p@m", project.path("plugin"));
    let option = becket_engine::config::PluginOption::new("SHOWN_OPTION", "hush").sensitive();
    plugin.options.push(option);
    let told = Arc::new(Mutex::new(String::new()));
    let builder = || {
        let told = told.clone();
        let observe = move |event: &RunEvent| writeln!(told.lock().unwrap(), "{event:?}").unwrap();
        project.builder().plugin(plugin.clone()).observe(observe)
    };
    let engine = builder().build().unwrap();
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert_eq!(outcome.runs.len(), 2, "{outcome:?}");
    let text = format!("{:?}{}{}", builder(), everything(&engine, &outcome), told.lock().unwrap());
    assert!(text.contains("SHOWN_NAME") && text.contains("SHOWN_OPTION") && !text.contains(HUSH), "{text}");
    project.write("managed/managed-settings.json", "{broken");
    let error = format!("{:?}", builder().build().unwrap_err());
    assert!(error.contains("SHOWN_NAME") && !error.contains(HUSH), "{error}");
}
