//! Facts for planning apart from the event: base directories of paths, the user, targets of links.
//!
//! All of them are gathered before planning, so that planning itself accesses no file.

use becket_model::{Event, EventBody};
use becket_rules::{Applies, Call, Condition, Links, Renames, Scope, tools};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::host::environment::Environment;
use crate::host::real_path::real_path;
use crate::plan::tool_input::absolute;

/// The facts for one event.
pub(crate) struct Facts<'a> {
    call: Option<Call<'a>>,
    /// The same call under the other names of its tool (X5).
    under_other_names: Vec<Call<'a>>,
    agent_id: Option<&'a str>,
    cwd: &'a Path,
    environment: &'a Environment,
    links: HashMap<PathBuf, PathBuf>,
    is_about_a_program: bool,
}

impl<'a> Facts<'a> {
    /// Gathers them; the only file system access resolves the path of the tool call (P8).
    pub(crate) fn gather(event: &'a Event, environment: &'a Environment, renames: &'a Renames) -> Self {
        let (cwd, home) = (&event.session.cwd, environment.home());
        let call = event.body.tool_call();
        Facts {
            call: call.map(|(tool, input)| Call::new(tool, input).renamed(renames)),
            under_other_names: match call {
                Some((_, input)) => {
                    let names = event.other_names.iter();
                    names.map(|name| Call::new(name, input).renamed(renames)).collect()
                }
                None => Vec::new(),
            },
            agent_id: agent_id(event),
            cwd,
            environment,
            links: call.map(|(tool, input)| links(tool, input, cwd, home)).unwrap_or_default(),
            is_about_a_program: matches!(&event.body, EventBody::PreToolUse(call) if call.executed.is_some()),
        }
    }

    /// Returns whether the event is about a program that a call executes, and not about the whole call (E4).
    pub(crate) fn is_about_a_program(&self) -> bool {
        self.is_about_a_program
    }

    /// Returns the subagent that the event comes from or is about.
    pub(crate) fn agent_id(&self) -> Option<&str> {
        self.agent_id
    }

    /// Evaluates a handler's `if` on the tool call: under another name of its tool only if it does not match under the
    /// tool's own.
    pub(crate) fn judge(&self, condition: &Condition, anchor: &Path) -> Applies {
        let Some(call) = &self.call else {
            // An `if` on other events is `If::NeverRuns` from the start; if not, it would run to be safe.
            return Applies::Unknown { why: "the event has no tool call".into() };
        };
        let scope = self.scope(anchor, &self.links);
        match condition.applies(call, &scope) {
            applies @ (Applies::Match { .. } | Applies::Unknown { .. }) => applies,
            own @ Applies::NoMatch { .. } => {
                let mut others = self.under_other_names.iter().map(|call| condition.applies(call, &scope));
                others.find(|applies| !matches!(applies, Applies::NoMatch { .. })).unwrap_or(own)
            }
        }
    }

    pub(crate) fn cwd(&self) -> &'a Path {
        self.cwd
    }

    /// Returns the value of a variable of the host's environment, in which calls run.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        self.environment.var(name).map(|value| value.to_string_lossy().into_owned())
    }

    pub(crate) fn call(&self) -> Option<&Call<'a>> {
        self.call.as_ref()
    }

    /// Returns the same call under the other names of its tool (X5).
    pub(crate) fn under_other_names(&self) -> &[Call<'a>] {
        &self.under_other_names
    }

    /// Returns the same facts about the call with its input as written, before defaults were filled in (P10).
    pub(crate) fn written(self, literal: &'a Map<String, Value>) -> Self {
        let others = self.under_other_names.into_iter();
        Facts {
            call: self.call.map(|call| call.written(literal)),
            under_other_names: others.map(|call| call.written(literal)).collect(),
            ..self
        }
    }

    pub(crate) fn scope<'s>(&'s self, anchor: &'s Path, links: &'s dyn Links) -> Scope<'s> {
        Scope { cwd: self.cwd, home: self.environment.home(), anchor, links }
    }
}

fn agent_id(event: &Event) -> Option<&str> {
    use becket_model::EventBody::{SubagentStart, SubagentStop};
    if let SubagentStart(body) = &event.body {
        return Some(&body.agent_id);
    }
    if let SubagentStop(body) = &event.body {
        return Some(&body.agent_id);
    }
    event.session.agent.as_ref().and_then(|agent| agent.id.as_ref()).map(|id| id.as_str())
}

/// Returns the target of a file tool's path, if it is a link or goes through one.
fn links(
    tool: &str,
    input: &Map<String, Value>,
    cwd: &Path,
    home: Option<&Path>,
) -> HashMap<PathBuf, PathBuf> {
    let written = tools::path_field(tool).and_then(|field| input.get(field)).and_then(|value| value.as_str());
    let Some(written) = written else { return HashMap::new() };
    let path = absolute(written, cwd, home);
    let real = real_path(&path);
    real.filter(|real| *real != path).map(|real| HashMap::from([(path, real)])).unwrap_or_default()
}

/// Links as they are on disk, for settling a call, which may access files.
pub(crate) struct LinksOnDisk;

impl Links for LinksOnDisk {
    fn target(&self, path: &Path) -> Option<PathBuf> {
        real_path(path).filter(|real| real != path)
    }
}
