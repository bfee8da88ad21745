//! Workers: commands that answer many events (`worker: true`).
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::common::{Project, bash, hooks, prompt, start};
use becket_engine::{Decision, Engine, Outcome};
use becket_model::{Event, EventBody, Failure};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A worker that denies `git push`, and writes its process id for each event.
const GUARD: &str = r#"
import json, os, sys
for line in sys.stdin:
    event = json.loads(line)
    with open("pids", "a") as pids:
        print(os.getpid(), file=pids)
    answer = {"requestId": event.get("requestId")}
    command = event.get("tool_input", {}).get("command", "")
    if command == "die":
        os._exit(3)
    if command == "other":
        answer["requestId"] = 77
    if command == "nameless":
        del answer["requestId"]
    if command == "garbage":
        print("not an answer", flush=True)
        continue
    if command == "hang":
        import signal
        signal.pause()
    if command == "long":
        answer["systemMessage"] = "x" * 3000000
    if command.startswith("git push"):
        answer["hookSpecificOutput"] = {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                        "permissionDecisionReason": "no push"}
    print(json.dumps(answer), flush=True)
    if command == "twice":
        print(json.dumps(answer), flush=True)
"#;

fn guard(more: Value) -> (Project, Engine) {
    let mut handler = json!({"type": "command", "command": "python3", "args": ["guard.py"], "worker": true});
    handler.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    let project = Project::with(hooks("PreToolUse", "", json!([handler])));
    project.write("work/guard.py", GUARD);
    let engine = project.engine();
    (project, engine)
}

async fn fire(engine: &Engine, project: &Project, body: impl Into<EventBody>) -> Outcome {
    let event: Event = project.event(body);
    engine.fire(&event).await
}

fn pids(project: &Project) -> Vec<i32> {
    project.read("work/pids").lines().map(|line| line.parse().unwrap()).collect()
}

