//! THE table of the tools that a session's own model has here. Bash, agents, skills and MCP tools come from elsewhere.

use super::ask_user::{AskQuestions, AskUserQuestion};
use super::edit::Edit;
use super::exit_plan::{ExitPlanMode, LeavePlan};
use super::glob::Glob;
use super::grep::Grep;
use super::in_session::{Does, InSession};
use super::ledger::Ledger;
use super::read::Read;
use super::tool::Tool as Deed;
use super::web_fetch::{Web, WebFetch};
use super::write::Write;
use crate::surroundings::Surroundings;
use crate::tool_call::Tool;
use std::fmt;
use std::sync::Arc;

/// Tools on files, in the order in which the model sees them.
const ON_FILES: [(&dyn Deed, Does); 5] = [
    (&Read, Does::Reads),
    (&Edit, Does::Edits),
    (&Write, Does::Edits),
    (&Glob, Does::Reads),
    (&Grep, Does::Reads),
];

/// A host's services for the tools of its sessions, which decide the tools that exist.
#[derive(Clone)]
pub struct SessionTools {
    host: Arc<Surroundings>,
    person: Option<Arc<dyn AskQuestions>>,
    plan: Option<LeavePlan>,
    web: Option<Web>,
}

impl SessionTools {
    /// Read, Edit, Write, Glob, Grep and AskUserQuestion, which only hooks answer.
    #[must_use]
    pub fn new(surroundings: Surroundings) -> Self {
        Self { host: Arc::new(surroundings), person: None, plan: None, web: None }
    }

    /// Sets the person for AskUserQuestion. One who already answers the prompts about calls
    /// ([`crate::tool_call::PermissionAnswer::Answered`]) is asked here only if a rule lets the call pass without a
    /// prompt.
    #[must_use]
    pub fn with_person(mut self, person: impl AskQuestions + 'static) -> Self {
        self.person = Some(Arc::new(person));
        self
    }

    /// Adds WebFetch.
    #[must_use]
    pub fn with_web(mut self, web: Web) -> Self {
        self.web = Some(web);
        self
    }

    /// Adds ExitPlanMode.
    #[must_use]
    pub fn with_plan_mode(mut self, plan: LeavePlan) -> Self {
        self.plan = Some(plan);
        self
    }
}

impl fmt::Debug for SessionTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionTools")
            .field("host", &self.host)
            .field("has_person", &self.person.is_some())
            .field("plan", &self.plan)
            .field("web", &self.web)
            .finish_non_exhaustive()
    }
}

/// The tools of sessions, for a [`crate::tool_call::Toolbox`]. They remember together what each session, and each subagent of
/// it, has read: Edit and Write change no file that has not been.
#[must_use]
pub fn session_tools(lent: SessionTools) -> Vec<Arc<dyn Tool>> {
    let SessionTools { host, person, plan, web } = lent;
    let ledger = Arc::new(Ledger::default());
    let on_files = ON_FILES.into_iter().map(|(deed, does)| {
        let (host, ledger) = (Arc::clone(&host), Arc::clone(&ledger));
        Arc::new(InSession { deed, does, host, ledger }) as Arc<dyn Tool>
    });
    let ask: Arc<dyn Tool> = Arc::new(AskUserQuestion { person });
    let plan = plan.map(|plan| Arc::new(ExitPlanMode { plan }) as Arc<dyn Tool>);
    let web = web.map(|web| Arc::new(WebFetch { web }) as Arc<dyn Tool>);
    on_files.chain(web).chain([ask]).chain(plan).collect()
}
