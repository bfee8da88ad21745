//! Tests with the git of this machine.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use becket_engine::Environment;
use becket_process::Runner;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use tempfile::TempDir;

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A repository with one commit, in `repo`.
struct World(TempDir);

impl World {
    fn new() -> Self {
        let world = Self(TempDir::new().unwrap());
        fs::create_dir(world.at("repo")).unwrap();
        world.git(&["init", "-q", "-b", "main"]);
        fs::write(world.at("repo/a.txt"), "one").unwrap();
        world.git(&["add", "a.txt"]);
        world.git(&["commit", "-qm", "first"]);
        world
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn git(&self, args: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args).current_dir(self.at("repo"));
        let done = git.env("HOME", self.0.path()).env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }

    fn branches(&self) -> String {
        self.git(&["branch", "--list", "--format=%(refname:short)", "work*"])
    }

    fn found(&self, path: &str) -> Result<Git, WorktreeError> {
        let environment = Environment::empty().with_var("PATH", path).with_home(self.0.path());
        Git::find(&environment, &self.repository(), Runner::new())
    }

    fn repository(&self) -> Repository {
        Repository::around(&self.at("repo")).unwrap()
    }

    /// Returns a worktree `name` on `branch` that is about to be created.
    fn made(&self, name: &str, branch: &str) -> GitWorktree {
        let repository = self.repository();
        GitWorktree {
            git: self.found(PATH).unwrap(),
            path: places(&repository, ".claude").join(name),
            repository,
            branch: branch.to_owned(),
            base: Some(self.git(&["rev-parse", "HEAD"])),
            owns_branch: Arc::default(),
            private: self.at("private"),
        }
    }
}

fn never() -> CancellationToken {
    CancellationToken::new()
}

// rule: D11
#[tokio::test]
async fn a_place_is_one_session_s_and_who_comes_late_undoes_nothing() {
    let world = World::new();
    let (first, second) = (world.made("x", "work-x"), world.made("x", "work-x"));
    first.claim().unwrap();
    assert!(matches!(second.claim(), Err(WorktreeError::PathOccupied { .. })));
    assert!(first.path.is_dir(), "it is still the first one's");
    let held = first.make(&never()).await.unwrap();
    assert!(matches!(second.claim(), Err(WorktreeError::PathOccupied { .. })));
    assert_eq!(
        (fs::read_to_string(first.path.join("a.txt")).unwrap().as_str(), world.branches().as_str()),
        ("one", "work-x")
    );
    drop(held);
    first.remove().await.unwrap();
    assert_eq!(world.branches(), "");
    assert!(!first.path.exists() && !world.at("repo/.claude").exists());
}

// rule: D11
#[tokio::test]
async fn a_branch_that_was_there_stays_whatever_is_undone() {
    let world = World::new();
    world.git(&["branch", "work-x"]);
    let made = world.made("x", "work-x");
    made.claim().unwrap();
    let error = made.make(&never()).await.unwrap_err();
    assert!(matches!(error, WorktreeError::Branch { .. }), "{error}");
    made.undo(&error).await;
    assert_eq!(world.branches(), "work-x", "it stands where the worktree would have begun");
    assert!(!made.path.exists());
    // Begun, and interrupted before anything was created.
    made.claim().unwrap();
    made.remove().await.unwrap();
    assert_eq!(world.branches(), "work-x");
}

// rule: D11
#[tokio::test]
async fn what_was_begun_and_failed_leaves_nothing() {
    let world = World::new();
    let mut made = world.made("x", "work-x");
    // The commit does not exist, so the branch can't be created.
    made.base = Some("1".repeat(40));
    made.claim().unwrap();
    let error = made.make(&never()).await.unwrap_err();
    assert!(matches!(error, WorktreeError::Git { .. }), "{error}");
    made.undo(&error).await;
    // The files can't be checked out, but branch and directory exist by then.
    made.base = Some(world.git(&["rev-parse", "HEAD"]));
    fs::write(&made.private, "in the way").unwrap();
    made.claim().unwrap();
    let error = made.make(&never()).await.unwrap_err();
    assert_eq!(world.branches(), "work-x");
    made.undo(&error).await;
    assert_eq!(world.branches(), "");
    assert!(!world.at("repo/.claude").exists() && !world.at("repo/.git/worktrees").exists());
}

