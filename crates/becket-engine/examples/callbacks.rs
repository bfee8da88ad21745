//! A host with hooks in its own process: `cargo run -p becket-engine --example callbacks`.

use becket_engine::{Callback, Decision, Engine};
use becket_model::event::tool::PreToolUse;
use becket_model::{Event, EventKind, Reply, Session};
use serde_json::{Map, Value, json};
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Counts calls: quick enough to run inline, on the task that fires.
fn budget(most: u32) -> Callback {
    let calls = AtomicU32::new(0);
    Callback::inline(EventKind::PreToolUse, move |_event| {
        let is_over = calls.fetch_add(1, Ordering::Relaxed) >= most;
        is_over.then(|| Reply::deny(format!("the budget of {most} calls is used up")))
    })
    .named("budget")
}

/// Reads a file, which may take time: a blocking function has a thread of its own. The `?` fails closed.
fn protected(list: PathBuf) -> Callback {
    Callback::blocking(EventKind::PreToolUse, move |event, _cancel| {
        let list = std::fs::read_to_string(&list)?;
        let input = event.body.tool_call().map(|(_tool, input)| input);
        let path = input.and_then(|input| input["file_path"].as_str()).unwrap_or_default();
        let is_protected =
            list.lines().any(|directory| Path::new(path).starts_with(event.session.cwd.join(directory)));
        Ok::<_, io::Error>(is_protected.then(|| Reply::deny("this directory is not ours to change")))
    })
    .named("protected")
    .matcher("Write|Edit")
}

/// A command that waits for a yes or no.
type Request = (String, oneshot::Sender<bool>);

/// Asks another task of the host: a future. At its limit it is dropped, and the call is denied.
fn approved(desk: mpsc::Sender<Request>) -> Callback {
    Callback::future(EventKind::PreToolUse, move |event: &Event, _cancel| {
        let desk = desk.clone();
        let command = event.body.tool_call().map(|(_tool, input)| input["command"].to_string());
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            desk.send((command.ok_or("this is not a tool call")?, answer))
                .await
                .map_err(|_| "the desk is closed")?;
            let is_approved = answered.await.map_err(|_| "the desk gave no answer")?;
            Ok::<_, &str>((!is_approved).then(|| Reply::deny("the desk says no")))
        })
    })
    .named("desk")
    .when("Bash(git push *)")
    .timeout(Duration::from_secs(30))
}

/// Prints the decisions on the host's tool calls, a line each.
pub(crate) async fn calls() -> Result<Vec<String>, Box<dyn Error>> {
    let project = tempfile::tempdir()?;
    let list = project.path().join("protected.txt");
    std::fs::write(&list, "vendor\n")?;
    let (desk, mut requests) = mpsc::channel::<Request>(1);
    tokio::spawn(async move {
        while let Some((command, answer)) = requests.recv().await {
            let _nobody_waits_any_more = answer.send(!command.contains("--force"));
        }
    });
    let engine = Engine::builder().start_dir(project.path()).build()?;
    engine.on_all([budget(4), protected(list), approved(desk)])?;
    let mut lines = Vec::new();
    for (tool, field, value) in [
        ("Write", "file_path", "src/lib.rs"),
        ("Write", "file_path", "vendor/lib.c"),
        ("Bash", "command", "git push"),
        ("Bash", "command", "cd src && git push --force"),
        ("Bash", "command", "ls"),
    ] {
        let session = Session::new("demo", project.path().join("demo.jsonl"), project.path());
        let input = json!({ field: value }).as_object().cloned().unwrap_or_default();
        lines.push(format!("{tool} {value}: {}", called(&engine, session, tool, input).await));
    }
    engine.close().await;
    Ok(lines)
}

/// Fires one tool call; returns the decision of the host as a line.
async fn called(engine: &Engine, session: Session, tool: &str, input: Map<String, Value>) -> String {
    let call = PreToolUse::new(tool.into(), input, "toolu_1".into());
    let outcome = engine.fire(&Event::new(session, call)).await;
    let because = outcome.reason().unwrap_or_default();
    match outcome.decision() {
        Decision::Proceed => "runs".to_owned(),
        Decision::Block => format!("denied: {because}"),
        Decision::Wait => format!("asks first: {because}"),
    }
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<(), Box<dyn Error>> {
    for line in calls().await? {
        println!("{line}");
    }
    Ok(())
}
