//! Compiles a [`Callback`] into a [`Handler`].

use crate::config::handler::{Action, Background, Handler, If, Location, Once, Timeout, Warm};
use crate::config::{HandlerOrder, ReadContext, Rollout, position};
use crate::host::callback::Callback;
use crate::host::profile::Profile;
use becket_model::table::HandlerKind;
use becket_model::{Enforcement, EventKind, HandlerOrigin, OnFailure, Privileges, Source};
use becket_rules::{Condition, Matcher, Renames};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The time limit of a function that names none (H9).
const FUNCTION: Duration = Duration::from_secs(5);

/// The error for a callback that can't be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCallback {
    /// The matcher is not valid.
    #[error("the matcher of the callback `{label}` on `{event}` can't be read: {why}")]
    Matcher {
        /// The callback.
        label: Arc<str>,
        /// Its event.
        event: EventKind,
        /// The problem with it.
        why: String,
    },
    /// The `if` is not a permission rule.
    #[error("the `if` of the callback `{label}` on `{event}` can't be read: {why}")]
    Condition {
        /// The callback.
        label: Arc<str>,
        /// Its event.
        event: EventKind,
        /// The problem with it.
        why: String,
    },
    /// The time limit is zero, so the callback could never answer.
    #[error(
        "the callback `{label}` on `{event}` has a time limit of zero: give it some time, or none for the default"
    )]
    NoTime {
        /// The callback.
        label: Arc<str>,
        /// Its event.
        event: EventKind,
    },
}

/// The context in which a callback is compiled.
pub(crate) struct Surroundings<'a> {
    pub(crate) profile: &'a Profile,
    /// The host's renamed tools (M5).
    pub(crate) tools: &'a Renames,
    pub(crate) project_dir: &'a Path,
}

impl Callback {
    /// Compiles the handler that it describes; its running number is assigned on registration.
    ///
    /// # Errors
    /// Errors if its matcher or `if` can't be read, or if its time limit is zero.
    pub(crate) fn compile(self, around: &Surroundings<'_>) -> Result<Handler, InvalidCallback> {
        let timeout = self.limit(around.profile)?;
        let matcher = self.compiled_matcher(around)?;
        let condition = self.compiled_condition()?;
        let source = if self.is_function { Source::Function } else { Source::Callback };
        let seat = HandlerOrder { source: &source, nth: 0, order: self.order, sequence: 0 };
        Ok(Handler {
            event: self.event,
            place: HandlerOrigin {
                position: position(around.profile, seat),
                label: self.label,
                privileges: Privileges::Full,
                on_failure: self.on_failure.unwrap_or(OnFailure::of_callback(self.event.spec())),
                enforcement: Enforcement::Enforce,
                source,
            },
            location: Location { file: Arc::from(Path::new("<host>")), line: 0, column: 0 },
            matcher,
            condition,
            anchor: PathBuf::from(around.project_dir),
            timeout,
            status_message: self.status_message,
            once: self.once.then(Once::default),
            background: Background::No,
            rollout: Rollout::default(),
            questions: false,
            worker: false,
            warm: Warm::Off,
            agent_scope: None,
            root: None,
            action: Action::Callback(self.in_process),
        })
    }

    fn limit(&self, profile: &Profile) -> Result<Timeout, InvalidCallback> {
        if let Some(limit) = self.timeout {
            if limit.is_zero() {
                return Err(InvalidCallback::NoTime { label: self.label.clone(), event: self.event });
            }
            return Ok(Timeout { limit, configured: true });
        }
        let of_the_table = || self.event.spec().default_timeout(HandlerKind::Command).unwrap_or(FUNCTION);
        let of_the_kind = || if self.is_function { FUNCTION } else { of_the_table() };
        Ok(Timeout { limit: profile.default_timeout.unwrap_or_else(of_the_kind), configured: false })
    }

    fn compiled_matcher(&self, around: &Surroundings<'_>) -> Result<Matcher, InvalidCallback> {
        let words = ReadContext::new(around.profile.clone(), around.tools.clone());
        words.matcher(self.event, self.matcher.as_deref()).map_err(|error| InvalidCallback::Matcher {
            label: self.label.clone(),
            event: self.event,
            why: error.to_string(),
        })
    }

    fn compiled_condition(&self) -> Result<If, InvalidCallback> {
        let Some(text) = &self.condition else { return Ok(If::Absent) };
        let invalid = |why| InvalidCallback::Condition { label: self.label.clone(), event: self.event, why };
        match Condition::parse(text).map_err(|error| invalid(error.to_string()))? {
            Some(_) if !self.event.spec().condition => Err(invalid(
                "it is evaluated on tool events only, so the callback would never run".to_owned(),
            )),
            Some(condition) => Ok(If::Rule(condition)),
            None => Ok(If::Absent),
        }
    }
}
