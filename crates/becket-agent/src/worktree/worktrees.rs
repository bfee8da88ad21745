//! The worktrees of a session: entered, tracked, and left.

use super::error::WorktreeError;
use super::git::{At, Git, words};
use super::hooked;
use super::made::{self, GitWorktree};
use super::name::WorktreeName;
use super::repository::Repository;
use super::tree::{Creator, GitWorktreeState, Tree, WorktreeOutcome};
use super::unchanged::{BEFORE, Print};
use crate::facts::Facts;
use crate::turn::SessionShared;
use crate::update::Updates;
use becket_engine::{CancellationToken, Environment};
use becket_model::event::environment::{WorktreeCreate, WorktreeRemove};
use becket_model::{EventKind, Ruling};
use becket_process::Runner;
use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Creates worktrees for a session and its subagents, and keeps track of them. Cheap to clone; all clones are the same.
///
/// ```
/// use becket_agent::worktree::Worktrees;
/// use becket_engine::Environment;
/// use becket_process::Runner;
///
/// let environment = Environment::empty().with_var("PATH", "/usr/bin:/bin").with_home("/home/ada");
/// let worktrees = Worktrees::new(environment, Runner::new(), ".claude", "/tmp/becket-1/worktrees");
/// # drop(worktrees);
/// ```
#[derive(Clone)]
pub struct Worktrees(Arc<WorktreesState>);

struct WorktreesState {
    environment: Environment,
    runner: Runner,
    folder: String,
    private: PathBuf,
    /// The worktrees that are begun or in use.
    open: Mutex<Vec<Arc<Tree>>>,
    /// The repositories that were searched for leftovers.
    swept: Mutex<HashSet<PathBuf>>,
}

/// The parameters of the events about a worktree.
#[derive(Clone, Copy)]
pub(crate) struct WorktreeEventParams<'a> {
    pub(crate) shared: &'a SessionShared,
    pub(crate) facts: &'a Facts,
    pub(crate) updates: &'a Updates,
}

impl Worktrees {
    /// Creates a handle. Git is searched for on the `PATH` of `environment`, whose variables are the only ones that it
    /// gets. Worktrees are in `FOLDER/worktrees` of the main working tree. `private` is a directory that need not
    /// exist, used by this session only.
    pub fn new(
        environment: Environment,
        runner: Runner,
        folder: impl Into<String>,
        private: impl Into<PathBuf>,
    ) -> Self {
        let (folder, private) = (folder.into(), private.into());
        let (open, swept) = (Mutex::default(), Mutex::default());
        Self(Arc::new(WorktreesState { environment, runner, folder, private, open, swept }))
    }

    /// Creates a worktree of the repository that contains the working directory of this agent loop, or reuses the one
    /// with that name.
    pub(crate) async fn enter(
        &self,
        params: WorktreeEventParams<'_>,
        name: &WorktreeName,
        cancel: &CancellationToken,
    ) -> Result<Arc<Tree>, WorktreeError> {
        let cwd = params.facts.cwd();
        match self.by_hooks(params, name, &cwd, cancel).await? {
            Some(tree) => Ok(tree),
            None => self.by_git(params, name, &cwd, cancel).await,
        }
    }

    /// Has hooks create it; `None` if no hook ran.
    async fn by_hooks(
        &self,
        params: WorktreeEventParams<'_>,
        name: &WorktreeName,
        cwd: &Path,
        cancel: &CancellationToken,
    ) -> Result<Option<Arc<Tree>>, WorktreeError> {
        if !params.shared.engine.host().has_any(EventKind::WorktreeCreate) {
            return Ok(None);
        }
        let body = WorktreeCreate::new(name.to_string());
        let fired = params.shared.fire(params.facts, body, params.updates, cancel).await;
        if fired.outcome.plan.runs().is_empty() {
            return Ok(None);
        }
        let verdict = &fired.outcome.verdict;
        let Ruling::Worktree(named) = &verdict.ruling else {
            let because = verdict.joined_reason().unwrap_or_else(|| "none of them named a path".to_owned());
            return Err(WorktreeError::Hook { because });
        };
        let root = Repository::around(cwd).map_or_else(|_| cwd.to_owned(), |repository| repository.root);
        let path = hooked::usable(&named.what, cwd, &root)?;
        let look = path.clone();
        let before = tokio::task::spawn_blocking(move || Print::of(&look)).await.ok().flatten();
        Ok(Some(self.open(Tree { path, creator: Creator::Hook { before } })))
    }

