//! EnterWorktree and ExitWorktree: move the session's own agent loop into a worktree, and back.
//!
//! - The session works in the worktree until it leaves it, or ends. CwdChanged is fired after either call.
//! - A worktree that contains work is not removed: the call fails with the reason. Work that the user gives up is
//!   removed by a second call with `discard_changes`, which needs a permission.
//! - Rules, hooks and settings stay those of the directory in which the session started (`protocol.md` C8).

use crate::agents::{Parent, ParentCell};
use crate::worktree::{Tree, WorktreeError, WorktreeEventParams, WorktreeName, WorktreeOutcome, Worktrees};
use becket_engine::{Effect, Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_tools::schema::{Field, Kind, Spec, optional, required};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

const NAME: Field =
    optional("name", Kind::Text, "What the worktree and its branch are called; made up if left out");
const ACTION: Field = required(
    "action",
    Kind::Choice(&["keep", "remove"]),
    "`keep` leaves the worktree and its branch as they are, `remove` removes both",
);
const DISCARD: Field = optional(
    "discard_changes",
    Kind::Flag,
    "Removes the worktree although it holds changes or commits: only if the user wants that",
);

static ENTER: Spec = Spec {
    name: "EnterWorktree",
    description: "Makes a git worktree on a branch of its own, and works in it from now on, until ExitWorktree or the end of \
        the session. Only if the user asks for a worktree. A worktree of that name is taken up where it was left.",
    fields: &[NAME],
};
static EXIT: Spec = Spec {
    name: "ExitWorktree",
    description: "Leaves the worktree that this session has entered, and goes back to the directory that it was in before. \
        Only if the user asks for it. With `remove`, a worktree that holds changes or commits stays, and the answer says what \
        it holds.",
    fields: &[ACTION, DISCARD],
};

/// The tools by which an open session enters and leaves worktrees ([`crate::AgentBuilder::worktree_tools`]). Subagents
/// do not get them. Cheap to clone; all clones belong to one session.
#[derive(Clone, Default)]
pub struct WorktreeTools {
    session: ParentCell,
}

impl WorktreeTools {
    /// Creates tools that do not belong to a session yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns both tools, for the toolbox of the session's own agent loop.
    #[must_use]
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let of = |action: Action| {
            Arc::new(WorktreeTool { session: self.session.clone(), action }) as Arc<dyn Tool>
        };
        vec![of(Action::Enter), of(Action::Exit)]
    }

    pub(crate) fn belongs_to(&self, get_parent: impl Fn() -> Option<Parent> + Send + Sync + 'static) {
        self.session.set(get_parent);
    }
}

impl fmt::Debug for WorktreeTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorktreeTools").finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Enter,
    Exit,
}

struct WorktreeTool {
    session: ParentCell,
    action: Action,
}

impl WorktreeTool {
    fn spec(&self) -> &'static Spec {
        match self.action {
            Action::Enter => &ENTER,
            Action::Exit => &EXIT,
        }
    }

    async fn answer(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        if running.session.agent.as_ref().is_some_and(|agent| agent.id.is_some()) {
            return Err(ToolFailure::new(
                "a subagent enters and leaves no worktree: it stays in its own directory",
            ));
        }
        let session = self.session.get().ok_or_else(|| ToolFailure::new("no session is open"))?;
        let not_lent = || ToolFailure::new(WorktreeError::NotLent.to_string());
        let worktrees = session.worktrees.clone().ok_or_else(not_lent)?;
        let open = OpenSession { session: &session, worktrees: &worktrees };
        match self.action {
            Action::Enter => open.enter(running).await,
            Action::Exit => open.exit(running).await,
        }
    }
}

/// The session of a call.
struct OpenSession<'a> {
    session: &'a Parent,
    worktrees: &'a Worktrees,
}

