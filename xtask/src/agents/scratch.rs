//! A scratch copy of the guarded example, with a remote, work that is not committed, and one further hook for each part
//! of an answer.

use crate::installed::run;
use crate::root;
use becket_proof::Scratch;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The hooks in addition to those of the example.
const HOOKS: &str = include_str!("hooks.json");
/// The hooks for the tools of [`SERVER`].
const GATEWAY_HOOKS: &str = include_str!("gateway_hooks.json");
/// The MCP server behind the gateway.
const SERVER: &str = include_str!("shell_server.py");
/// The work that is not committed.
const WORK: &str = "# not committed yet\n";

/// The directories of one run.
pub(super) struct ScratchProject {
    /// The directory that contains the others.
    pub(super) directory: PathBuf,
    pub(super) home: PathBuf,
    pub(super) project: PathBuf,
    /// The commit of the remote branch.
    commit: String,
}

impl ScratchProject {
    /// Recreates the directories, with tests that fail if `has_broken_tests` is set.
    ///
    /// # Errors
    /// Errors if they can't be created.
    pub(super) fn make(directory: &Path, has_broken_tests: bool) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("`{}`: {error}", directory.display());
        if directory.exists() {
            fs::remove_dir_all(directory).map_err(failed)?;
        }
        let (home, project) = (directory.join("home"), directory.join("project"));
        fs::create_dir_all(&home).map_err(failed)?;
        copy(&root().join("examples/guarded-repo"), &project).map_err(failed)?;
        fs::write(project.join(".claude/settings.local.json"), HOOKS).map_err(failed)?;
        repository(&project)?;
        let source = project.join("till/__init__.py");
        let before = if has_broken_tests {
            "raise SystemError('broken')\n".to_owned()
        } else {
            fs::read_to_string(&source).map_err(failed)?
        };
        fs::write(&source, before + WORK).map_err(failed)?;
        let mut made =
            ScratchProject { directory: directory.to_owned(), home, project, commit: String::new() };
        made.commit = made.remote();
        if made.commit.is_empty() { Err("the remote has no branch".to_owned()) } else { Ok(made) }
    }

    /// Adds the server `shell` next to the project, and hooks about its tools to it; returns the configuration of
    /// servers.
    ///
    /// # Errors
    /// Errors if a file can't be written.
    pub(super) fn add_server(&self) -> Result<PathBuf, String> {
        let (server, config) = (self.directory.join("shell_server.py"), self.directory.join("servers.json"));
        let servers = json!({"mcpServers": {"shell": {"command": "python3", "args": [server]}}});
        let settings = self.project.join(".claude/settings.local.json");
        let files = [
            (&server, SERVER.to_owned()),
            (&config, servers.to_string()),
            (&settings, GATEWAY_HOOKS.to_owned()),
        ];
        for (file, text) in files {
            fs::write(file, text).map_err(|error| format!("`{}`: {error}", file.display()))?;
        }
        Ok(config)
    }

    /// Makes the settings of the project those of the user.
    ///
    /// # Errors
    /// Errors if they can't be moved.
    pub(super) fn move_settings_to_user(&self) -> Result<(), String> {
        let mut of_user = Value::Null;
        for name in ["settings.json", "settings.local.json"] {
            let file = self.project.join(".claude").join(name);
            let failed = |why: String| format!("`{}`: {why}", file.display());
            let text = fs::read_to_string(&file).map_err(|error| failed(error.to_string()))?;
            add(&mut of_user, serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?);
            fs::remove_file(&file).map_err(|error| failed(error.to_string()))?;
        }
        let directory = self.home.join(".claude");
        fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
        fs::write(directory.join("settings.json"), of_user.to_string()).map_err(|error| error.to_string())
    }

    /// Returns the directories for a driver.
    pub(super) fn scratch<'a>(&'a self, model: &'a str) -> Scratch<'a> {
        Scratch { home: &self.home, project: &self.project, model }
    }

    /// Returns the file that no agent may write.
    pub(super) fn vendored(&self) -> PathBuf {
        self.project.join("vendor/file.txt")
    }

    /// Returns true if a file of the project exists.
    pub(super) fn has(&self, file: &str) -> bool {
        self.project.join(file).exists()
    }

    /// Returns true if the remote branch has changed.
    pub(super) fn is_pushed(&self) -> bool {
        self.remote() != self.commit
    }

    /// Returns true if the work that is not committed still exists.
    pub(super) fn has_work(&self) -> bool {
        fs::read_to_string(self.project.join("till/__init__.py")).is_ok_and(|text| text.ends_with(WORK))
    }

    fn remote(&self) -> String {
        fs::read_to_string(self.directory.join("origin.git/refs/heads/main")).unwrap_or_default()
    }
}

/// Creates a repository with one commit that the remote has, and an amended one that it does not have.
fn repository(project: &Path) -> Result<(), String> {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=becket", "-c", "user.email=becket@example.invalid"]);
        run(git.args(arguments).current_dir(project))
    };
    git(&["init", "--quiet", "--initial-branch=main"])?;
    git(&["config", "user.name", "becket"])?;
    git(&["config", "user.email", "becket@example.invalid"])?;
    git(&["add", "--all"])?;
    git(&["commit", "--quiet", "--message=one"])?;
    git(&["init", "--quiet", "--bare", "../origin.git"])?;
    git(&["remote", "add", "origin", "../origin.git"])?;
    git(&["push", "--quiet", "--set-upstream", "origin", "main"])?;
    git(&["commit", "--quiet", "--amend", "--message=another"])
}

/// Adds settings to others: objects member by member, lists at their end.
fn add(settings: &mut Value, more: Value) {
    match (settings, more) {
        (Value::Object(settings), Value::Object(more)) => {
            for (key, value) in more {
                add(settings.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(settings), Value::Array(mut more)) => settings.append(&mut more),
        (settings, more) => *settings = more,
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
