//! The state of the session, in a file for the program that started the run in the background (`--state-file`).
//!
//! The file is replaced atomically, readable only by its owner, before Stop hooks run, which may read it.

use super::session::EndTasks;
use crate::turn::{MainTurn, TaskWait, TurnEndTask};
use becket_base::private_file;
use becket_tools::tasks::Tasks;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time limit for writing it at the end of a turn.
const LIMIT: Duration = Duration::from_secs(5);
/// The maximum number of characters of the answer in the file.
const ANSWER: usize = 2_000;
/// The key of the snapshot in the transcript.
const SNAPSHOT: &str = "state";

impl EndTasks {
    /// Returns the task that writes the state of the session, with its background tasks, to `file`.
    #[must_use]
    pub fn state_file(&self, file: PathBuf, background: Tasks) -> TurnEndTask {
        let tasks = self.clone();
        TurnEndTask::of_main("state of the session", TaskWait::Await(LIMIT), move |turn| {
            let state = state(&tasks, &turn, &background);
            let (file, text) = (file.clone(), format!("{state:#}\n"));
            turn.overwrite(SNAPSHOT, state);
            async move {
                let write = move || {
                    private_file::create_parent(&file)?;
                    private_file::replace(&file, text.as_bytes())
                };
                let written = tokio::task::spawn_blocking(write).await;
                written.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
            }
        })
    }
}

fn state(tasks: &EndTasks, turn: &MainTurn, background: &Tasks) -> Value {
    let session = &turn.at.session;
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    json!({
        "session_id": session.id.to_string(),
        "transcript_path": session.transcript_path,
        "cwd": session.cwd,
        "title": tasks.agent().and_then(|agent| agent.info().title),
        "last_answer": turn.at.text.chars().take(ANSWER).collect::<String>(),
        "background_tasks": background.background_tasks(),
        "written_at_ms": u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
    })
}
