//! Background lines of a session: their output, their end, and no leftovers.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::shell::{LONG, Shell, run, said};
use crate::support::until;
use becket_agent::tool_call::ToolCalls;
use becket_engine::{CancellationToken, Tool, ToolFailure, ToolOutput, ToolSet};
use becket_testkit::proc::{open_descriptors, wait_until, zombies};
use becket_tools::tasks::{TaskEnd, TaskOutput, TaskStatus, TaskStop};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

impl Shell {
    async fn output(&self, input: Value) -> Result<ToolOutput, ToolFailure> {
        run(&TaskOutput::new(self.tasks.clone()), &self.session(), input, &CancellationToken::new()).await
    }

    async fn stop(&self, id: &str) -> Result<ToolOutput, ToolFailure> {
        let stop = TaskStop::new(self.tasks.clone());
        run(&stop, &self.session(), json!({"task_id": id}), &CancellationToken::new()).await
    }

    async fn ended(&self, id: &str) -> TaskStatus {
        tokio::time::timeout(LONG, self.tasks.wait(id)).await.unwrap().unwrap().status
    }

    async fn started(&self, processes: usize) {
        until("all processes have started", || self.marker.alive().len() >= processes).await;
    }

    async fn nothing_is_left(&self) {
        tokio::time::timeout(LONG, self.runner.all_gone()).await.unwrap();
        self.marker.wait_for(0);
        assert!(wait_until(|| zombies().is_empty()));
    }
}

#[tokio::test]
async fn a_line_in_the_background_answers_at_once_and_is_asked_about_later() {
    let shell = Shell::new();
    let input = json!({"command": "cd sub; echo out; echo err >&2; read -r x; exit 3", "description": "does things",
        "run_in_background": true, "timeout": 1});
    let output = shell.call(input).await.unwrap();
    let id = output.response["backgroundTaskId"].as_str().unwrap().to_owned();
    assert!(output.as_text().contains(&format!("task {id}.")), "{}", output.as_text());
    let asked = shell.output(json!({"task_id": id})).await.unwrap();
    let file = shell.tasks.directory().join(format!("{id}.output"));
    let expected = json!({"retrieval_status": "success", "task": {
        "task_id": id, "task_type": "shell", "status": "failed", "description": "does things",
        "output": "out\nerr", "outputFile": file, "exitCode": 3}});
    assert_eq!(asked.response.to_string(), expected.to_string());
    let text =
        format!("Task {id} (shell): failed\nExit code 3\nOutput file: {}\nOutput:\nout\nerr", file.display());
    assert_eq!(asked.as_text(), text);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "out\nerr\n");
    assert_eq!(shell.tasks.take_ended(), [], "the model knows");
    assert_eq!((shell.place().as_str(), shell.at.moves.lock().unwrap().len()), ("work", 0));
    let changed = TaskOutput::new(shell.tasks.clone()).replaced(&expected).unwrap();
    assert_eq!(changed.as_text(), text);
    assert!(TaskOutput::new(shell.tasks.clone()).replaced(&json!({"task": {}})).is_err());
}

#[tokio::test]
async fn the_end_is_told_once_and_with_its_exit_code() {
    let shell = Shell::new();
    for (command, status, word) in [
        ("true", TaskEnd::Exited(0), "completed (exit code 0)"),
        ("exit 3", TaskEnd::Exited(3), "failed (exit code 3)"),
        ("kill -9 $$", TaskEnd::Exited(137), "failed (exit code 137)"),
        ("echo 'open", TaskEnd::Exited(2), "failed (exit code 2)"),
    ] {
        let id = shell.start(command).await;
        tokio::time::timeout(LONG, shell.tasks.has_ended()).await.unwrap();
        let told = shell.tasks.take_ended();
        assert_eq!((told.len(), &told[0].status), (1, &TaskStatus::Ended(status)));
        let expected = format!("Background command `{id}` ({command}) {word}.");
        assert!(told[0].words().starts_with(&expected), "{}", told[0].words());
    }
    assert_eq!(shell.tasks.take_ended(), []);
}

// rule: L3
#[tokio::test]
async fn stop_hooks_see_what_runs() {
    let shell = Shell::new();
    let id = shell.start("sleep 1000").await;
    shell.start("true").await;
    tokio::time::timeout(LONG, shell.tasks.has_ended()).await.unwrap();
    let running = serde_json::to_string(&shell.tasks.background_tasks()).unwrap();
    let expected = json!([{"id": id, "type": "shell", "status": "running", "description": "sleep 1000",
        "command": "sleep 1000"}]);
    assert_eq!(running, expected.to_string());
}

