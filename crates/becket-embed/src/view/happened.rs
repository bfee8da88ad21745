//! The events of a session, for programs that observe it (`protocol.md` H13).

use super::hook::{Hook, SkippedHook};
use super::ran::{RunReport, ms};
use becket_engine::{OutputStream, RunEvent, RunEventKind};
use becket_model::Event;
use becket_model::wire::input;
use schemars::JsonSchema;
use serde::Serialize;

/// An event of a session. `firing` counts the firings of a session, from 1.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum SessionEvent {
    /// An event with handlers was fired.
    Fired {
        /// The number of the firing.
        firing: u64,
        /// The event.
        event: &'static str,
        /// The value that matchers are tested against.
        subject: Option<String>,
        /// The tool call, if the event is about one.
        tool_use_id: Option<String>,
    },
    /// A configured hook does not run.
    Skipped {
        /// The number of the firing.
        firing: u64,
        /// The hook, and the reason.
        hook: SkippedHook,
    },
    /// A hook started.
    Started {
        /// The number of the firing.
        firing: u64,
        /// The hook.
        hook: Hook,
    },
    /// A hook printed something; bytes that are not UTF-8 are replaced.
    Output {
        /// The number of the firing.
        firing: u64,
        /// The hook.
        hook: Hook,
        /// `stdout` or `stderr`.
        stream: &'static str,
        /// The text that it printed.
        text: String,
    },
    /// A hook ended.
    Finished {
        /// The number of the firing.
        firing: u64,
        /// The result of the run.
        run: Box<RunReport>,
    },
    /// The event continues without a hook, which runs in the background.
    Backgrounded {
        /// The number of the firing.
        firing: u64,
        /// The run's name in the background.
        background: String,
        /// The hook.
        hook: Hook,
    },
    /// A hook in the background ended; its result can be taken.
    BackgroundFinished {
        /// The number of the firing.
        firing: u64,
        /// The run's name in the background.
        background: String,
        /// The result of the run.
        run: Box<RunReport>,
    },
    /// The verdict is complete.
    Decided {
        /// The number of the firing.
        firing: u64,
        /// The decision, in one word.
        ruling: &'static str,
        /// The duration of the event in milliseconds.
        elapsed_ms: f64,
    },
    /// The program did not keep up, and events were dropped.
    Missed {
        /// The number of dropped events.
        events: u64,
    },
}

impl From<&RunEvent> for SessionEvent {
    fn from(event: &RunEvent) -> Self {
        let firing = event.firing;
        match &event.what {
            RunEventKind::Fired { event } => SessionEvent::Fired {
                firing,
                event: event.kind().name(),
                subject: event.body.subject().map(str::to_owned),
                tool_use_id: tool_use_id(event),
            },
            RunEventKind::Skipped(skipped) => {
                SessionEvent::Skipped { firing, hook: SkippedHook::from(skipped) }
            }
            RunEventKind::Started { handler } => {
                SessionEvent::Started { firing, hook: Hook::from(&**handler) }
            }
            RunEventKind::Output { handler, stream, bytes } => SessionEvent::Output {
                firing,
                hook: Hook::from(&**handler),
                stream: match stream {
                    OutputStream::Stdout => "stdout",
                    OutputStream::Stderr => "stderr",
                },
                text: String::from_utf8_lossy(bytes).into_owned(),
            },
            RunEventKind::Finished { run } => {
                SessionEvent::Finished { firing, run: Box::new(RunReport::new(run)) }
            }
            RunEventKind::Backgrounded { id, handler } => SessionEvent::Backgrounded {
                firing,
                background: id.to_string(),
                hook: Hook::from(&**handler),
            },
            RunEventKind::BackgroundFinished { id, run } => SessionEvent::BackgroundFinished {
                firing,
                background: id.to_string(),
                run: Box::new(RunReport::new(run)),
            },
            RunEventKind::Decided { verdict, elapsed } => {
                SessionEvent::Decided { firing, ruling: verdict.ruling.word(), elapsed_ms: ms(*elapsed) }
            }
        }
    }
}

fn tool_use_id(event: &Event) -> Option<String> {
    event.body.tool_call()?;
    input::to_value(event).get("tool_use_id")?.as_str().map(str::to_owned)
}
