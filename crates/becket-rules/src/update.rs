//! Changes to permissions that a hook, a host or a person makes (protocol.md P13): `permission_suggestions` and
//! `updatedPermissions`.
//!
//! Updates are read exactly; those about rules are applied to a [`RuleSet`], and all are written back as JSON. The
//! session applies modes and directories, the engine writes files: nothing is written here.
//!
//! INVARIANT: an update that is not fully understood is an error, and changes nothing.

mod parse;

use serde_json::{Map, Value, json};

use crate::permission::{RuleList, RuleOrigin, RuleSet, RuleWarning};
use crate::rule::Rule;

pub use parse::UpdateError;

/// The target of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Destination {
    /// The session, in memory.
    Session,
    /// The project's local file.
    LocalSettings,
    /// The project's file.
    ProjectSettings,
    /// The user's file.
    UserSettings,
}

/// A permission mode (protocol.md P14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// `default`; `manual` is another name of it.
    Default,
    /// `acceptEdits`.
    AcceptEdits,
    /// `plan`.
    Plan,
    /// `dontAsk`.
    DontAsk,
    /// `bypassPermissions`: only if the session was started with it available, and never written to a file.
    BypassPermissions,
    /// `auto`.
    Auto,
}

/// One change of the permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Adds the rules that the list does not have yet.
    AddRules(RuleList, Vec<Rule>),
    /// Makes these the only rules of the list at the destination.
    ReplaceRules(RuleList, Vec<Rule>),
    /// Removes rules from the list at the destination.
    RemoveRules(RuleList, Vec<Rule>),
    /// Sets the mode.
    SetMode(Mode),
    /// Adds working directories, as they were written.
    AddDirectories(Vec<String>),
    /// Removes working directories.
    RemoveDirectories(Vec<String>),
}

/// One entry of `updatedPermissions` or `permission_suggestions`.
///
/// ```
/// use becket_rules::{Change, Destination, PermissionUpdate, Rule, RuleList};
/// let value = serde_json::json!({"tool": "Bash(git status)", "behavior": "allow"});
/// let update = PermissionUpdate::parse(&value)?;
/// assert_eq!(update.destination, Destination::Session);
/// assert_eq!(update.change, Change::AddRules(RuleList::Allow, vec![Rule::parse("Bash(git status)").unwrap()]));
/// # Ok::<(), becket_rules::UpdateError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionUpdate {
    /// The target of the change.
    pub destination: Destination,
    /// The change itself.
    pub change: Change,
}

impl Destination {
    const ALL: [Self; 4] = [Self::Session, Self::LocalSettings, Self::ProjectSettings, Self::UserSettings];

    /// Returns the name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::LocalSettings => "localSettings",
            Self::ProjectSettings => "projectSettings",
            Self::UserSettings => "userSettings",
        }
    }
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 6] =
        [Self::Default, Self::AcceptEdits, Self::Plan, Self::DontAsk, Self::BypassPermissions, Self::Auto];

    /// Returns the mode of this name; `manual` is another name of `default`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "manual" => Some(Self::Default),
            name => Self::ALL.into_iter().find(|mode| mode.name() == name),
        }
    }

    /// Returns the name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Plan => "plan",
            Self::DontAsk => "dontAsk",
            Self::BypassPermissions => "bypassPermissions",
            Self::Auto => "auto",
        }
    }
}

impl PermissionUpdate {
    /// Parses one entry. `{tool, behavior}` is an `addRules` for the session; an absent `destination` is the session.
    ///
    /// # Errors
    /// Errors with [`UpdateError`], which names the field, the expected value and the value found.
    pub fn parse(value: &Value) -> Result<Self, UpdateError> {
        parse::update(value)
    }

    /// Returns the entry as JSON, in the long form.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut entry = Map::new();
        let (kind, fields) = match &self.change {
            Change::AddRules(list, rules) => ("addRules", rules_json(*list, rules)),
            Change::ReplaceRules(list, rules) => ("replaceRules", rules_json(*list, rules)),
            Change::RemoveRules(list, rules) => ("removeRules", rules_json(*list, rules)),
            Change::SetMode(mode) => ("setMode", vec![("mode", json!(mode.name()))]),
            Change::AddDirectories(paths) => ("addDirectories", vec![("directories", json!(paths))]),
            Change::RemoveDirectories(paths) => ("removeDirectories", vec![("directories", json!(paths))]),
        };
        entry.insert("type".to_owned(), json!(kind));
        entry.extend(fields.into_iter().map(|(key, value)| (key.to_owned(), value)));
        entry.insert("destination".to_owned(), json!(self.destination.name()));
        Value::Object(entry)
    }
}

impl RuleSet {
    /// Applies a change of rules; `origin` is that of the destination, and rules with other labels stay as they are.
    /// Changes of modes and directories have no effect here. Returns the warnings of `check` about the new rules.
    pub fn update(&mut self, change: &Change, origin: &RuleOrigin) -> Vec<RuleWarning> {
        match change {
            Change::AddRules(list, rules) => self.add_missing(*list, rules, origin),
            Change::ReplaceRules(list, rules) => {
                self.list_mut(*list).retain(|entry| entry.origin().label != origin.label);
                self.add_missing(*list, rules, origin)
            }
            Change::RemoveRules(list, rules) => {
                self.list_mut(*list)
                    .retain(|entry| entry.origin().label != origin.label || !rules.contains(entry.rule()));
                Vec::new()
            }
            Change::SetMode(_) | Change::AddDirectories(_) | Change::RemoveDirectories(_) => Vec::new(),
        }
    }

    fn add_missing(&mut self, list: RuleList, rules: &[Rule], origin: &RuleOrigin) -> Vec<RuleWarning> {
        let mut warnings = Vec::new();
        for rule in rules {
            let there = |entry: &crate::RuleEntry| entry.rule() == rule && entry.origin() == origin;
            if !self.list(list).iter().any(there) {
                warnings.extend(self.add_rule(list, rule.clone(), origin.clone()));
            }
        }
        warnings
    }
}

fn rules_json(list: RuleList, rules: &[Rule]) -> Vec<(&'static str, Value)> {
    let one = |rule: &Rule| match rule.specifier() {
        Some(specifier) => json!({"toolName": rule.tool(), "ruleContent": specifier}),
        None => json!({"toolName": rule.tool()}),
    };
    vec![("rules", rules.iter().map(one).collect()), ("behavior", json!(list.key()))]
}
