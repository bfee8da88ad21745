//! The worktrees of one session: entered, left, and known meanwhile.

use super::error::WorktreeError;
use super::git::{At, Git, words};
use super::hooked;
use super::made::{self, GitWorktree};
use super::name::WorktreeName;
use super::repository::Repository;
use super::tree::{GitWorktreeState, Tree, Way, WorktreeOutcome};
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

/// Makes worktrees for a session and its subagents, and knows which there are. Cheap to clone; all clones are the same.
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
    /// Those that are begun or worked in.
    open: Mutex<Vec<Arc<Tree>>>,
    /// The repositories in which was looked for what others have left.
    swept: Mutex<HashSet<PathBuf>>,
}

/// Parameters of the events about a worktree.
#[derive(Clone, Copy)]
pub(crate) struct Asks<'a> {
    pub(crate) shared: &'a SessionShared,
    pub(crate) facts: &'a Facts,
    pub(crate) updates: &'a Updates,
}

impl Worktrees {
    /// Git is found on the `PATH` of `environment`, whose variables are all that it gets. Worktrees lie in
    /// `FOLDER/worktrees` of the main working tree. `private` is a directory that need not exist, of this session alone.
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

    /// Makes a worktree of the repository in which this agent loop is, or takes up the one of that name.
    pub(crate) async fn enter(
        &self,
        asks: Asks<'_>,
        name: &WorktreeName,
        cancel: &CancellationToken,
    ) -> Result<Arc<Tree>, WorktreeError> {
        let cwd = asks.facts.cwd();
        match self.by_hooks(asks, name, &cwd, cancel).await? {
            Some(tree) => Ok(tree),
            None => self.by_git(asks, name, &cwd, cancel).await,
        }
    }

    /// Has hooks make it; none if no hook was asked.
    async fn by_hooks(
        &self,
        asks: Asks<'_>,
        name: &WorktreeName,
        cwd: &Path,
        cancel: &CancellationToken,
    ) -> Result<Option<Arc<Tree>>, WorktreeError> {
        if !asks.shared.engine.host().has_any(EventKind::WorktreeCreate) {
            return Ok(None);
        }
        let body = WorktreeCreate::new(name.to_string());
        let fired = asks.shared.fire(asks.facts, body, asks.updates, cancel).await;
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
        Ok(Some(self.open(Tree { path, way: Way::Hook { before } })))
    }