    async fn by_git(
        &self,
        params: WorktreeEventParams<'_>,
        name: &WorktreeName,
        cwd: &Path,
        cancel: &CancellationToken,
    ) -> Result<Arc<Tree>, WorktreeError> {
        let repository = Repository::around(cwd)?;
        let git = Git::find(&self.0.environment, &repository, self.0.runner.clone())?;
        let git = git.without_hooks(&repository.top, cancel).await?;
        self.sweep(params, &git, &repository, cancel).await;
        let mut made = self.planned(&git, &repository, name.as_str());
        if let Some(held) = made.take_up().await? {
            let held = Mutex::new(GitWorktreeState::Whole(held));
            let path = made.path.clone();
            return Ok(self.open(Tree { path, creator: Creator::Git { made: Box::new(made), held } }));
        }
        made.base = Some(base(&git, &repository, cancel).await?);
        made.claim()?;
        let creator =
            Creator::Git { made: Box::new(made.clone()), held: Mutex::new(GitWorktreeState::Begun) };
        let tree = self.open(Tree { path: made.path.clone(), creator });
        match made.make(cancel).await {
            Ok(held) => {
                tree.hold(held);
                Ok(tree)
            }
            Err(error) => {
                made.undo(&error).await;
                self.closed(&tree);
                Err(error)
            }
        }
    }

    /// Ends the work in a worktree: it is removed if nothing in it has changed.
    pub(crate) async fn leave(&self, params: WorktreeEventParams<'_>, tree: &Arc<Tree>) -> WorktreeOutcome {
        let result = match &tree.creator {
            Creator::Git { made, .. } => leave_made(Some(params), made, tree.is_begun()).await,
            Creator::Hook { before } => leave_hooked(params, &tree.path, before.clone()).await,
        };
        self.finish(tree, result)
    }

    /// Removes a worktree that was left from the open ones; returns the outcome.
    fn finish(&self, tree: &Arc<Tree>, result: Result<(), String>) -> WorktreeOutcome {
        self.keep(tree);
        match result {
            Ok(()) => WorktreeOutcome::Removed,
            Err(because) => {
                let branch = tree.branch().map(str::to_owned);
                WorktreeOutcome::Kept { path: tree.path.clone(), branch, because }
            }
        }
    }

    /// Returns the worktree at this path, if this session works in it.
    pub(crate) fn at(&self, path: &Path) -> Option<Arc<Tree>> {
        self.entered().into_iter().find(|tree| tree.path == path)
    }

    /// Returns the reason why a worktree would not be removed; with `discards`, changes and commits are not a reason.
    pub(crate) async fn kept_because(&self, tree: &Tree, discards: bool) -> Option<String> {
        match &tree.creator {
            // Another program has created it.
            Creator::Git { made, .. } if discards => made.base.is_none().then(|| BEFORE.to_owned()),
            Creator::Git { made, .. } => made.traces().await,
            Creator::Hook { .. } if discards => None,
            Creator::Hook { before } => changed(&tree.path, before.clone()).await,
        }
    }

    /// Ends the work in a worktree, which is kept unchanged.
    pub(crate) fn keep(&self, tree: &Arc<Tree>) {
        tree.let_go();
        self.closed(tree);
    }

    /// Ends the work in a worktree, and removes it with its content and its branch.
    pub(crate) async fn discard(&self, params: WorktreeEventParams<'_>, tree: &Arc<Tree>) -> WorktreeOutcome {
        let result = match &tree.creator {
            Creator::Git { made, .. } => {
                fire_remove(params, &made.path).await;
                made.discard().await.map_err(|error| error.to_string())
            }
            Creator::Hook { .. } => removed_by_hooks(params, &tree.path).await,
        };
        self.finish(tree, result)
    }

    /// Leaves all worktrees that are still in use; returns the outcomes of those that are kept.
    pub(crate) async fn leave_all(&self, params: WorktreeEventParams<'_>) -> Vec<WorktreeOutcome> {
        let mut kept = Vec::new();
        for tree in self.entered() {
            let outcome = self.leave(params, &tree).await;
            kept.extend(Some(outcome).filter(|outcome| *outcome != WorktreeOutcome::Removed));
        }
        kept
    }

    /// Ends what was begun for a session that was never opened. Worktrees created by git are removed if they are
    /// unchanged; no hook is notified.
    pub async fn abandon(&self) {
        for tree in self.entered() {
            if let Creator::Git { made, .. } = &tree.creator {
                drop(leave_made(None, made, tree.is_begun()).await);
            }
            tree.let_go();
            self.closed(&tree);
        }
    }

