//! A background command line, as a task of the session.

use super::leader::{LineCommand, Streams};
use super::line_output::{Keep, LineEnd, LineOutput};
use crate::programs::LineCall;
use crate::surroundings::Surroundings;
use crate::tasks::{About, BackgroundTask, Output, TaskEnd, TaskKind, TaskRun};
use becket_process::Stream;
use futures_util::future::BoxFuture;
use std::time::Duration;

/// The time for the runner to end the rest of a line: more than the graces of H4, less than the registry waits.
const GONE: Duration = Duration::from_secs(8);

/// A line and its directory. Its `cd` does not change the directory of the session.
#[derive(Debug)]
pub(super) struct ShellTask {
    pub(super) host: Surroundings,
    pub(super) call: LineCall,
    pub(super) line: String,
    pub(super) description: String,
}

impl Keep for Output {
    fn keep(&mut self, _: Stream, bytes: &[u8]) {
        self.push(bytes);
    }
}

impl BackgroundTask for ShellTask {
    fn about(&self) -> About {
        About {
            id: None,
            kind: TaskKind::Shell { command: self.line.clone() },
            description: self.description.clone(),
        }
    }

    fn run(self: Box<Self>, run: TaskRun) -> BoxFuture<'static, TaskEnd> {
        Box::pin(async move {
            let mut output = LineOutput::new(run.output);
            let led = LineCommand {
                host: &self.host,
                call: &self.call,
                line: &self.line,
                own: vec!["-c".into(), self.line.as_str().into()],
                streams: Streams::Joined,
                limit: None,
            };
            let finished = match led.run(&run.cancel, &mut output).await {
                Ok(finished) => finished,
                Err(error) => return TaskEnd::Failed { because: error.to_string() },
            };
            // No process of the line runs any more when its end is reported.
            let _ = tokio::time::timeout(GONE, self.host.runner.all_gone()).await;
            match LineEnd::of(finished.code, finished.end, Duration::MAX) {
                LineEnd::Well => TaskEnd::Exited(0),
                LineEnd::Code(code) => TaskEnd::Exited(code),
                LineEnd::Cancelled => TaskEnd::Killed,
                LineEnd::Killed(because) | LineEnd::TooLong(because) => TaskEnd::Failed { because },
            }
        })
    }
}