    async fn by_git(
        &self,
        asks: Asks<'_>,
        name: &WorktreeName,
        cwd: &Path,
        cancel: &CancellationToken,
    ) -> Result<Arc<Tree>, WorktreeError> {
        let repository = Repository::around(cwd)?;
        let git = Git::find(&self.0.environment, &repository, self.0.runner.clone())?;
        let git = git.without_hooks(&repository.top, cancel).await?;
        self.sweep(asks, &git, &repository, cancel).await;
        let mut made = self.planned(&git, &repository, name.as_str());
        if let Some(held) = made.take_up().await? {
            let held = Mutex::new(GitWorktreeState::Whole(held));
            let path = made.path.clone();
            return Ok(self.open(Tree { path, way: Way::Git { made: Box::new(made), held } }));
        }
        made.base = Some(base(&git, &repository, cancel).await?);
        made.claim()?;
        let way = Way::Git { made: Box::new(made.clone()), held: Mutex::new(GitWorktreeState::Begun) };
        let tree = self.open(Tree { path: made.path.clone(), way });
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

    /// Ends the work in one: it is removed if nothing differs from its beginning.
    pub(crate) async fn leave(&self, asks: Asks<'_>, tree: &Arc<Tree>) -> WorktreeOutcome {
        let left = match &tree.way {
            Way::Git { made, .. } => leave_made(Some(asks), made, tree.is_begun()).await,
            Way::Hook { before } => leave_hooked(asks, &tree.path, before.clone()).await,
        };
        self.left(tree, left)
    }

    /// One that was left is open no longer.
    fn left(&self, tree: &Arc<Tree>, left: Result<(), String>) -> WorktreeOutcome {
        self.keep(tree);
        match left {
            Ok(()) => WorktreeOutcome::Removed,
            Err(because) => {
                let branch = tree.branch().map(str::to_owned);
                WorktreeOutcome::Kept { path: tree.path.clone(), branch, because }
            }
        }
    }

    /// Returns the worktree at this path that this session works in.
    pub(crate) fn at(&self, path: &Path) -> Option<Arc<Tree>> {
        self.entered().into_iter().find(|tree| tree.path == path)
    }

    /// Returns why a worktree would not be removed; with `discards`, changes and commits are not a reason.
    pub(crate) async fn kept_because(&self, tree: &Tree, discards: bool) -> Option<String> {
        match &tree.way {
            // Another program has made it.
            Way::Git { made, .. } if discards => made.base.is_none().then(|| BEFORE.to_owned()),
            Way::Git { made, .. } => made.traces().await,
            Way::Hook { .. } if discards => None,
            Way::Hook { before } => changed(&tree.path, before.clone()).await,
        }
    }

    /// Ends the work in one, which stays as it is.
    pub(crate) fn keep(&self, tree: &Arc<Tree>) {
        tree.let_go();
        self.closed(tree);
    }

    /// Ends the work in one and removes it with all that it holds, its branch too.
    pub(crate) async fn discard(&self, asks: Asks<'_>, tree: &Arc<Tree>) -> WorktreeOutcome {
        let left = match &tree.way {
            Way::Git { made, .. } => {
                told(asks, &made.path).await;
                made.discard().await.map_err(|error| error.to_string())
            }
            Way::Hook { .. } => removed_by_hooks(asks, &tree.path).await,
        };
        self.left(tree, left)
    }

    /// Leaves all that are still entered; gives those that stay.
    pub(crate) async fn leave_all(&self, asks: Asks<'_>) -> Vec<WorktreeOutcome> {
        let mut kept = Vec::new();
        for tree in self.entered() {
            let left = self.leave(asks, &tree).await;
            kept.extend(Some(left).filter(|left| *left != WorktreeOutcome::Removed));
        }
        kept
    }

    /// Ends what was begun for a session that was never opened. Git's worktrees are removed where nothing was done in them; no
    /// hook hears of it.
    pub async fn abandon(&self) {
        for tree in self.entered() {
            if let Way::Git { made, .. } = &tree.way {
                drop(leave_made(None, made, tree.is_begun()).await);
            }
            tree.let_go();
            self.closed(&tree);
        }
    }

    /// Removes those that subagents of sessions that were killed have left, and that nothing was done in: once for each
    /// repository.
    async fn sweep(&self, asks: Asks<'_>, git: &Git, repository: &Repository, cancel: &CancellationToken) {
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
                drop(leave_made(Some(asks), &made, false).await);
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

/// The commit that is checked out where the agent loop is.
async fn base(
    git: &Git,
    repository: &Repository,
    cancel: &CancellationToken,
) -> Result<String, WorktreeError> {
    let look = words(["rev-parse", "--verify", "HEAD^{commit}"]);
    let said =
        git.ask(&At::found(&repository.top), "look for the commit that is checked out", look, cancel).await;
    match said {
        Ok(said) => Ok(String::from_utf8_lossy(&said).trim().to_owned()),
        Err(WorktreeError::Git { said, .. }) if said.contains("Needed a single revision") => {
            Err(WorktreeError::NoCommit { at: repository.top.clone() })
        }
        Err(error) => Err(error),
    }
}

/// Removes one of git's, unless there is a reason to keep it: that is the error.
async fn leave_made(asks: Option<Asks<'_>>, made: &GitWorktree, is_begun: bool) -> Result<(), String> {
    if !is_begun {
        if let Some(because) = made.traces().await {
            return Err(because);
        }
        if let Some(asks) = asks {
            told(asks, &made.path).await;
        }
    }
    made.remove().await.map_err(|error| error.to_string())
}

/// Has hooks remove one of theirs, unless there is a reason to keep it.
async fn leave_hooked(asks: Asks<'_>, path: &Path, before: Option<Print>) -> Result<(), String> {
    if let Some(because) = changed(path, before).await {
        return Err(because);
    }
    removed_by_hooks(asks, path).await
}

/// Returns why a worktree that a hook has made may hold work.
async fn changed(path: &Path, before: Option<Print>) -> Option<String> {
    let Some(before) = before else { return Some("it can't be told whether it has changes".to_owned()) };
    let look = path.to_owned();
    let now = tokio::task::spawn_blocking(move || Print::of(&look)).await.ok().flatten();
    now.is_none_or(|now| now != before).then(|| "it has changes".to_owned())
}

/// Has hooks remove one of theirs.
async fn removed_by_hooks(asks: Asks<'_>, path: &Path) -> Result<(), String> {
    if !asks.shared.engine.host().has_any(EventKind::WorktreeRemove) {
        return Err("a hook has made it, and no hook of WorktreeRemove takes it away".to_owned());
    }
    told(asks, path).await;
    match path.symlink_metadata() {
        Ok(_) => Err("the hooks of WorktreeRemove have left it".to_owned()),
        Err(_) => Ok(()),
    }
}

/// Fires WorktreeRemove.
async fn told(asks: Asks<'_>, path: &Path) {
    let body = WorktreeRemove::new(path.to_string_lossy().into_owned());
    asks.shared.fire(asks.facts, body, asks.updates, &CancellationToken::new()).await;
}

impl fmt::Debug for Worktrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worktrees").field("open", &self.entered()).finish_non_exhaustive()
    }
}