impl OpenSession<'_> {
    fn params(&self) -> WorktreeEventParams<'_> {
        WorktreeEventParams {
            shared: &self.session.shared,
            facts: &self.session.facts,
            updates: &self.session.shared.updates,
        }
    }

    async fn enter(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        if let Some(path) = self.session.facts.worktree() {
            return Err(ToolFailure::new(format!(
                "the session works in the worktree `{}` already: leave it with ExitWorktree first",
                path.display()
            )));
        }
        let name = name(running.input).map_err(ToolFailure::new)?;
        let tree = self.worktrees.enter(self.params(), &name, running.cancel).await;
        let tree = tree.map_err(|error| ToolFailure::new(error.to_string()))?;
        self.session.facts.enter(tree.path.clone());
        let text = format!(
            "The session works in the worktree {} now. ExitWorktree leads back.",
            described(&tree.path, tree.branch())
        );
        Ok(output(text, &tree, "enter", self.session.facts.cwd().as_path()))
    }

    async fn exit(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let path = self.session.facts.worktree();
        let tree = path
            .and_then(|path| self.worktrees.at(&path))
            .ok_or_else(|| ToolFailure::new("this session has entered no worktree: nothing was changed"))?;
        let flag = |name: &str| running.input.get(name) == Some(&Value::Bool(true));
        if running.input.get("action").and_then(Value::as_str) == Some("keep") {
            self.session.facts.leave();
            self.worktrees.keep(&tree);
            return Ok(self.exit_output(&tree, "keep", "It is kept as it is"));
        }
        if self.session.shared.tasks.as_ref().is_some_and(|tasks| tasks.running() > 0) {
            return Err(ToolFailure::new(
                "a background task runs, maybe in the worktree, which is not removed below it: stop it with TaskStop first",
            ));
        }
        let discards = flag("discard_changes");
        if let Some(because) = self.worktrees.kept_because(&tree, discards).await {
            return Err(ToolFailure::new(format!(
                "the worktree {} is not removed, and the session still works in it: {because}. Ask the user: with the action \
                 `keep` it stays, with `discard_changes` that is lost",
                described(&tree.path, tree.branch())
            )));
        }
        // Hooks of WorktreeRemove run in a directory that is kept.
        self.session.facts.leave();
        let outcome = match discards {
            true => self.worktrees.discard(self.params(), &tree).await,
            false => self.worktrees.leave(self.params(), &tree).await,
        };
        match outcome {
            WorktreeOutcome::Removed => {
                Ok(self.exit_output(&tree, "remove", "It is removed, with its branch"))
            }
            kept @ WorktreeOutcome::Kept { .. } => {
                Ok(self.exit_output(&tree, "keep", &kept.message().unwrap_or_default()))
            }
        }
    }

    fn exit_output(&self, tree: &Tree, action: &str, what: &str) -> ToolOutput {
        let cwd = self.session.facts.cwd();
        let text = format!(
            "The session has left the worktree {} and works in `{}` again. {what}.",
            described(&tree.path, tree.branch()),
            cwd.display()
        );
        output(text, tree, action, &cwd)
    }
}

fn name(input: &Map<String, Value>) -> Result<WorktreeName, String> {
    match input.get("name").and_then(Value::as_str) {
        Some(name) => WorktreeName::new(name).map_err(|error| error.to_string()),
        None => Ok(WorktreeName::random()),
    }
}

fn described(path: &Path, branch: Option<&str>) -> String {
    match branch {
        Some(branch) => format!("`{}` (branch `{branch}`)", path.display()),
        None => format!("`{}`", path.display()),
    }
}

fn output(text: String, tree: &Tree, action: &str, cwd: &Path) -> ToolOutput {
    let response = json!({
        "action": action,
        "worktreePath": tree.path,
        "worktreeBranch": tree.branch(),
        "cwd": cwd,
        "message": text,
    });
    ToolOutput::text(text, response)
}

impl Tool for WorktreeTool {
    fn name(&self) -> &str {
        WorktreeTool::spec(self).name
    }

    fn spec(&self) -> ToolSpec {
        WorktreeTool::spec(self).for_model()
    }

    fn hints(&self) -> Hints {
        Hints {
            read_only: false,
            destructive: self.action == Action::Exit,
            open_world: false,
            together: false,
        }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        WorktreeTool::spec(self).validate(input)?;
        name(input).map(drop)
    }

    /// Leaving a worktree changes nothing except the work that `discard_changes` gives up.
    fn effect(&self, _: &Session, input: &Map<String, Value>) -> Effect {
        let discards = input.get("discard_changes").is_some_and(|discards| *discards != Value::Bool(false));
        match self.action {
            Action::Exit if !discards => Effect::Reads,
            Action::Enter | Action::Exit => Effect::Acts,
        }
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = value.get("message").and_then(Value::as_str);
        let text =
            text.ok_or_else(|| format!("it does not have the shape of the output of `{}`", self.name()))?;
        Ok(ToolOutput::text(text, value.clone()))
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.answer(running))
    }
}
