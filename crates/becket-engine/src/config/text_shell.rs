//! The shell that runs the text of a command (H2), and how paths are written for it (H3).

#[cfg(windows)]
use crate::config::git_bash;
use crate::config::handler::{Command, Shell};
use crate::host::environment::Environment;
use crate::host::profile::Profile;
use becket_model::Failure;
use becket_process::Program;
use std::path::PathBuf;

/// The way paths in variables and placeholders are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathStyle {
    /// As the system writes them.
    Native,
    /// As in Git Bash: `/c/Users/ada`.
    GitBash,
    /// As the system writes them; a text names variables as `${env:NAME}`.
    PowerShell,
}

/// The shell that runs a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TextShell {
    /// `/bin/sh`.
    #[cfg_attr(windows, expect(dead_code, reason = "Windows has none"))]
    Posix,
    /// Git Bash.
    #[cfg_attr(not(windows), expect(dead_code, reason = "Git Bash is the shell of Windows alone"))]
    GitBash(PathBuf),
    /// `pwsh` or `powershell`.
    PowerShell(PathBuf),
}

impl PathStyle {
    /// Returns the style that is known without looking for programs, to compare commands.
    pub(crate) fn of(command: &Command) -> Self {
        match command {
            Command::Shell { shell: Shell::PowerShell, .. } => PathStyle::PowerShell,
            Command::Shell { shell: Shell::Default, .. } | Command::Exec { .. } => PathStyle::Native,
        }
    }
}

impl TextShell {
    /// Finds the shell of a command; returns `None` for the exec form.
    ///
    /// # Errors
    /// Errors if the shell is not installed.
    pub(crate) fn of(
        command: &Command,
        environment: &Environment,
        profile: &Profile,
    ) -> Result<Option<Self>, Failure> {
        match command {
            Command::Exec { .. } => Ok(None),
            Command::Shell { shell: Shell::PowerShell, .. } => power_shell(environment).map(Some),
            Command::Shell { shell: Shell::Default, .. } => default_shell(environment, profile).map(Some),
        }
    }

    /// Returns the way paths are written for it.
    pub(crate) fn style(&self) -> PathStyle {
        match self {
            TextShell::Posix => PathStyle::Native,
            TextShell::GitBash(_) => PathStyle::GitBash,
            TextShell::PowerShell(_) => PathStyle::PowerShell,
        }
    }

    /// Returns the program that runs a text.
    pub(crate) fn program(self, script: String) -> Program {
        match self {
            TextShell::Posix => Program::shell(script),
            TextShell::GitBash(bash) => Program::exec(bash, ["-c".to_owned(), script]),
            TextShell::PowerShell(shell) => Program::exec(
                shell,
                ["-NoProfile".into(), "-NonInteractive".into(), "-Command".into(), script],
            ),
        }
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there may be no shell")]
fn default_shell(_: &Environment, _: &Profile) -> Result<TextShell, Failure> {
    Ok(TextShell::Posix)
}

/// Returns Git Bash if it is installed, else PowerShell. Written for Windows and not run there; [`git_bash::find`] is
/// tested everywhere.
#[cfg(windows)]
fn default_shell(environment: &Environment, profile: &Profile) -> Result<TextShell, Failure> {
    let variable = |name: &str| environment.var(name).map(|value| value.to_string_lossy().into_owned());
    let machine = git_bash::Machine {
        variable: &variable,
        is_file: &|path: &str| std::path::Path::new(path).is_file(),
    };
    match git_bash::find(&machine, &profile.session_var("GIT_BASH_PATH")) {
        Ok(Some(bash)) => Ok(TextShell::GitBash(bash.into())),
        Ok(None) => power_shell(environment).map_err(|_| Failure::CannotStart {
            message: "a command needs a shell, and there is neither Git Bash nor PowerShell: install Git for Windows".into(),
        }),
        Err(error) => Err(Failure::CannotStart { message: error.to_string() }),
    }
}

fn power_shell(environment: &Environment) -> Result<TextShell, Failure> {
    let path = environment.var("PATH").unwrap_or_default();
    let found = ["pwsh", "powershell"].iter().find_map(|name| becket_base::find_program(name, path));
    found.map(TextShell::PowerShell).ok_or_else(|| Failure::CannotStart {
        message: "`shell: \"powershell\"` needs `pwsh` or `powershell` on PATH: install PowerShell, or drop `shell`"
            .into(),
    })
}