#[tokio::test]
async fn what_still_runs_is_shown_as_far_as_it_is() {
    let shell = Shell::new();
    let id = shell.start("echo early; sleep 1000").await;
    for input in [json!({"task_id": id, "block": false}), json!({"task_id": id, "timeout": 50})] {
        let asked = becket_testkit::wait::eventually("the output is shown", async || {
            let asked = shell.output(input.clone()).await.unwrap();
            (asked.response["task"]["output"] == "early").then_some(asked)
        })
        .await;
        assert_eq!(asked.response["retrieval_status"], "not_ready");
        assert_eq!(
            (&asked.response["task"]["status"], &asked.response["task"]["exitCode"]),
            (&json!("running"), &Value::Null)
        );
    }
    let cancel = CancellationToken::new();
    cancel.cancel();
    let tool = TaskOutput::new(shell.tasks.clone());
    let asked =
        run(&tool, &shell.session(), json!({"task_id": id, "timeout": 600_000}), &cancel).await.unwrap();
    assert_eq!(asked.response["task"]["status"], "running");
}

#[tokio::test]
async fn what_can_t_be_found_or_stopped_is_said() {
    let shell = Shell::new();
    assert_eq!(
        said(shell.output(json!({"task_id": "b0"})).await),
        "there is no task `b0`: nothing was started in the background"
    );
    let id = shell.start("true").await;
    assert_eq!(said(shell.stop("b0").await), format!("there is no task `b0`: use one of `{id}`"));
    shell.ended(&id).await;
    let answer = said(shell.stop(&id).await);
    assert!(answer.starts_with("it is not running any more.") && answer.contains("exit code 0"), "{answer}");
    shell.tasks.close().await;
    let late = shell.call(json!({"command": "true", "run_in_background": true})).await;
    assert!(said(late).starts_with("the session is ending"));
}

/// Command lines that resist their end, with their number of processes once they run.
const STUBBORN: [(&str, usize); 5] = [
    ("sleep 1000", 2),
    ("trap '' TERM; sleep 1000; sleep 1000", 3),
    ("setsid sleep 1000 & setsid sh -c 'sleep 1000; true' & sleep 1000; true", 6),
    ("setsid sh -c 'trap \"\" TERM; setsid sleep 1000; sleep 1000' & wait", 4),
    ("(sleep 1000 & sleep 1000 & wait) & nohup sleep 1000 >/dev/null 2>&1 & wait", 6),
];

// rule: H4
#[tokio::test]
async fn a_line_that_is_stopped_is_gone_with_all_that_it_has_started() {
    for (command, processes) in STUBBORN {
        let shell = Shell::new();
        let id = shell.start(command).await;
        tokio::time::timeout(LONG, shell.started(processes)).await.unwrap();
        let stopped = shell.stop(&id).await.unwrap();
        assert_eq!(stopped.response["task_id"], id);
        assert_eq!(shell.marker.alive(), [] as [u32; 0], "{command}");
        assert_eq!(shell.tasks.find(&id).unwrap().status, TaskStatus::Ended(TaskEnd::Killed));
        assert_eq!(shell.tasks.take_ended(), [], "the model knows");
        shell.nothing_is_left().await;
    }
}

// rule: H4
#[tokio::test]
async fn what_a_line_leaves_is_ended_with_it() {
    let shell = Shell::new();
    let id = shell.start("(trap '' TERM; sleep 1000; sleep 1000) & sleep 1000 & echo done").await;
    assert_eq!(shell.ended(&id).await, TaskStatus::Ended(TaskEnd::Exited(0)));
    assert_eq!(shell.marker.alive(), [] as [u32; 0]);
    assert_eq!(shell.tasks.output(&id).as_deref(), Some("done"));
}

/// Excludes a process that leaves the group at that very moment: the runner searches for processes that have left, and
/// then ends the group.
// rule: H4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_is_ended_at_whatever_moment_it_is_stopped() {
    let shell = Shell::new();
    for moment in 0..60 {
        let id = shell.start("(sleep 1000; true) & sleep 1000; true").await;
        tokio::time::sleep(Duration::from_micros(moment * 150)).await;
        shell.stop(&id).await.unwrap();
        assert_eq!(shell.tasks.find(&id).unwrap().status, TaskStatus::Ended(TaskEnd::Killed));
    }
    shell.nothing_is_left().await;
}

