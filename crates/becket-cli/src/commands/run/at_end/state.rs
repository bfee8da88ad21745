//! The state of the session, in a file for the program that started the run in the background (`--state-file`).
//!
//! The file is replaced as a whole, readable only by its owner, before Stop hooks run: they may read it.

use super::AtEnd;
use becket_agent::turn::{ForTurns, How, InBare, MainTurn, TurnEndTask};
use becket_engine::config::{Access, write_text};
use becket_tools::tasks::Tasks;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time limit for it at the end of a turn.
const LIMIT: Duration = Duration::from_secs(5);
/// The number of characters of the answer that it contains.
const ANSWER: usize = 2_000;
/// Its key in the transcript.
const SNAPSHOT: &str = "state";

/// Returns the task.
pub(super) fn task(at_end: AtEnd, file: PathBuf, background: Tasks) -> TurnEndTask {
    let run = move |turn: MainTurn| {
        let (at_end, file, background) = (at_end.clone(), file.clone(), background.clone());
        Box::pin(async move {
            let state = state(&at_end, &turn, &background);
            let text = format!("{state:#}\n");
            turn.overwrite(SNAPSHOT, state);
            let written =
                tokio::task::spawn_blocking(move || write_text(&file, &text, Access::Private)).await;
            written.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
        }) as futures_util::future::BoxFuture<'static, Result<(), String>>
    };
    TurnEndTask {
        name: "state of the session".to_owned(),
        bare: InBare::Skip,
        how: How::Await(LIMIT),
        run: ForTurns::MainOnly(Arc::new(run)),
    }
}

fn state(at_end: &AtEnd, turn: &MainTurn, background: &Tasks) -> Value {
    let session = &turn.at.session;
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    json!({
        "session_id": session.id.to_string(),
        "transcript_path": session.transcript_path,
        "cwd": session.cwd,
        "title": at_end.late.agent().and_then(|agent| agent.info().title),
        "last_answer": turn.at.text.chars().take(ANSWER).collect::<String>(),
        "background_tasks": background.background_tasks(),
        "written_at_ms": u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
    })
}
