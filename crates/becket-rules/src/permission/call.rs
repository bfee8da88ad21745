//! One tool call and its directories.

use std::path::Path;
use std::sync::{LazyLock, OnceLock};

use serde_json::{Map, Value};

use crate::matcher::Renames;
use crate::path::{LinkCache, Links, Normal, Places};
use crate::steps::Steps;
use crate::tools::{self, Primary};
use crate::{powershell, shell};

static RENAMES: LazyLock<Renames> = LazyLock::new(Renames::tools);

/// A tool call, as the model made it or as a hook rewrote it.
#[derive(Debug)]
pub struct Call<'a> {
    tool: &'a str,
    input: &'a Map<String, Value>,
    literal: &'a Map<String, Value>,
    renames: &'a Renames,
    line: OnceLock<Option<CommandLine>>,
    /// The remaining steps for conditions that are evaluated on the call.
    steps: Steps,
}

/// The command of a shell tool.
#[derive(Debug)]
pub(crate) enum CommandLine {
    Bash(Box<shell::Line>),
    PowerShell(powershell::Line),
}

/// The directories of a call, and of the rule that is compared with it.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The session's cwd, absolute: `p` starts there.
    pub cwd: &'a Path,
    /// The home directory, absolute: `~/p` starts there. Without one `~` is unknown.
    pub home: Option<&'a Path>,
    /// The directory of the settings source, absolute: `/p` in a handler's `if` starts there. A [`RuleSet`] uses each
    /// rule's own from its origin.
    ///
    /// [`RuleSet`]: crate::RuleSet
    pub anchor: &'a Path,
    /// The resolver of links (P8).
    pub links: &'a dyn Links,
}

impl CommandLine {
    /// Returns why the line was not read to its end, if it was not.
    pub(crate) fn unread(&self) -> Option<&shell::UnknownReason> {
        match self {
            Self::Bash(line) => line.unread_reason(),
            // Each part of such a line is compared by its words (P15).
            Self::PowerShell(_) => None,
        }
    }
}

impl<'a> Call<'a> {
    /// Creates a call of `tool` with its input object; renamed tools are those of M7.
    #[must_use]
    pub fn new(tool: &'a str, input: &'a Map<String, Value>) -> Self {
        Self {
            tool,
            input,
            literal: input,
            renames: &RENAMES,
            line: OnceLock::new(),
            steps: Steps::default(),
        }
    }

    /// Returns the call with the host's own table of renamed tools.
    #[must_use]
    pub fn renamed(self, renames: &'a Renames) -> Self {
        Self { renames, ..self }
    }

    /// Returns the call with the input as the model itself wrote it, before defaults were filled in and hooks rewrote
    /// it: parameter rules are compared with that (P10).
    #[must_use]
    pub fn written(self, literal: &'a Map<String, Value>) -> Self {
        Self { literal, ..self }
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &'a str {
        self.tool
    }

    /// Returns the input as the model wrote it.
    #[must_use]
    pub(crate) fn literal(&self) -> &'a Map<String, Value> {
        self.literal
    }

    /// Returns the input object.
    #[must_use]
    pub fn input(&self) -> &'a Map<String, Value> {
        self.input
    }

    pub(crate) fn is_bash(&self) -> bool {
        matches!(self.primary(), Primary::Bash(_))
    }

    pub(crate) fn steps(&self) -> &Steps {
        &self.steps
    }

    pub(crate) fn renames(&self) -> &'a Renames {
        self.renames
    }

    pub(crate) fn primary(&self) -> Primary {
        tools::find(self.renames.current(self.tool)).map_or(Primary::None, |tool| tool.primary)
    }

    pub(crate) fn text(&self, field: &str) -> Option<&'a str> {
        self.input.get(field).and_then(Value::as_str)
    }

    /// Returns the command line, analysed only once.
    pub(crate) fn line(&self) -> Option<&CommandLine> {
        let read = || match self.primary() {
            Primary::Bash(field) => {
                self.text(field).map(shell::Line::parse).map(Box::new).map(CommandLine::Bash)
            }
            Primary::PowerShell(field) => {
                self.text(field).map(powershell::Line::parse).map(CommandLine::PowerShell)
            }
            Primary::Path(..) | Primary::Domain(_) | Primary::Name(_) | Primary::Skill(_) | Primary::None => {
                None
            }
        };
        self.line.get_or_init(read).as_ref()
    }
}

impl<'a> Scope<'a> {
    /// Returns the places of a rule that was written in `settings`.
    pub(crate) fn places(&self, settings: &'a Path) -> Places<'a> {
        let Self { cwd, home, anchor: _, links } = *self;
        Places { cwd, home, settings, links }
    }

    /// Runs a query on many paths in which no path is looked up twice.
    pub(crate) fn remembering<T>(&self, ask: impl FnOnce(&Scope<'_>) -> T) -> T {
        let links = LinkCache::new(self.links);
        ask(&Scope { links: &links, ..*self })
    }

    pub(crate) fn home_path(&self) -> Option<Normal> {
        self.home.map(Normal::of)
    }
}

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cwd, home, anchor, links: _ } = self;
        f.debug_struct("Scope")
            .field("cwd", cwd)
            .field("home", home)
            .field("anchor", anchor)
            .finish_non_exhaustive()
    }
}
