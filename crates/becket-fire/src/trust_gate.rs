//! The hooks of a project under a hook of the user's own: they run only if the user trusts the folder (G3).
//!
//! Otherwise the hooks of the user and of managed settings run, and the project's deny and ask rules count.

use crate::{FiringError, Launch};
use becket_dialects::{Action, Resolution};
use becket_engine::config::trust::is_recorded;
use becket_engine::{Engine, Settlement, Start};
use becket_model::{Event, EventBody};

/// The session whose hooks run, and the one whose rules count beside it.
#[derive(Debug)]
pub struct TrustGate {
    /// The session whose hooks run.
    pub launch: Launch,
    /// The whole session, if the hooks of its project are held back.
    whole: Option<Launch>,
}

impl TrustGate {
    /// Holds the hooks of the project back if `user_scope` is set and the user does not trust its folder.
    pub fn of(launch: Launch, user_scope: bool) -> Self {
        if !user_scope || is_recorded(&launch.request()) {
            return TrustGate { launch, whole: None };
        }
        let sources = launch.sources.project(false).local(false);
        let whole = launch.clone().trusting(false);
        TrustGate { launch: Launch { sources, nested: Vec::new(), ..launch }, whole: Some(whole) }
    }

    /// The engine of the rules, which runs no hook; `None` if nothing is held back.
    ///
    /// # Errors
    /// Errors if the configuration forbids the start.
    pub fn rules(&self) -> Result<Option<Engine>, FiringError> {
        let Some(whole) = &self.whole else { return Ok(None) };
        let built = whole.builder(true).start(Start::Bare).build();
        built.map(Some).map_err(|error| FiringError::Start { why: error.why })
    }
}

/// Restricts a resolution by the rules of the whole session, and names the hooks that did not run.
pub fn restrict(resolution: &mut Resolution, event: &Event, engine: &Engine, rules: &Engine) {
    let judged = [Some(event.clone()), rewritten(event, resolution)];
    for event in judged.iter().flatten() {
        match (rules.host().rule_restriction(event), &resolution.action) {
            (_, Action::Refuse { .. }) => {}
            (Some(Settlement::Denied { because } | Settlement::Stopped { because }), _) => {
                resolution.action = Action::Refuse { reason: because };
            }
            (Some(Settlement::Asked { because }), Action::Proceed | Action::Allow) => {
                resolution.action = Action::Ask { reason: because };
            }
            (Some(_) | None, _) => {}
        }
    }
    let held_back = rules
        .host()
        .hooks()
        .of(event.kind())
        .len()
        .saturating_sub(engine.host().hooks().of(event.kind()).len());
    if held_back > 0 {
        let line = held_back_line(held_back, event);
        let before = resolution.message.take().map(|message| format!("{message}\n")).unwrap_or_default();
        resolution.message = Some(format!("{before}{line}"));
    }
}

fn held_back_line(count: usize, event: &Event) -> String {
    let (hooks, are) = if count == 1 { ("hook", "was") } else { ("hooks", "were") };
    format!(
        "{count} {hooks} of this project on {} {are} not run: the user does not trust its folder; `becket trust` there changes that",
        event.kind()
    )
}

/// The event with the input that a hook has put in place of the model's.
fn rewritten(event: &Event, resolution: &Resolution) -> Option<Event> {
    let input = resolution.rewrite.clone()?;
    let mut event = event.clone();
    if let EventBody::PreToolUse(call) = &mut event.body {
        call.tool_input = input;
    } else if let EventBody::PermissionRequest(call) = &mut event.body {
        call.tool_input = input;
    } else {
        return None;
    }
    Some(event)
}
