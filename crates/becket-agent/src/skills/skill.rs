//! The definition of a skill or a command, as its file describes it.

use crate::definitions::{DefinitionOwner, ModelChoice};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A skill or a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    /// The name, as it is typed after `/`; a command's directories and a plugin's name precede it: `kit:git:tidy`.
    pub name: Arc<str>,
    /// The purpose of the skill, for the model and the user.
    pub description: String,
    /// The hint about the arguments, for the user.
    pub argument_hint: Option<String>,
    /// The names of the arguments, in order: `$name` in the text is the word at that position.
    pub arguments: Vec<String>,
    /// The calls that the skill wants to be allowed while it is used: rules for `permissions.allow`.
    pub allowed_tools: Vec<String>,
    /// The model that the skill requests.
    pub model: ModelChoice,
    /// Set if the model may use it on its own.
    pub for_model: bool,
    /// Set if the user may type it.
    pub for_user: bool,
    /// The kind of the definition: skill or command.
    pub kind: Kind,
    /// The owner of the definition.
    pub owner: DefinitionOwner,
    /// The definition's file.
    pub file: Arc<Path>,
    /// The definition's directory.
    pub directory: PathBuf,
    /// The directory of the plugin that contains it.
    pub root: Option<PathBuf>,
    /// The text for the model.
    pub(crate) body: Arc<str>,
    /// The text that the hooks are read from, if there are any.
    pub(crate) hooks: Option<Arc<str>>,
}

/// The kind of a definition.
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
        match &self.owner {
            DefinitionOwner::BuiltIn => "builtin".to_owned(),
            DefinitionOwner::Source(source) => match source {
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
