//! A session that a host drives, from its first line to its end.

use super::super::build::assembled;
use super::super::context::RunContext;
use super::super::control::Host;
use super::super::control::Initialize;
use super::super::control::{HostPrompt, Lines, SessionInput};
use super::super::driver::Driver;
use super::super::printer::Printer;
use super::super::session::Session;
use super::super::task_ends::has_ended;
use super::super::team::has_news;
use super::description;
use super::requests::{Message, QueuedPrompt, Requests};
use super::turns::Turns;
use crate::args::RunArgs;
use crate::error::{CliError, CommandResult};
use crate::report::run::{RunResult, SessionEvent};
use crate::services::RunModels;
use crate::session::Session as LaunchedSession;
use becket_engine::CancellationToken;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Runs the session; the exit code depends on the last result, and without `initialize` on all results.
///
/// # Errors
/// Errors if the session can't be opened, or a line can't be read.
pub(crate) async fn drive(
    at: RunContext<'_>,
    models: Arc<RunModels>,
    mut lines: Lines,
    printer: &Printer,
) -> CommandResult {
    let described = described(at, &mut lines).await?;
    let host = lines.host.clone();
    let at = RunContext { host: Some(&host), ..at };
    let at = match &described {
        Some(DescribedRun { wants, args, session }) => RunContext { args, session, wants: Some(wants), ..at },
        None => at,
    };
    if at.wants.is_some_and(Initialize::wants_subagents) {
        printer.show(SessionEvent::SubagentsWanted);
    }
    let session = match assembled(at, models, printer).await {
        Ok(session) => session,
        Err(error) => {
            match (&error, at.wants) {
                // SDKs report the error of a result together with the exit code; the request remains open.
                (CliError::Session { why }, Some(_)) => {
                    printer.show(SessionEvent::Ended(Box::new(not_opened(at, why))))
                }
                (_, Some(wants)) => host.refuse(&wants.id, &error.to_string()),
                (_, None) => {}
            }
            return Err(error);
        }
    };
    if let Some(wants) = at.wants {
        host.grant(&wants.id, initialized(&session, wants));
    }
    let done = worked(at, &session, lines, printer).await;
    session.remembers(at).await;
    session.close().await;
    done
}

/// A run as its host has described it.
struct DescribedRun {
    wants: Initialize,
    args: RunArgs,
    session: LaunchedSession,
}

/// Returns the result of a session that could not be opened.
fn not_opened(at: RunContext<'_>, why: &str) -> RunResult {
    let session = at.args.session.resume.clone().unwrap_or_default();
    let uuid = uuid::Uuid::new_v4().to_string();
    RunResult::of_command(Err(why.to_owned()), Duration::ZERO, session, uuid)
}

/// Returns the host's description of the session in its first line, with the resulting arguments; `None` if that line
/// is something else.
///
/// # Errors
/// Errors if the description can't be satisfied; the host has received the error.
async fn described(at: RunContext<'_>, lines: &mut Lines) -> Result<Option<DescribedRun>, CliError> {
    let first = tokio::select! {
        first = lines.next() => first,
        () = at.cancel.cancelled() => None,
    };
    let request = match first {
        Some(Ok(SessionInput::Request(request, _))) if request.subtype == "initialize" => request,
        // Without it, the session would start without what the arguments announce.
        _ if !at.args.sdk.initialize_fields.is_empty() => {
            let why = "`--initialize-fields` needs `initialize` as the first line".to_owned();
            return Err(CliError::Initialize { why });
        }
        other => {
            lines.put_back(other);
            return Ok(None);
        }
    };
    lines.open.remove(&request.id);
    let read = Initialize::read(&request).and_then(|wants| {
        let args = wants.over(at.args).map_err(|error| error.to_string())?;
        let session = wants.session(at.session, &args).map_err(|error| error.to_string())?;
        Ok(DescribedRun { wants, args, session })
    });
    read.map(Some).map_err(|why| {
        lines.host.refuse(&request.id, &why);
        CliError::Initialize { why }
    })
}

/// Reads the host's lines and works on its messages concurrently.
async fn worked(at: RunContext<'_>, session: &Session, mut lines: Lines, printer: &Printer) -> CommandResult {
    let turns = Turns::default();
    let host = lines.host.clone();
    let requests = Requests { host: host.clone(), at, session, turns: &turns, cancel: at.cancel };
    let (to, messages) = mpsc::unbounded_channel();
    let work = Driver::new(at, session, printer);
    let work = async {
        let ((), done) = tokio::join!(requests.read_all(&mut lines, to), all(work, messages, &turns));
        done
    };
    tokio::select! {
        done = work => done,
        () = notify(session, &host) => Ok(0),
    }
}