// rule: H4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_tasks_end_with_their_session() {
    let shell = Shell::new();
    let descriptors = open_descriptors();
    for number in 0..100 {
        shell.start(&format!("echo {number}; setsid sleep 1000 & sleep 1000; true")).await;
    }
    tokio::time::timeout(LONG, shell.started(400)).await.unwrap();
    let ended = tokio::time::timeout(LONG, shell.tasks.close()).await.unwrap();
    assert!(ended.len() == 100 && ended.iter().all(|task| task.status == TaskStatus::Ended(TaskEnd::Killed)));
    shell.nothing_is_left().await;
    assert!(wait_until(|| open_descriptors() <= descriptors));
    for (number, task) in ended.iter().enumerate() {
        assert_eq!(shell.tasks.output(task.id.as_str()), Some(number.to_string()));
    }
}

// rule: H4
#[tokio::test]
async fn a_session_that_is_dropped_without_a_word_leaves_nothing() {
    let shell = Shell::new();
    shell.start("trap '' TERM; setsid sleep 1000 & sleep 1000; sleep 1000").await;
    tokio::time::timeout(LONG, shell.started(4)).await.unwrap();
    let Shell { bash, tasks, marker, tree: _tree, at: _, runner: _ } = shell;
    drop((bash, tasks));
    // Any await lets the runtime drop the work.
    tokio::task::yield_now().await;
    marker.wait_for(0);
    assert!(wait_until(|| zombies().is_empty()));
}

#[test]
fn a_runtime_that_ends_first_leaves_nothing() {
    let shell = Shell::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        shell.start("trap '' TERM; setsid sleep 1000 & sleep 1000; sleep 1000").await;
        tokio::time::timeout(LONG, shell.started(4)).await.unwrap();
    });
    drop(runtime);
    shell.marker.wait_for(0);
    assert_eq!(shell.tasks.list()[0].status, TaskStatus::Ended(TaskEnd::Killed));
}

// rules: M7, P1
#[tokio::test]
async fn hooks_and_rules_know_the_tools_by_their_old_names_too() {
    let place = crate::support::calls::Place::new();
    let shell = Shell::new();
    let tools: [Arc<dyn Tool>; 2] =
        [Arc::new(TaskOutput::new(shell.tasks.clone())), Arc::new(TaskStop::new(shell.tasks.clone()))];
    let toolbox = ToolSet::new(tools);
    let hook = |name: &str, file: &str| {
        json!({"matcher": name, "hooks": [
        {"type": "command", "command": format!("cat > $HERE/{file}")}]})
    };
    let settings = json!({
        "hooks": {"PreToolUse": [hook("BashOutput", "output"), hook("KillShell|Other", "stop")]},
        "permissions": {"deny": ["KillBash(task_id:b1)"]},
    });
    let engine = place.engine(&settings, false, &toolbox);
    let calls = ToolCalls::new(engine, toolbox);
    let id = shell.start("sleep 1000").await;
    let input = json!({"task_id": id, "block": false});
    let report = crate::support::calls::run(
        &calls,
        &place.session(Some("dontAsk")),
        crate::support::calls::call_of("TaskOutput", input),
    )
    .await;
    assert!(!report.for_model().1, "{:?}", report.ended);
    let report = crate::support::calls::run(
        &calls,
        &place.session(None),
        crate::support::calls::call_of("TaskStop", json!({"task_id": id})),
    )
    .await;
    assert!(!report.for_model().1, "{:?}", report.ended);
    let seen: Value = serde_json::from_str(&place.read("output")).unwrap();
    assert_eq!((&seen["tool_name"], &seen["tool_input"]["block"]), (&json!("TaskOutput"), &json!(false)));
    let seen: Value = serde_json::from_str(&place.read("stop")).unwrap();
    assert_eq!((&seen["tool_name"], &seen["tool_input"]["task_id"]), (&json!("TaskStop"), &json!(id)));
    let denied = crate::support::calls::run(
        &calls,
        &place.session(None),
        crate::support::calls::call_of("TaskStop", json!({"task_id": "b1"})),
    )
    .await;
    assert!(denied.for_model().1 && format!("{:?}", denied.ended).contains("Denied"), "{:?}", denied.ended);
}