fn is_alive(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

fn reason(outcome: &Outcome) -> Option<String> {
    outcome.reason()
}

#[tokio::test]
async fn one_process_answers_many_events_each_with_its_own_answer() {
    let (project, engine) = guard(json!({}));
    for round in 0..5 {
        let allowed = fire(&engine, &project, bash(&format!("ls {round}"))).await;
        assert!(allowed.runs[0].failure.is_none(), "{:?}", allowed.runs);
        assert_eq!(allowed.runs[0].warnings, Vec::<String>::new());
        assert_eq!(reason(&allowed), None);
        assert_eq!(reason(&fire(&engine, &project, bash("git push")).await).as_deref(), Some("no push"));
    }
    let pids = pids(&project);
    assert_eq!((pids.len(), BTreeSet::from_iter(&pids).len()), (10, 1), "{pids:?}");
    drop(engine);
    assert!(wait_until(|| !is_alive(pids[0])), "it outlives its engine");
}

// rule: E5
#[tokio::test]
async fn a_worker_serves_the_configuration_alone_under_which_it_was_started() {
    let (project, engine) = guard(json!({}));
    let _ = fire(&engine, &project, bash("ls")).await;
    let settings = project.read("work/.claude/settings.json").replacen('{', "{\"hookBudget\": 7,", 1);
    project.write("work/.claude/settings.json", &settings);
    engine.host().reload().unwrap();
    let _ = fire(&engine, &project, bash("ls")).await;
    let pids = pids(&project);
    assert_ne!(pids[0], pids[1], "the old one may have other rights");
    assert!(wait_until(|| !is_alive(pids[0])), "it was not ended");
}

#[tokio::test]
async fn events_at_the_same_time_have_workers_of_their_own() {
    let (project, engine) = guard(json!({}));
    let fired = (0..4).map(|number| {
        let command = if number % 2 == 0 { "git push" } else { "ls" };
        fire(&engine, &project, bash(command))
    });
    let outcomes = futures_util::future::join_all(fired).await;
    let denied: Vec<bool> = outcomes.iter().map(|outcome| reason(outcome).is_some()).collect();
    assert_eq!(denied, [true, false, true, false]);
    assert_eq!(BTreeSet::from_iter(pids(&project)).len(), 4);
}

#[tokio::test]
async fn an_answer_that_is_not_one_fails_and_the_next_event_has_a_new_worker() {
    for (command, why) in [
        ("die", "ended with exit code 3 before it answered"),
        ("other", "it answered request 77"),
        ("nameless", "has no `requestId`"),
        ("garbage", "printed `not an answer`"),
        ("long", "printed more than"),
    ] {
        let (project, engine) = guard(json!({}));
        let _ = fire(&engine, &project, bash("ls")).await;
        let failed = fire(&engine, &project, bash(command)).await;
        let failure = failed.runs[0].failure.as_ref().map(Failure::to_string).unwrap_or_default();
        assert!(failure.contains(why), "{command}: {failure}");
        assert_eq!(reason(&fire(&engine, &project, bash("git push")).await).as_deref(), Some("no push"));
        // The worker of the first event, a new one for the second, and one for the third.
        let pids = pids(&project);
        assert_eq!((pids[0], pids.len()), (pids[1], 4), "{command}");
        assert_eq!(BTreeSet::from_iter(&pids).len(), 3, "{command}");
        assert!(wait_until(|| !is_alive(pids[1]) && !is_alive(pids[2])), "{command}: it was not ended");
    }
}

// rule: O10
#[tokio::test]
async fn a_worker_that_fails_blocks_if_it_says_so() {
    let (project, engine) = guard(json!({"onFailure": "block"}));
    let outcome = fire(&engine, &project, bash("die")).await;
    assert_eq!(outcome.decision(), Decision::Block, "{outcome:?}");
}

#[tokio::test]
async fn a_second_answer_counts_for_no_event() {
    let (project, engine) = guard(json!({}));
    let _ = fire(&engine, &project, bash("twice")).await;
    assert_eq!(reason(&fire(&engine, &project, bash("git push")).await).as_deref(), Some("no push"));
    assert_eq!(reason(&fire(&engine, &project, bash("ls")).await), None);
}

// rules: H4, H11
#[tokio::test]
async fn a_worker_that_hangs_is_ended_at_its_limit() {
    let (project, engine) = guard(json!({"timeout": 0.5}));
    let _ = fire(&engine, &project, bash("ls")).await;
    let outcome = fire(&engine, &project, bash("hang")).await;
    assert!(matches!(outcome.runs[0].failure, Some(Failure::TimedOut { .. })), "{:?}", outcome.runs);
    let pid = pids(&project)[0];
    assert!(wait_until(|| !is_alive(pid)), "it was not ended");
}

#[tokio::test]
async fn a_shell_script_can_be_a_worker() {
    let script = r#"while IFS= read -r line; do
        id=${line#'{"requestId":'}
        case $line in
            *secret*) echo "{\"requestId\":${id%%,*},\"decision\":\"block\",\"reason\":\"a secret\"}" ;;
            *) echo "{\"requestId\":${id%%,*}}" ;;
        esac
    done"#;
    let handler = json!([{"type": "command", "command": script, "worker": true}]);
    let project = Project::with(hooks("UserPromptSubmit", "", handler));
    let engine = project.engine();
    assert_eq!(reason(&fire(&engine, &project, prompt("hello")).await), None);
    assert_eq!(reason(&fire(&engine, &project, prompt("my secret")).await).as_deref(), Some("a secret"));
}

// rule: H12
#[tokio::test]
async fn an_event_with_variables_for_later_commands_starts_the_command_itself() {
    let script =
        "read -r line; case $line in *requestId*) exit 1 ;; esac; echo \"export A=1\" > \"$CLAUDE_ENV_FILE\"";
    let handler = json!([{"type": "command", "command": script, "worker": true}]);
    let project = Project::with(hooks("SessionStart", "", handler));
    let outcome = fire(&project.engine(), &project, start("startup")).await;
    assert!(outcome.runs[0].failure.is_none(), "{:?}", outcome.runs);
}