/// Fires Notification for questions that wait for the host; never ends.
async fn notify(session: &Session, host: &Host) {
    if let Some(mut notices) = host.notices() {
        while let Some(notice) = notices.recv().await {
            session.agent.notify(notice.kind, &notice.message);
        }
    }
    std::future::pending().await
}

/// Returns true if a turn follows without another message: a background agent is working, or a task has ended.
fn owes_turn(session: &Session, hears_tasks: bool) -> bool {
    session.has_running_agent() || hears_tasks && session.tools.tasks().has_wake()
}

/// Waits until a background agent ends; never resolves if there is none.
async fn agent_ends(session: &Session) {
    match session.running_agent() {
        Some(agent) => drop(session.tools.tasks().wait(agent.id.as_str()).await),
        None => std::future::pending().await,
    }
}

/// Works on a message, or only adds it to the conversation if it starts no turn.
async fn take(work: &mut Driver<'_>, message: HostPrompt, turn: &CancellationToken) {
    if message.queries {
        work.set_metadata(message.sent);
        work.prompt(message.prompt, turn).await;
    } else {
        work.append(message.prompt, turn).await;
    }
}

/// Works on the messages in their order, until the end of the input.
async fn all(
    mut work: Driver<'_>,
    mut messages: mpsc::UnboundedReceiver<Message>,
    turns: &Turns,
) -> CommandResult {
    let at = work.at;
    if let Some(prompt) = work.session.agent.initial_prompt().await {
        let turn = turns.first(at.cancel);
        work.hooks_prompt(prompt, &turn).await;
        turns.remove_first();
    }
    let wakes = work.session.agent.engine().host().wakes();
    // False after an incomplete turn about the team, whose remaining messages wait for a prompt.
    let mut hears_team = true;
    let mut hears_tasks = true;
    loop {
        if let Some(host) = at.host.filter(|_| messages.is_empty() && !owes_turn(work.session, hears_tasks)) {
            host.states().rests();
        }
        let next = tokio::select! {
            biased;
            () = at.cancel.cancelled() => None,
            next = messages.recv() => next,
            // A driven session is idle between its prompts: a background hook wakes it (A4).
            Some(wake) = wakes.next() => {
                let turn = turns.first(at.cancel);
                work.run_rewake_turn(wake.reminder, &turn).await;
                turns.remove_first();
                continue;
            }
            () = has_ended(work.session, hears_tasks) => {
                let turn = turns.first(at.cancel);
                hears_tasks = work.task_turn(&turn).await;
                turns.remove_first();
                continue;
            }
            // The agent may have ended without requiring a turn.
            () = agent_ends(work.session) => continue,
            () = has_news(work.session, hears_team) => {
                let turn = turns.first(at.cancel);
                hears_team = work.team_turn(&turn).await;
                turns.remove_first();
                continue;
            }
        };
        let Some(message) = next else { break };
        let QueuedPrompt { message, turn } = message?;
        if !turn.is_withdrawn() {
            take(&mut work, message, turn.cancel()).await;
            (hears_team, hears_tasks) = (true, true);
        }
        turns.remove_first();
    }
    if hears_tasks {
        work.with_tasks().await?;
    }
    if hears_team {
        work.with_team().await;
    }
    // A host that has sent nothing may not want anything.
    if at.wants.is_none() || work.session.agent.has_deferred().await {
        work.resumed().await?;
    }
    Ok(work.code())
}

/// Returns the answer to `initialize`.
fn initialized(session: &Session, wants: &Initialize) -> Value {
    let model = session.agent.info().model;
    let mut response = json!({
        "commands": description::commands(session),
        "agents": description::agents(session),
        "output_style": session.styles.name(),
        "available_output_styles": session.styles.names(),
        "models": [{"value": model, "displayName": model, "description": "the model of this session"}],
        "account": {"apiKeySource": session.models.key_source()},
        "hook_on_failure_supported": true,
        "becket_version": env!("CARGO_PKG_VERSION"),
    });
    if wants.has_hooks() {
        response["hooks_applied"] = json!(true);
    }
    if wants.delivers_plugins() {
        response["plugins_applied"] = json!(true);
    }
    response
}
