//! The options of a session, and its end.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use becket_embed::models::{Choice, models};
use becket_embed::{Host, Open, Session};
use becket_engine::{CancellationToken, Environment, Profile};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A temporary project, with the session in it.
struct Place {
    _temp: tempfile::TempDir,
    project: PathBuf,
    session: Session,
}

fn place(settings: &Value, variables: &[(&str, &str)]) -> Place {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().canonicalize().unwrap();
    let project = root.join("project");
    std::fs::create_dir_all(project.join(".claude")).unwrap();
    std::fs::write(project.join(".claude/settings.json"), settings.to_string()).unwrap();
    let mut environment = Environment::empty().with_var("PATH", "/usr/bin:/bin").with_home(root.join("home"));
    for (name, value) in variables {
        environment = environment.with_var(name, value);
    }
    let host = Host {
        models: models(&Choice::default(), &environment).unwrap(),
        environment,
        profile: Profile::claude(),
        settings: None,
        plugins: Vec::new(),
        managed: Some(root.join("managed")),
        strict: false,
        private: root.join("private"),
    };
    let wants: Open = serde_json::from_value(json!({"start": project})).unwrap();
    let session = host.open(wants, CancellationToken::new(), |builder| builder).unwrap();
    Place { _temp: temp, project, session }
}

// rules: D3, G4
#[tokio::test]
async fn the_events_that_concern_a_host_are_named_where_rules_alone_decide() {
    let hook = json!([{"hooks": [{"type": "command", "command": "true"}]}]);
    for (settings, expected) in [
        (json!({}), &[][..]),
        (json!({"permissions": {"deny": ["Read(./.env)"]}}), &["PreToolUse", "PermissionRequest"]),
        (
            json!({"permissions": {"ask": ["Bash"]}, "hooks": {"Stop": hook}}),
            &["Stop", "PreToolUse", "PermissionRequest"],
        ),
        (json!({"hooks": {"PostToolUse": hook}}), &["PostToolUse"]),
    ] {
        let place = place(&settings, &[]);
        assert_eq!(place.session.events(), expected, "{settings}");
        place.session.close().await;
    }
}

// rules: A5, H11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_gives_hooks_in_the_background_their_time_and_then_ends_them() {
    let background = |command: &str| json!({"type": "command", "command": command, "async": true});
    let hooks = json!([background("touch began; sleep 0.5; touch late"), background("exec sleep 600")]);
    let settings = json!({"hooks": {"Stop": [{"hooks": hooks}]}});
    for (budget, has_time) in [("", true), ("0", false)] {
        let place = place(&settings, &[("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", budget)]);
        let at = |name: &str| place.project.join(name);
        let event = place.session.event("Stop", [("stop_hook_active".to_owned(), json!(false))]).unwrap();
        drop(place.session.fire(place.session.ready(event), &CancellationToken::new()).await.unwrap());
        assert!(wait_until(|| at("began").exists()));
        let began = Instant::now();
        place.session.close().await;
        assert!(began.elapsed() < Duration::from_secs(30));
        assert_eq!(at("late").exists(), has_time, "{budget:?}");
        assert!(place.session.engine().host().background().is_empty());
    }
}