    /// Removes unchanged worktrees of subagents that killed sessions have left behind: once for each repository.
    async fn sweep(
        &self,
        params: WorktreeEventParams<'_>,
        git: &Git,
        repository: &Repository,
        cancel: &CancellationToken,
    ) {
        let is_new = {
            let mut swept = self.0.swept.lock().unwrap_or_else(PoisonError::into_inner);
            swept.insert(repository.common.clone())
        };
        let entries = is_new.then(|| std::fs::read_dir(made::places(repository, &self.0.folder)));
        let entries = entries.into_iter().flatten().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let names: Vec<String> = names.filter(|name| WorktreeName::is_of_agent(name)).collect();
        for name in names {
            if cancel.is_cancelled() {
                return;
            }
            let mut made = self.planned(git, repository, &name);
            if let Some(held) = made.take_up_left().await {
                drop(leave_made(Some(params), &made, false).await);
                drop(held.unlock());
            }
        }
    }

    fn planned(&self, git: &Git, repository: &Repository, name: &str) -> GitWorktree {
        GitWorktree {
            git: git.clone(),
            path: made::places(repository, &self.0.folder).join(name),
            repository: repository.clone(),
            branch: WorktreeName::branch_of(name),
            base: None,
            owns_branch: Arc::default(),
            private: self.0.private.clone(),
        }
    }

    fn open(&self, tree: Tree) -> Arc<Tree> {
        let tree = Arc::new(tree);
        self.list().push(Arc::clone(&tree));
        tree
    }

    fn closed(&self, tree: &Arc<Tree>) {
        self.list().retain(|open| !Arc::ptr_eq(open, tree));
    }

    fn entered(&self) -> Vec<Arc<Tree>> {
        self.list().clone()
    }

    fn list(&self) -> MutexGuard<'_, Vec<Arc<Tree>>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the commit that is checked out in the working directory of the agent loop.
async fn base(
    git: &Git,
    repository: &Repository,
    cancel: &CancellationToken,
) -> Result<String, WorktreeError> {
    let look = words(["rev-parse", "--verify", "HEAD^{commit}"]);
    let commit =
        git.ask(&At::found(&repository.top), "look for the commit that is checked out", look, cancel).await;
    match commit {
        Ok(commit) => Ok(String::from_utf8_lossy(&commit).trim().to_owned()),
        Err(WorktreeError::Git { output, .. }) if output.contains("Needed a single revision") => {
            Err(WorktreeError::NoCommit { at: repository.top.clone() })
        }
        Err(error) => Err(error),
    }
}

/// Removes a worktree created by git; errors with the reason if it must be kept.
async fn leave_made(
    params: Option<WorktreeEventParams<'_>>,
    made: &GitWorktree,
    is_begun: bool,
) -> Result<(), String> {
    if !is_begun {
        if let Some(because) = made.traces().await {
            return Err(because);
        }
        if let Some(params) = params {
            fire_remove(params, &made.path).await;
        }
    }
    made.remove().await.map_err(|error| error.to_string())
}

/// Has hooks remove a worktree created by a hook, unless there is a reason to keep it.
async fn leave_hooked(
    params: WorktreeEventParams<'_>,
    path: &Path,
    before: Option<Print>,
) -> Result<(), String> {
    if let Some(because) = changed(path, before).await {
        return Err(because);
    }
    removed_by_hooks(params, path).await
}

/// Returns the reason why a worktree created by a hook may contain work.
async fn changed(path: &Path, before: Option<Print>) -> Option<String> {
    let Some(before) = before else { return Some("it is not known whether it has changes".to_owned()) };
    let look = path.to_owned();
    let now = tokio::task::spawn_blocking(move || Print::of(&look)).await.ok().flatten();
    now.is_none_or(|now| now != before).then(|| "it has changes".to_owned())
}

/// Has hooks remove a worktree created by a hook.
async fn removed_by_hooks(params: WorktreeEventParams<'_>, path: &Path) -> Result<(), String> {
    if !params.shared.engine.host().has_any(EventKind::WorktreeRemove) {
        return Err("a hook has made it, and no hook of WorktreeRemove takes it away".to_owned());
    }
    fire_remove(params, path).await;
    match path.symlink_metadata() {
        Ok(_) => Err("the WorktreeRemove hooks did not remove it".to_owned()),
        Err(_) => Ok(()),
    }
}

/// Fires WorktreeRemove.
async fn fire_remove(params: WorktreeEventParams<'_>, path: &Path) {
    let body = WorktreeRemove::new(path.to_string_lossy().into_owned());
    params.shared.fire(params.facts, body, params.updates, &CancellationToken::new()).await;
}

impl fmt::Debug for Worktrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worktrees").field("open", &self.entered()).finish_non_exhaustive()
    }
}
