//! Hostile processes and careless hosts: nothing is left running, nothing hangs, nothing is followed out of the private
//! files (H3, H4, H12, G1, C8, C10, C11).
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::common::{Project, bash, block_on, command, fire, hooks, pre, says, start};
use becket_engine::{Engine, Observer, RunEvent, RunEventKind};
use becket_model::{Event, Failure};
use becket_testkit::proc::Marker;
use serde_json::{Value, json};
use std::time::Duration;

fn marked(project: &Project, marker: &Marker) -> Engine {
    let (name, value) = marker.env();
    project.builder().environment(project.environment().with_var(name, value)).build().unwrap()
}

fn multi<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

#[test]
fn hooks_that_will_not_die_are_gone_after_their_deadline() {
    // rule: H4
    for script in [
        "kill -STOP $$; exit 2",
        "trap '' TERM HUP INT; while :; do sleep 1; done",
        "setsid sh -c 'sleep 300' & trap '' TERM; sleep 300",
    ] {
        let handler = json!({"type": "command", "command": script, "timeout": 0.5});
        let project = Project::with(hooks("PreToolUse", "", json!([handler])));
        let marker = Marker::new();
        let engine = marked(&project, &marker);
        block_on(async {
            let outcome = engine.fire(&project.event(bash("make"))).await;
            assert!(matches!(outcome.runs[0].failure, Some(Failure::TimedOut { .. })), "{script}");
            engine.close().await;
        });
        marker.wait_for(0);
    }
}

#[test]
fn a_dropped_firing_leaves_no_process_in_any_phase() {
    // rule: H4
    let rewriter = says(pre(json!({"updatedInput": {"command": "again"}})));
    let slow = command("grep -q again && sleep 300; sleep 300 & exit 0");
    let project = Project::with(hooks("PreToolUse", "", json!([rewriter, slow, command("sleep 300")])));
    let marker = Marker::new();
    let engine = marked(&project, &marker);
    let event = project.event(bash("make"));
    for pause in [0, 1, 5, 20, 100, 700] {
        multi(async {
            tokio::time::timeout(Duration::from_millis(pause), engine.fire(&event)).await.unwrap_err();
            engine.close().await;
        });
    }
    // Anything that a successful hook left behind is its own responsibility (H4).
    let left = marker.alive();
    for pid in left {
        let line = std::fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
        let text = String::from_utf8_lossy(&line);
        assert!(text.is_empty() || text.contains("(sleep)"), "{text}");
        let _ = std::process::Command::new("kill").arg(pid.to_string()).status();
    }
    marker.wait_for(0);
}

struct Panics(fn(&RunEventKind) -> bool);

impl Observer for Panics {
    fn on(&self, event: &RunEvent) {
        assert!(!(self.0)(&event.what), "an observer that panics");
    }
}

#[test]
fn an_observer_that_panics_leaves_no_process() {
    // rule: H4
    let on: [fn(&RunEventKind) -> bool; 3] = [
        |what| matches!(what, RunEventKind::Started { .. }),
        |what| matches!(what, RunEventKind::Output { .. }),
        |what| matches!(what, RunEventKind::Finished { .. }),
    ];
    for bad in on {
        let project =
            Project::with(hooks("PreToolUse", "", json!([command("sleep 300"), command("echo x; sleep 1")])));
        let marker = Marker::new();
        let (name, value) = marker.env();
        let environment = project.environment().with_var(name, value);
        let engine = project.builder().environment(environment).observe(Panics(bad)).build().unwrap();
        let event = project.event(bash("make"));
        let fired = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| fire(&engine, &event)));
        assert!(fired.is_err());
        marker.wait_for(0);
    }
}

#[test]
fn a_runtime_without_time_is_named_and_leaves_no_process() {
    // rule: H4
    let project = Project::with(hooks("PreToolUse", "", json!([command("sleep 300")])));
    let marker = Marker::new();
    let engine = marked(&project, &marker);
    let event = project.event(bash("make"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let fired =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runtime.block_on(engine.fire(&event))));
    let told = *fired.unwrap_err().downcast::<String>().unwrap_or_default();
    assert!(told.contains("enable_time") || told.contains("timers are disabled"), "{told}");
    marker.wait_for(0);
}

#[test]
fn a_reader_that_never_reads_holds_nobody_up() {
    // rule: H13
    let flood = command("head -c 100000000 /dev/zero; exit 2");
    let project = Project::with(hooks("PreToolUse", "", json!([flood])));
    let engine = project.engine();
    let mut events = engine.subscribe();
    for _ in 0..3 {
        assert!(fire(&engine, &project.event(bash("make"))).verdict.blocks());
    }
    assert!(block_on(events.next()).is_some());
}