// rule: D11
#[tokio::test]
async fn a_branch_on_which_somebody_has_worked_is_not_deleted() {
    let world = World::new();
    let made = world.made("x", "work-x");
    made.claim().unwrap();
    made.make(&never()).await.unwrap();
    world.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    world.git(&["update-ref", "refs/heads/work-x", "HEAD"]);
    assert!(made.remove().await.is_err());
    assert_eq!(world.branches(), "work-x");
}

// rule: D11
#[tokio::test]
async fn one_that_was_taken_up_before_it_was_held_is_left_to_its_session() {
    let world = World::new();
    let made = world.made("x", "work-x");
    made.claim().unwrap();
    made.make(&never()).await.unwrap();
    made.undo(&WorktreeError::InUse { path: made.path.clone() }).await;
    assert!(made.path.join("a.txt").exists());
    let held = made.clone().take_up().await.unwrap().unwrap();
    assert!(matches!(made.clone().take_up().await, Err(WorktreeError::InUse { .. })));
    drop(held);
}

// rule: D11
#[tokio::test]
async fn one_whose_files_are_gone_is_forgotten_unless_it_is_locked() {
    let world = World::new();
    let made = world.made("x", "work-x");
    for is_locked in [false, true] {
        made.claim().unwrap();
        made.make(&never()).await.unwrap();
        let part = made.repository.own_part(&made.path).unwrap();
        fs::remove_dir_all(&made.path).unwrap();
        if is_locked {
            world.git(&["worktree", "lock", "--reason", "a drive", &made.path.to_string_lossy()]);
            assert!(matches!(made.claim(), Err(WorktreeError::PathOccupied { .. })));
            assert!(part.exists() && !made.path.exists());
        } else {
            made.claim().unwrap();
            assert!(!part.exists());
            made.remove().await.unwrap();
        }
    }
}

// rules: D11, P14
#[tokio::test]
async fn what_can_t_be_told_is_not_taken_for_a_no() {
    let world = World::new();
    let made = world.made("x", "work-x");
    assert!(!made.has_branch(&never()).await.unwrap());
    let git = made.git.clone().without_hooks(&made.repository.top, &never()).await;
    assert!(git.is_ok());
    let cancelled = never();
    cancelled.cancel();
    assert!(made.has_branch(&cancelled).await.is_err());
    fs::write(world.at("repo/.git/config"), "[core\n").unwrap();
    assert!(made.has_branch(&never()).await.is_err());
    let git = made.git.without_hooks(&made.repository.top, &never()).await;
    assert!(matches!(git, Err(WorktreeError::Git { .. })));
}

// rule: P14
#[tokio::test]
async fn no_git_of_a_working_tree_counts_and_nothing_that_is_no_program() {
    let world = World::new();
    world.git(&["worktree", "add", "-q", "../linked", "-b", "work-y"]);
    let program = |path: &str, mode: u32| {
        let file = world.at(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        file.parent().unwrap().display().to_string()
    };
    let (root, top) = (program("repo/bin/git", 0o755), program("linked/bin/git", 0o755));
    let (text, good) = (program("text/git", 0o644), program("good/git", 0o755));
    std::os::unix::fs::symlink(world.at("linked/bin"), world.at("alias")).unwrap();
    let alias = world.at("alias").display().to_string();
    let repository = Repository::around(&world.at("linked")).unwrap();
    let find = |path: &str| {
        let environment = Environment::empty().with_var("PATH", path);
        Git::find(&environment, &repository, Runner::new()).map(|git| git.program().to_owned())
    };
    for wrong in [&root, &top, &text, &alias] {
        assert!(matches!(find(wrong), Err(WorktreeError::NoGit)), "{wrong}");
        assert_eq!(find(&format!("{wrong}:{good}")).unwrap(), world.at("good/git"));
    }
}
