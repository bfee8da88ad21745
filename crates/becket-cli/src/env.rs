//! The surroundings of this process: variables, home, working directory, terminals.
//!
//! Only this module and [`ProcessContext`] read them. All other code receives them as inputs.

use becket_fire::ProcessContext;
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// The facts about the process and the machine around it.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    /// The arguments, variables and directories of the process.
    pub(crate) process: ProcessContext,
    /// The path of this program, to start it again.
    pub(crate) program: Option<PathBuf>,
    pub(crate) terminals: Terminals,
    /// True if this process has all permissions on this machine.
    pub(crate) is_root: bool,
    /// The width of a line in columns, from the terminal or `COLUMNS`; `None` if neither is known.
    pub(crate) width: Option<usize>,
}

/// The minimum and maximum width of lines.
const NARROWEST: usize = 40;
const WIDEST: usize = 200;

fn width(vars: &[(OsString, OsString)], is_terminal: bool) -> Option<usize> {
    let configured =
        vars.iter().find(|(name, _)| name == "COLUMNS").and_then(|(_, value)| value.to_str()?.parse().ok());
    let detected = || crossterm::terminal::size().ok().map(|(columns, _)| usize::from(columns));
    let columns = configured.or_else(|| is_terminal.then(detected).flatten());
    columns.filter(|columns| *columns > 0).map(|columns| columns.clamp(NARROWEST, WIDEST))
}

/// The standard streams that are terminals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminals {
    pub(crate) stdin: bool,
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
}

impl Surroundings {
    /// Returns the surroundings of this process.
    pub(crate) fn of_process() -> Self {
        let process = ProcessContext::of_process();
        Surroundings {
            width: width(&process.vars, std::io::stdout().is_terminal()),
            process,
            program: std::env::current_exe().ok(),
            terminals: Terminals {
                stdin: std::io::stdin().is_terminal(),
                stdout: std::io::stdout().is_terminal(),
                stderr: std::io::stderr().is_terminal(),
            },
            is_root: is_root(),
        }
    }

    /// Returns a variable that is set and not empty.
    pub(crate) fn var(&self, name: &str) -> Option<&OsStr> {
        self.process.var(name)
    }

    /// Returns true if a stream has colour by default: `NO_COLOR` disables it, `CLICOLOR_FORCE` enables it, otherwise a
    /// terminal that supports it does.
    pub(crate) fn wants_colour(&self, is_terminal: bool) -> bool {
        let is_zero = |name| self.var(name).is_some_and(|value| value == "0");
        if self.var("NO_COLOR").is_some() {
            return false;
        }
        if self.var("CLICOLOR_FORCE").is_some() && !is_zero("CLICOLOR_FORCE") {
            return true;
        }
        is_terminal && !is_zero("CLICOLOR") && !self.is_dumb()
    }

    /// Returns true if the terminal supports no escape sequences.
    pub(crate) fn is_dumb(&self) -> bool {
        self.var("TERM").is_some_and(|term| term == "dumb")
    }

    /// Returns a path of the arguments, which starts at the working directory.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        self.process.cwd.as_deref().map_or_else(|| path.to_owned(), |cwd| cwd.join(path))
    }

    /// Returns a path as a user would write it: relative below the working directory, with `~` below the home
    /// directory.
    pub(crate) fn short(&self, path: &Path) -> String {
        if let Some(inside) = self.process.cwd.as_ref().and_then(|cwd| path.strip_prefix(cwd).ok())
            && !inside.as_os_str().is_empty()
        {
            return inside.display().to_string();
        }
        match self.process.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(inside) if !inside.as_os_str().is_empty() => format!("~/{}", inside.display()),
            Some(_) | None => path.display().to_string(),
        }
    }
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(vars: &[(&str, &str)]) -> Surroundings {
        Surroundings {
            process: ProcessContext {
                arguments: Vec::new(),
                vars: vars.iter().map(|(name, value)| (name.into(), value.into())).collect(),
                home: Some("/home/ada".into()),
                cwd: Some("/home/ada/work".into()),
                temp: "/tmp".into(),
            },
            program: None,
            terminals: Terminals { stdin: false, stdout: false, stderr: false },
            is_root: false,
            width: None,
        }
    }

    #[test]
    fn a_line_is_as_wide_as_columns_says_within_reason() {
        let of = |columns: &str| width(&[("COLUMNS".into(), columns.into())], false);
        let widths = ["80", "10", "1000", "0", "wide", ""].map(of);
        assert_eq!(widths, [Some(80), Some(40), Some(200), None, None, None]);
    }

    #[test]
    fn colour_follows_the_terminal_unless_a_variable_says_otherwise() {
        for (vars, on_terminal, elsewhere) in [
            (&[][..], true, false),
            (&[("NO_COLOR", "")], true, false),
            (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], false, false),
            (&[("CLICOLOR_FORCE", "1")], true, true),
            (&[("CLICOLOR_FORCE", "0")], true, false),
            (&[("CLICOLOR", "0")], false, false),
            (&[("TERM", "dumb")], false, false),
            (&[("TERM", "xterm")], true, false),
        ] {
            assert_eq!(with(vars).wants_colour(true), on_terminal, "{vars:?}");
            assert_eq!(with(vars).wants_colour(false), elsewhere, "{vars:?}");
        }
    }

    #[test]
    fn paths_are_shown_as_short_as_they_stay_true() {
        let here = with(&[]);
        assert_eq!(here.short(Path::new("/home/ada/work/.claude/settings.json")), ".claude/settings.json");
        assert_eq!(here.short(Path::new("/home/ada/.claude/settings.json")), "~/.claude/settings.json");
        assert_eq!(here.short(Path::new("/etc/claude-code/x.json")), "/etc/claude-code/x.json");
        assert_eq!(here.short(Path::new("<--settings>")), "<--settings>");
    }
}
