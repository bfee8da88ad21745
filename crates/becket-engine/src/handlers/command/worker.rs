//! Workers: commands that answer many events, one after another (`worker: true`).
//!
//! A worker reads one line of JSON for each event, the input of every hook with a `requestId` added, and prints one
//! line, its answer with the same `requestId`. It handles one event at a time; concurrent events have separate workers.
//!
//! INVARIANT: a line counts as an answer only if it names the request that it answers. After anything else the worker
//! is ended, and the next event has a new one.

mod process;
mod workers;

pub(crate) use workers::Workers;

use crate::config::handler::{Background, Handler};
use crate::handlers::command::PreparedCommand;
use crate::handlers::command::command_key::CommandKey;
use crate::handlers::context::HandlerContext;
use crate::report::handler_result::{HandlerResult, cannot_start, exit_of};
use becket_model::Failure;
use becket_model::interpret;
use becket_model::table::DecisionModel;
use becket_process::{CapturedOutput, End, FinishedRun};
use bytes::Bytes;
use process::{Ended, Line, WorkerProcess};
use std::time::{Duration, Instant};

/// The member that names a request.
const REQUEST_ID: &str = "requestId";

/// Returns whether an event goes to a worker: not one in the background, one that expects a path, or one with an
/// environment file, since those belong to one process alone.
pub(super) fn takes(context: &HandlerContext<'_>, handler: &Handler) -> bool {
    let spec = context.event.kind().spec();
    handler.worker
        && handler.background == Background::No
        && spec.decision != DecisionModel::Path
        && !spec.env_file
}

/// Asks an idle worker or a new one. If an idle one gives no answer, a new one is asked: the cause may be an earlier
/// event.
pub(super) async fn run(
    context: &HandlerContext<'_>,
    handler: &Handler,
    prepared: PreparedCommand,
) -> HandlerResult {
    let limit = context.limit_of(handler);
    let started = Instant::now();
    let exchange = async {
        let input = prepared.command.stdin.clone();
        let key = CommandKey::new(&context.snapshot.config, handler, &prepared.command);
        // In tests of hooks each run has its own variables.
        let keeps = context.engine.host.interceptor.is_none();
        let workers = &context.engine.workers;
        if let Some(idle) = keeps.then(|| workers.take(&key)).flatten()
            && let Ok(answer) = ask(idle, &input, limit).await
        {
            return Ok((key, answer, keeps));
        }
        let new = WorkerProcess::new(context.engine.runner.clone(), &context.engine.limits, prepared);
        ask(new, &input, limit).await.map(|answer| (key, answer, keeps))
    };
    let (key, answer, keeps) = match context.within(limit, exchange).await {
        Ok(Ok(answered)) => answered,
        Ok(Err(failure)) | Err(failure) => {
            return HandlerResult::without_process(interpret::failed(failure));
        }
    };
    let Answer { worker, stdout, stderr } = answer;
    if keeps {
        context.engine.workers.keep(key, worker);
    }
    super::intercepted(context, handler, Ok(finished(stdout, stderr, started.elapsed())), limit)
}

/// The answer of a worker that can handle the next event.
struct Answer {
    worker: WorkerProcess,
    stdout: Bytes,
    stderr: Bytes,
}

/// Asks a worker, and checks that its line is an answer.
async fn ask(mut worker: WorkerProcess, input: &[u8], limit: Duration) -> Result<Answer, Failure> {
    let (id, request) = worker.request(input);
    match worker.ask(request).await {
        Line::Printed(stdout) => {
            answers(&stdout, id).map_err(|message| Failure::Worker { message })?;
            let stderr = worker.take_stderr();
            Ok(Answer { worker, stdout, stderr })
        }
        Line::TooLong(kept) => Err(Failure::OutputCut { kept }),
        Line::Ended(ended) => Err(of_end(ended, limit)),
    }
}

/// Returns the failure of a worker that has ended without an answer.
fn of_end(ended: Ended, limit: Duration) -> Failure {
    match ended {
        Err(error) => cannot_start(&error),
        Ok(finished) => match exit_of(finished.end, limit) {
            Err(failure) => failure,
            Ok(code) => Failure::Worker {
                message: format!(
                    "it ended with exit code {code} before it answered; a worker prints one line of JSON for each line \
                     that it reads"
                ),
            },
        },
    }
}

/// Checks that a line answers the request.
fn answers(line: &[u8], id: u64) -> Result<(), String> {
    #[derive(serde::Deserialize)]
    struct Named {
        #[serde(rename = "requestId")]
        request_id: Option<u64>,
    }
    let begins = || String::from_utf8_lossy(line).chars().take(80).collect::<String>();
    let named: Named = serde_json::from_slice(line).map_err(|error| {
        format!("it printed `{}`, which is not one JSON object with a `{REQUEST_ID}`: {error}", begins())
    })?;
    match named.request_id {
        Some(named) if named == id => Ok(()),
        Some(named) => Err(format!("it answered request {named}, and was asked request {id}")),
        None => Err(format!("its answer `{}` has no `{REQUEST_ID}`: copy that of the request", begins())),
    }
}

/// Converts an answer to the output of a command that has exited with 0.
fn finished(stdout: Bytes, stderr: Bytes, elapsed: Duration) -> FinishedRun {
    let captured = |bytes: Bytes| CapturedOutput { total: bytes.len() as u64, bytes };
    FinishedRun {
        end: End::Exited(0),
        stdout: captured(stdout),
        stderr: captured(stderr),
        elapsed,
        pipes_held: false,
    }
}
