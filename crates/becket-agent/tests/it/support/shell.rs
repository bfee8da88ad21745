//! A session with a shell: its directory, and its results.

use crate::support::{Tree, object};
use becket_engine::{CancellationToken, Effect, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_model::Session;
use becket_testkit::proc::Marker;
use becket_tools::Surroundings;
use becket_tools::shell::{Bash, Whereabouts};
use becket_tools::tasks::Tasks;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A timeout that is long enough for any loaded machine.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// The directory of a session, and all its changes.
pub(crate) struct At {
    root: PathBuf,
    more: PathBuf,
    pub(crate) cwd: Mutex<PathBuf>,
    pub(crate) moves: Mutex<Vec<(PathBuf, PathBuf)>>,
}

impl Whereabouts for At {
    fn root(&self) -> PathBuf {
        self.root.clone()
    }

    fn directories(&self) -> Vec<PathBuf> {
        vec![self.more.clone()]
    }

    fn moved(&self, from: &Path, to: &Path) {
        self.moves.lock().unwrap().push((from.to_owned(), to.to_owned()));
        to.clone_into(&mut self.cwd.lock().unwrap());
    }
}

/// A session in `work` of a tree, with its shell and its tasks.
pub(crate) struct Shell {
    pub(crate) tree: Tree,
    pub(crate) at: Arc<At>,
    pub(crate) tasks: Tasks,
    pub(crate) bash: Bash,
    pub(crate) marker: Marker,
    pub(crate) runner: becket_process::Runner,
}

impl Shell {
    pub(crate) fn new() -> Self {
        Self::of(Tree::new(), |host| host)
    }

    /// Builds a shell in surroundings that `host` may change; they already contain a runner and a marker variable.
    pub(crate) fn of(tree: Tree, host: impl FnOnce(Surroundings) -> Surroundings) -> Self {
        let (marker, runner) = (Marker::new(), becket_process::Runner::new());
        let (name, value) = marker.env();
        let surroundings = Surroundings::new(tree.environment().with_var(name, value));
        let host = host(surroundings).with_runner(runner.clone());
        let (root, more) = (tree.work(), tree.base.join("more"));
        let (cwd, moves) = (Mutex::new(root.clone()), Mutex::default());
        let at = Arc::new(At { root, more, cwd, moves });
        let tasks = Tasks::new(tree.base.join("private/tasks"));
        let bash = Bash::new(host, tasks.clone(), Arc::<At>::clone(&at));
        Self { tree, at, tasks, bash, marker, runner }
    }

    pub(crate) fn cwd(&self) -> PathBuf {
        self.at.cwd.lock().unwrap().clone()
    }

    /// Returns the session's directory, relative to the tree.
    pub(crate) fn place(&self) -> String {
        self.cwd().strip_prefix(&self.tree.base).unwrap().display().to_string()
    }

    pub(crate) fn session(&self) -> Session {
        Session::new("s", "/t.jsonl", self.cwd())
    }

    pub(crate) async fn call(&self, input: Value) -> Result<ToolOutput, ToolFailure> {
        self.call_until(input, &CancellationToken::new()).await
    }

    pub(crate) async fn call_until(
        &self,
        input: Value,
        cancel: &CancellationToken,
    ) -> Result<ToolOutput, ToolFailure> {
        run(&self.bash, &self.session(), input, cancel).await
    }

    /// Returns the model's result.
    pub(crate) async fn line(&self, command: &str) -> String {
        said(self.call(json!({"command": command})).await)
    }

    /// Starts a line in the background; returns its id.
    pub(crate) async fn start(&self, command: &str) -> String {
        let output = self.call(json!({"command": command, "run_in_background": true})).await.unwrap();
        output.response["backgroundTaskId"].as_str().unwrap().to_owned()
    }

    pub(crate) fn effect(&self, command: &str) -> Effect {
        self.bash.effect(&self.session(), &object(json!({"command": command})))
    }
}

/// Runs a call of a tool.
pub(crate) async fn run(
    tool: &dyn Tool,
    session: &Session,
    input: Value,
    cancel: &CancellationToken,
) -> Result<ToolOutput, ToolFailure> {
    let input = object(input);
    let running = RunningCall {
        session,
        id: "toolu_1",
        input: &input,
        own: &input,
        rights: &[],
        cancel,
        limit: LONG * 10,
        caller: &(),
    };
    tokio::time::timeout(LONG, tool.run(running)).await.unwrap()
}

/// Returns the model's result.
pub(crate) fn said(answer: Result<ToolOutput, ToolFailure>) -> String {
    answer.map_or_else(|failure| failure.error, |output| output.as_text())
}
