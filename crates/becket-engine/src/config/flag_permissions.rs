//! Permissions from the command line: rules, directories and the mode of one session (`protocol.md` C3, C5).
//!
//! Each argument becomes a layer of source `flag`, as if it were in its own settings file: an allow in it overrides no
//! deny of another source, and every finding about it names the argument. The mode is not a layer: it belongs to the
//! session, and overrides the start mode of files.
//!
//! INVARIANT: all content has been parsed once without an error.

use super::load::Layer;
use becket_base::suggest;
use becket_rules::{Mode, Rule, RuleError, RuleList, RuleWarning};
use serde_json::json;
use std::path::{Path, PathBuf};

const ALLOWED: &str = "--allowedTools";
const DISALLOWED: &str = "--disallowedTools";
const ADD_DIR: &str = "--add-dir";
const MODE: &str = "--permission-mode";

/// The permissions on the command line.
///
/// ```
/// use becket_engine::config::FlagPermissions;
///
/// let mut permissions = FlagPermissions::default();
/// permissions.allow_tools("Read, Bash(git log *) Edit(src/**)")?;
/// permissions.start_in("acceptEdits")?;
/// let error = permissions.disallow_tools("Bash(rm").unwrap_err();
/// assert!(error.to_string().starts_with("`--disallowedTools`: "));
/// # Ok::<(), becket_engine::config::FlagError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FlagPermissions {
    allow: Vec<Rule>,
    deny: Vec<Rule>,
    directories: Vec<String>,
    mode: Option<Mode>,
    bypass_available: bool,
}

/// The reason why an argument can't be used. Each variant names it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlagError {
    /// A rule that can't be read.
    #[error("`{argument}`: {error}")]
    Rule {
        /// The argument.
        argument: &'static str,
        /// The error in the rule.
        error: RuleError,
    },
    /// An unknown mode.
    #[error("`{MODE}`: there is no permission mode `{name}`: {help}")]
    Mode {
        /// The name as written.
        name: String,
        /// The known modes, or the one that was probably meant.
        help: String,
    },
    /// A directory that does not exist, or is not a directory.
    #[error("`{ADD_DIR}`: `{}` {why}", directory.display())]
    Directory {
        /// The directory as written.
        directory: PathBuf,
        /// The reason.
        why: &'static str,
    },
}

impl FlagPermissions {
    /// Reads a value of `--allowedTools`: rules separated by commas or blanks; those inside parentheses belong to their
    /// rule. Values add up.
    ///
    /// # Errors
    /// Errors if one of them is not a rule; then none is added.
    pub fn allow_tools(&mut self, text: &str) -> Result<(), FlagError> {
        self.allow.extend(rules(ALLOWED, text)?);
        Ok(())
    }

    /// Reads a value of `--disallowedTools` in the same way.
    ///
    /// # Errors
    /// Errors if one of them is not a rule; then none is added.
    pub fn disallow_tools(&mut self, text: &str) -> Result<(), FlagError> {
        self.deny.extend(rules(DISALLOWED, text)?);
        Ok(())
    }

    /// Adds the working directory of an `--add-dir`; a relative path is resolved against `start`.
    ///
    /// # Errors
    /// Errors if there is no such directory, or if its name is not UTF-8.
    pub fn add_directory(&mut self, directory: &Path, start: &Path) -> Result<(), FlagError> {
        let fault = |why| FlagError::Directory { directory: directory.to_owned(), why };
        let path = start.join(directory);
        if directory.as_os_str().is_empty() || !path.is_dir() {
            return Err(fault("is not a directory"));
        }
        let text = path.to_str().ok_or_else(|| fault("can't be written as text"))?;
        self.directories.push(text.to_owned());
        Ok(())
    }

    /// Reads the value of `--permission-mode`. The last one counts.
    ///
    /// # Errors
    /// Errors if there is no such mode.
    pub fn start_in(&mut self, name: &str) -> Result<(), FlagError> {
        self.mode = Some(Mode::from_name(name).ok_or_else(|| no_mode(name))?);
        Ok(())
    }

    /// Applies `--dangerously-skip-permissions`: the session may be in the mode `bypassPermissions`, and starts in it
    /// if no mode is named.
    pub fn skip_permissions(&mut self) {
        self.bypass_available = true;
        self.mode.get_or_insert(Mode::BypassPermissions);
    }

    /// Applies `--allow-dangerously-skip-permissions`: the session may be put into the mode `bypassPermissions` later,
    /// and starts in another one.
    pub fn allow_skipping(&mut self) {
        self.bypass_available = true;
    }

    /// Returns warnings about rules that allow a tool which is not known: it is probably misspelt. The findings of a
    /// configuration are about the others.
    pub fn unknown_tools(&self) -> impl Iterator<Item = String> + '_ {
        // Allow rules may name tools of any host, so only deny and ask rules are warned about elsewhere.
        let warnings = self.allow.iter().flat_map(|rule| RuleWarning::of(rule, RuleList::Deny));
        let is_unknown = |warning: &RuleWarning| {
            matches!(warning, RuleWarning::UnknownTool { .. }) && !warning.is_about_case()
        };
        warnings.filter(is_unknown).map(|warning| format!("`{ALLOWED}`: {warning}"))
    }

    /// Returns the mode in which the session starts, if an argument sets one.
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        self.mode
    }

    /// Returns whether the session is started with `bypassPermissions` available.
    #[must_use]
    pub(crate) fn bypass_available(&self) -> bool {
        self.bypass_available || self.mode == Some(Mode::BypassPermissions)
    }

    /// Returns one layer for each argument that sets something; `/p` in a rule starts at `anchor` (P7).
    pub(crate) fn layers(&self, anchor: &Path) -> Vec<Layer> {
        let list = |list: RuleList, rules: &[Rule]| {
            let texts: Vec<String> = rules.iter().map(Rule::to_string).collect();
            (!texts.is_empty()).then(|| json!({ list.key(): texts }))
        };
        let directories =
            (!self.directories.is_empty()).then(|| json!({ "additionalDirectories": self.directories }));
        let all = [
            (ALLOWED, list(RuleList::Allow, &self.allow)),
            (DISALLOWED, list(RuleList::Deny, &self.deny)),
            (ADD_DIR, directories),
        ];
        let layer = |(argument, permissions): (&str, Option<serde_json::Value>)| {
            let text = json!({ "permissions": permissions? }).to_string();
            Some(Layer::of_argument(argument, anchor, &text))
        };
        all.into_iter().filter_map(layer).collect()
    }
}

fn no_mode(name: &str) -> FlagError {
    let names = Mode::ALL.map(Mode::name);
    let help = match suggest(name, &names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it is one of {}", names.join(", ")),
    };
    FlagError::Mode { name: name.to_owned(), help }
}

fn rules(argument: &'static str, text: &str) -> Result<Vec<Rule>, FlagError> {
    let read = |one: &str| Rule::parse(one).map_err(|error| FlagError::Rule { argument, error });
    apart(text).into_iter().map(read).collect()
}

/// Splits at commas and blanks outside of parentheses. A parenthesis that is never closed takes the rest with it, which
/// then is not a rule: an error is better than half of what was meant.
fn apart(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 && (c == ',' || c.is_whitespace()) => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}
