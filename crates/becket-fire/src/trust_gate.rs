//! The hooks of a project behind a hook in the user's own configuration: they run only if the user trusts the folder
//! (G3).
//!
//! Otherwise the hooks of the user and of managed settings run, and the project's deny and ask rules count.

use crate::{FiringError, Launch};
use becket_dialects::{Action, Resolution};
use becket_engine::config::trust::{covering, is_recorded, project_root};
use becket_engine::config::{Diagnostic, NestedFolder};
use becket_engine::{Engine, Settlement, Start};
use becket_model::{Event, EventBody};
use std::collections::HashSet;
use std::path::Path;

/// The session whose hooks run, and the one whose rules count as well.
#[derive(Debug)]
pub struct TrustGate {
    /// The session whose hooks run.
    pub launch: Launch,
    /// The whole session, if the hooks of its project are held back.
    whole: Option<Launch>,
}

impl TrustGate {
    /// Holds the hooks of the project back if `user_scope` is set and the user trusts neither its folder nor one around
    /// it; and those of the folders inside of it that are repositories of their own without trust. `is_trusted` is true
    /// if the agent records trust in the project (G3). Trust in a folder around the project grants its files nothing.
    pub fn of(launch: Launch, user_scope: bool, is_trusted: bool) -> Self {
        if !user_scope {
            return TrustGate { launch, whole: None };
        }
        let request = launch.request();
        let may_grant = is_trusted || is_recorded(&request);
        if !may_grant && covering(&request).is_none() {
            let whole = Some(launch.clone().trusting(false));
            // An outer folder without trust takes no guard away from a trusted one inside of it.
            if let Some(at) = launch.nested.iter().position(|folder| folder.is_trusted) {
                let mut inner = launch;
                let inside = inner.nested.split_off(at + 1);
                inner.project = inner.nested.pop().map(|folder| folder.directory);
                let trusted = Self::of(Launch { nested: inside, ..inner }, user_scope, true);
                return TrustGate { launch: trusted.launch, whole };
            }
            let sources = launch.sources.project(false).local(false);
            return TrustGate { launch: Launch { sources, nested: Vec::new(), ..launch }, whole };
        }
        let launch = if may_grant { launch } else { launch.trusting(false) };
        let nested: Vec<NestedFolder> =
            launch.nested.iter().filter(|folder| is_covered(folder, &launch)).cloned().collect();
        if nested.len() == launch.nested.len() {
            return TrustGate { launch, whole: None };
        }
        let whole = launch.clone();
        TrustGate { launch: Launch { nested, ..launch }, whole: Some(whole) }
    }

    /// Returns the engine of the rules, which runs no hook; `None` if nothing is held back.
    ///
    /// # Errors
    /// Errors if the configuration forbids the start.
    pub fn rules(&self) -> Result<Option<Engine>, FiringError> {
        let Some(whole) = &self.whole else { return Ok(None) };
        let built = whole.builder(true).start(Start::Bare).build();
        built.map(Some).map_err(|error| FiringError::Start { why: error.why })
    }
}

/// Returns true if trust in a folder inside of the project is recorded, or trust in the project covers it: there is no
/// repository between the two.
fn is_covered(folder: &NestedFolder, launch: &Launch) -> bool {
    let request = launch.request();
    let root_of = |start: &Path| {
        let mut request = request.clone();
        request.start = start.to_owned();
        project_root(&request)
    };
    let root = root_of(&folder.directory);
    let is_plain = || !root.join(".git").exists() && folder.directory.starts_with(&request.start);
    folder.is_trusted || root == root_of(&request.start) || is_plain()
}

/// Restricts a resolution by the rules of the whole session, and names the hooks that did not run, and the parts of the
/// configuration that could not be loaded.
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
    let held_back = (held_back > 0).then(|| held_back_line(held_back, event));
    let lines = resolution.message.take().into_iter().chain(not_loaded(engine, rules)).chain(held_back);
    resolution.message = Some(lines.collect::<Vec<_>>().join("\n")).filter(|message| !message.is_empty());
}

/// Returns a line for each of the first parts of the configuration that could not be loaded, if the engine of the hooks
/// has not reported it.
fn not_loaded(engine: &Engine, rules: &Engine) -> Vec<String> {
    const SHOWN: usize = 5;
    let (config, whole) = (engine.config(), rules.config());
    let known: HashSet<_> = config.errors().map(|error| (&error.file, error.line, &error.message)).collect();
    let mut broken =
        whole.errors().filter(|error| !known.contains(&(&error.file, error.line, &error.message)));
    let line = |error: &Diagnostic| {
        format!("not loaded: {}:{}:{}: {}", error.file.display(), error.line, error.column, error.message)
    };
    let mut lines: Vec<String> = broken.by_ref().take(SHOWN).map(line).collect();
    let more = broken.count();
    if more > 0 {
        lines.push(format!("{more} more errors: `becket check` lists them"));
    }
    lines
}

fn held_back_line(count: usize, event: &Event) -> String {
    let (hooks, are) = if count == 1 { ("hook", "was") } else { ("hooks", "were") };
    format!(
        "{count} {hooks} of this project on {} {are} not run: the user does not trust its folder; `becket trust` there changes that",
        event.kind()
    )
}

/// Returns the event with the input that a hook has put in place of the model's.
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
