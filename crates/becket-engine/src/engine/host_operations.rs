//! The operations for a host that runs whole sessions, in addition to planning and firing.

use crate::config::handler::{Action, Handler};
use crate::config::hookset::HookSet;
use crate::config::nesting::{self, EventMark};
use crate::config::text_shell::{PathStyle, TextShell};
use crate::engine::{Engine, fire};
use crate::handlers::context::{EngineState, has_rules};
use crate::plan::gates::Gates;
use crate::plan::{tool_input, variables};
use crate::report::outcome::Outcome;
use becket_model::{Event, EventKind, SessionId};
use becket_process::CancellationToken;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The operations for a host that runs whole agent sessions: reloads, permission updates, background hooks, questions
/// about a call. Returned by [`Engine::host`].
#[derive(Debug, Clone, Copy)]
pub struct HostOperations<'a> {
    engine: &'a Engine,
}

impl<'a> HostOperations<'a> {
    pub(super) fn new(engine: &'a Engine) -> Self {
        HostOperations { engine }
    }

    /// Returns the engine that these operations act on.
    pub(super) fn engine(self) -> &'a Engine {
        self.engine
    }

    pub(super) fn inner(self) -> &'a EngineState {
        self.engine.inner()
    }
}

/// Questions about an event.
impl HostOperations<'_> {
    /// Returns the mark of an event, which the commands of its handlers carry (H14).
    pub fn mark(self, event: &Event) -> EventMark {
        let event = tool_input::normalize(event, &self.inner().tools, self.inner().environment.home());
        EventMark::of(&self.inner().request.profile.name, &event)
    }

    /// Returns the variables that a command of the event gets in addition to those of the host, for reports; none for
    /// other kinds of handlers.
    pub fn added_variables(self, event: &Event, handler: &Handler) -> Vec<(OsString, OsString)> {
        let Action::Command(command) = &handler.action else { return Vec::new() };
        let snapshot = self.inner().snapshot();
        let shell = TextShell::of(command, &self.inner().environment, &snapshot.places.profile);
        let style = shell.ok().flatten().map_or(PathStyle::Native, |shell| shell.style());
        let mut all = variables::of_handler(&snapshot, event, handler, style);
        let mark = self.inner().enclosing().variable(self.mark(event), &handler.location);
        all.push((nesting::VARIABLE.into(), mark.into()));
        all.retain(|(name, value)| self.inner().environment.var(name) != Some(value));
        all
    }

    /// Runs the handlers of PreToolUse on an input by which a PermissionRequest hook has replaced the one that they
    /// judged (D9). `event` is PreToolUse with that input. Only their denials and asks count, together with deny and
    /// ask rules; a critical removal is asked about (D3). The allow of that hook covers everything that is then neither
    /// denied nor asked about.
    pub async fn review_rewrite(self, event: &Event, cancel: &CancellationToken) -> Outcome {
        let snapshot = self.inner().snapshot();
        fire::second_look(self.inner(), &snapshot, event, cancel).await
    }

    /// Returns whether a handler or a permission rule may affect the event: a host that asks before it fires skips
    /// events that nothing can block. Permission rules concern PreToolUse and PermissionRequest, without any handler.
    pub fn concerns(self, event: EventKind) -> bool {
        self.has_any(event) || self.inner().with_snapshot(|snapshot| has_rules(snapshot, event))
    }

    /// Returns whether any handler is configured for the event (G4).
    pub fn has_any(self, event: EventKind) -> bool {
        self.inner().registered.has_any(event)
            || self.inner().with_snapshot(|snapshot| snapshot.part.hooks().has_any(event))
    }
}

/// The configuration in force.
impl HostOperations<'_> {
    /// Returns the handlers of the configuration in force, without those registered since.
    pub fn hooks(self) -> Arc<HookSet> {
        self.inner().snapshot().part.hooks().clone()
    }

    /// Returns the gates that let handlers run or hold them back by their source alone (G1–G3).
    pub fn gates(self) -> Gates {
        self.inner().snapshot().gates.clone()
    }

    /// Returns how many matchers have been evaluated since the configuration was captured, without cached answers (M9).
    /// For tests.
    pub fn matchers_evaluated(self) -> u64 {
        self.inner().with_snapshot(|snapshot| snapshot.part.judged())
    }

    /// Returns how many times an event's input has been serialized to JSON: once per event at most, and never if only
    /// callbacks match (N2). For tests.
    pub fn inputs_serialized(self) -> u64 {
        self.inner().serialized.load(Ordering::Relaxed)
    }
}

/// The private files of a session.
impl HostOperations<'_> {
    /// Returns the environment files that the session's hooks have filled, in the order in which a shell evaluates them
    /// before each of the host's shell tools: later ones win (H12).
    pub fn env_files(self, session: &SessionId) -> Vec<PathBuf> {
        self.inner().files.env_files(session)
    }

    /// Returns the directory with the texts of hooks that were too long to pass on in full (O8), if there are any.
    pub fn long_texts(self, session: &SessionId) -> Option<PathBuf> {
        self.inner().files.texts(session)
    }

    /// Forgets a session, as `/clear` and the end of a session do: its private files (H12), and the uncollected results
    /// of its background hooks. Running ones are ended without waiting: see [`HostOperations::end_background`].
    pub fn forget_session(self, session: &SessionId) {
        self.inner().background.forget(session);
        self.inner().files.forget(session);
    }
}