fn env_hook(script: &str) -> Value {
    hooks("SessionStart", "", json!([command(script)]))
}

#[test]
fn only_the_files_that_were_handed_out_are_evaluated() {
    // rule: H12
    let project = Project::with(env_hook(
        "d=$(dirname \"$CLAUDE_ENV_FILE\"); echo 'export A=1' > \"$CLAUDE_ENV_FILE\"; \
         echo 'export EVIL=1' > \"$d/zz.sh\"; mkdir \"$d/9-dir.sh\"; ln -s /etc/passwd \"$d/9-link.sh\"; mkfifo \"$d/9-fifo.sh\"",
    ));
    let engine = project.engine();
    let event = project.event(start("startup"));
    drop(fire(&engine, &event));
    let files = engine.host().env_files(&event.session.id);
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(std::fs::read_to_string(&files[0]).unwrap(), "export A=1\n");
}

#[test]
fn an_environment_file_that_was_turned_into_a_link_is_not_followed() {
    // rule: H12
    for (what, script) in [
        ("link", "rm \"$CLAUDE_ENV_FILE\"; ln -s /etc/passwd \"$CLAUDE_ENV_FILE\""),
        ("directory", "rm \"$CLAUDE_ENV_FILE\"; mkdir \"$CLAUDE_ENV_FILE\""),
        ("pipe", "rm \"$CLAUDE_ENV_FILE\"; mkfifo \"$CLAUDE_ENV_FILE\""),
    ] {
        let project = Project::with(env_hook(script));
        let engine = project.engine();
        let event = project.event(start("startup"));
        drop(fire(&engine, &event));
        assert_eq!(engine.host().env_files(&event.session.id), Vec::<std::path::PathBuf>::new(), "{what}");
    }
}

#[test]
fn private_files_that_were_taken_away_are_made_anew() {
    // rule: H12
    let project = Project::with(env_hook(
        "echo x > \"$CLAUDE_ENV_FILE\"; r=$(dirname \"$(dirname \"$(dirname \"$CLAUDE_ENV_FILE\")\")\"); printf %s \"$r\"; [ -f gone ] || rm -rf \"$r\"; touch gone",
    ));
    let engine = project.engine();
    let event = project.event(start("startup"));
    let root = String::from_utf8(fire(&engine, &event).runs[0].stdout.to_vec()).unwrap();
    assert!(root.contains("becket-"), "{root}");
    assert!(fire(&engine, &event).runs[0].failure.is_none());
    assert_eq!(engine.host().env_files(&event.session.id).len(), 1);
    // A link in place of the directory was made by another user.
    std::fs::remove_dir_all(&root).unwrap();
    std::os::unix::fs::symlink(project.path("home"), &root).unwrap();
    let outcome = fire(&engine, &event);
    assert!(
        matches!(outcome.runs[0].failure, Some(Failure::CannotStart { .. })),
        "{:?}",
        outcome.runs[0].failure
    );
    assert_eq!(std::fs::read_dir(project.path("home")).unwrap().count(), 1, "nothing but `.claude`");
}

#[test]
fn firing_reloading_and_registering_at_once_loses_no_denial() {
    // rules: C8, C10, G1
    let guard = hooks("PreToolUse", "", json!([command("cat >/dev/null; exit 2")]));
    let project = Project::with(guard);
    let engine = project.engine();
    let event: Event = project.event(bash("make"));
    multi(async {
        let mut tasks = Vec::new();
        for number in 0..60 {
            let (engine, event) = (engine.clone(), event.clone());
            tasks.push(tokio::spawn(async move {
                if number % 3 == 0 {
                    engine.host().reload().unwrap();
                }
                if number % 5 == 0 {
                    let id = engine.register([]);
                    assert!(engine.unregister(id));
                }
                engine.fire(&event).await.verdict.blocks()
            }));
        }
        for task in tasks {
            assert!(task.await.unwrap());
        }
    });
}

#[test]
fn a_set_registered_during_a_reload_meets_the_new_gates() {
    // rules: G1, C8, C10
    let skill =
        "---\nhooks:\n  PreToolUse:\n    - hooks:\n        - {type: command, command: 'exit 2'}\n---\n";
    let project = Project::new();
    let registered =
        crate::common::frontmatter(&project, becket_model::Source::Skill("s".into()), skill, None);
    let engine = project.engine();
    project.write("managed/managed-settings.json", &json!({"disableAllHooks": true}).to_string());
    let handlers = registered.handlers.into_iter().inspect(|_| {
        engine.host().reload().unwrap();
    });
    engine.register(handlers);
    let plan = engine.plan(&project.event(bash("make")));
    assert_eq!((plan.runs().len(), plan.skipped().count()), (0, 1));
}
