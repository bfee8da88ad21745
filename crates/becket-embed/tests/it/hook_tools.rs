//! The tools of the agents of hooks, under the configuration of a session.

#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use becket_embed::models::{Choice, models};
use becket_embed::{Host, Open, Session};
use becket_engine::{CancellationToken, Environment, Profile, RunningCall};
use becket_model::Session as Facts;
use becket_tools::configured_hook_tools;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Returns a host with a separate home.
fn host(place: &Path) -> Host {
    let environment = Environment::empty().with_var("PATH", "/usr/bin:/bin").with_home(place.join("home"));
    Host {
        models: models(&Choice::default(), &environment).expect("there is no script"),
        environment,
        profile: Profile::claude(),
        settings: None,
        plugins: Vec::new(),
        managed: Some(place.join("managed")),
        strict: false,
        private: place.join("private"),
    }
}

fn deny(project: &Path, rules: &[&str]) {
    let settings = json!({"permissions": {"deny": rules}}).to_string();
    fs::write(project.join(".claude/settings.json"), settings).expect("it can be written");
}

/// Returns the results of a search for `token`, as the model of a hook sees them under the configuration in force.
async fn found(session: &Session, environment: &Environment, project: &Path) -> String {
    let facts = Facts::new("s", project.join("t.jsonl"), project);
    let Value::Object(input) = json!({"pattern": "token", "output_mode": "content"}) else {
        return String::new();
    };
    let tools = configured_hook_tools(environment.clone())(&session.engine().config());
    let running = RunningCall {
        session: &facts,
        id: "t",
        input: &input,
        own: &input,
        rights: &[],
        cancel: &CancellationToken::new(),
        limit: Duration::MAX,
        caller: &(),
    };
    let grep = tools.find("Grep").expect("there is one");
    grep.run(running).await.expect("it answers").as_text()
}

// rules: C8, H8, P7
#[tokio::test]
async fn what_a_later_configuration_denies_is_kept_from_the_agents_of_hooks() {
    let place = tempfile::tempdir().expect("it can be made");
    let place = place.path().canonicalize().expect("it is there");
    let project = place.join("project");
    fs::create_dir_all(project.join(".claude")).expect("it can be made");
    for name in ["one", "two", "three"] {
        fs::write(project.join(name), format!("token {name}")).expect("it can be written");
    }
    deny(&project, &["Read(./one)"]);
    let wants: Open = serde_json::from_value(json!({"start": project, "trust": true})).expect("it is one");
    let host = host(&place);
    let opened = host.open(wants, CancellationToken::new(), |builder| builder);
    let session = opened.unwrap_or_else(|error| panic!("{error}"));
    let found = || found(&session, &host.environment, &project);
    let has = |text: &str| ["token one", "token two", "token three"].map(|token| text.contains(token));
    assert_eq!(has(&found().await), [false, true, true]);
    deny(&project, &["Read(./one)", "Read(./two)"]);
    session.reload().expect("it can be read");
    assert_eq!(has(&found().await), [false, false, true]);
    deny(&project, &["Read(./one)", "Read(./two)", "Read(./three)"]);
    let fields = [("source".to_owned(), json!("project_settings"))];
    let event = session.event("ConfigChange", fields).expect("it is one");
    drop(session.fire(session.ready(event), &CancellationToken::new()).await.expect("nobody cancels it"));
    assert_eq!(has(&found().await), [false, false, false]);
    session.close().await;
}
