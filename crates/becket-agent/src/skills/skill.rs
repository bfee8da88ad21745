//! The definition of a skill or a command, as its file describes it.

use crate::definitions::{ModelChoice, Whose};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A skill or a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    /// Its name, as it is typed behind `/`; directories of a command and a plugin's name precede it: `kit:git:tidy`.
    pub name: Arc<str>,
    /// Its purpose, for the model and the user.
    pub description: String,
    /// Hint on its arguments, for the user.
    pub argument_hint: Option<String>,
    /// The names of its arguments, in order: `$name` in its text is the word in that place.
    pub arguments: Vec<String>,
    /// The calls that need no question while it is used, as it wants it: rules for `permissions.allow`.
    pub allowed_tools: Vec<String>,
    /// The model that it asks for.
    pub model: ModelChoice,
    /// Set if the model may use it on its own.
    pub for_model: bool,
    /// Set if the user may type it.
    pub for_user: bool,
    /// Its kind: skill or command.
    pub kind: Kind,
    /// Owner of the definition.
    pub whose: Whose,
    /// Its file.
    pub file: Arc<Path>,
    /// Its directory.
    pub directory: PathBuf,
    /// The directory of the plugin that ships it.
    pub root: Option<PathBuf>,
    /// Text for the model.
    pub(crate) body: Arc<str>,
    /// The text that its hooks are read from, if it has any.
    pub(crate) hooks: Option<Arc<str>>,
}

/// Kind of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A directory with a `SKILL.md`.
    Skill,
    /// A Markdown file below `commands`.
    Command,
}

impl Skill {
    /// Returns its source, as in UserPromptExpansion (`command_source`).
    #[must_use]
    pub(crate) fn source_on_the_wire(&self) -> String {
        use becket_model::Source;
        match &self.whose {
            Whose::BuiltIn => "builtin".to_owned(),
            Whose::Source(source) => match source {
                Source::Policy => "policySettings".to_owned(),
                Source::User => "userSettings".to_owned(),
                Source::Project => "projectSettings".to_owned(),
                Source::Local => "localSettings".to_owned(),
                Source::Plugin(_) => "plugin".to_owned(),
                Source::Flag => "flagSettings".to_owned(),
                Source::Skill(_) | Source::Agent(_) | Source::Callback | Source::Function => {
                    source.to_string()
                }
            },
        }
    }
}
