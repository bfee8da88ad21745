//! Conversion of a file's fields to a [`Skill`].

use super::skill::{Kind, Skill};
use crate::definitions::{DefinitionOwner, Fields, ModelChoice, is_plain};
use becket_base::text::cut;
use becket_model::Source;
use std::path::Path;

/// Fields of other hosts' skills that have no effect here yet.
const NOT_YET: [&str; 2] = ["context", "agent"];
/// The maximum number of characters of a description that is taken from the text.
const LONGEST_DESCRIPTION: usize = 200;

/// The location of a definition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) source: &'a Source,
    pub(super) file: &'a Path,
    pub(super) kind: Kind,
    /// The default name: directories and file, or the skill's directory.
    pub(super) path_name: &'a str,
    /// The prefix of the name, for a plugin's skill.
    pub(super) namespace: Option<&'a str>,
    /// The plugin's directory, for a plugin's skill.
    pub(super) root: Option<&'a Path>,
    pub(super) text: &'a str,
}

/// Returns the skill, unless an error prevents loading it; the error is then among the findings.
pub(super) fn skill(fields: &mut Fields<'_>, place: Place<'_>) -> Option<Skill> {
    if fields.is_broken() {
        return None;
    }
    let name = name(fields, &place)?;
    for key in NOT_YET {
        if fields.has(key) {
            fields.warning(
                key,
                "not-supported",
                format!("`{key}` of a skill is not supported yet, and ignored"),
            );
        }
    }
    let body = fields.body.trim().to_owned();
    Some(Skill {
        name: place.namespace.map_or_else(|| name.clone(), |space| format!("{space}:{name}")).into(),
        description: fields.text("description").unwrap_or_else(|| first_words(&body)),
        argument_hint: fields.written("argument-hint"),
        arguments: fields.names("arguments").unwrap_or_default(),
        allowed_tools: fields.names("allowed-tools").unwrap_or_default(),
        model: ModelChoice::of(fields.text("model")),
        for_model: !fields.flag("disable-model-invocation").unwrap_or(false),
        for_user: fields.flag("user-invocable").unwrap_or(true),
        kind: place.kind,
        owner: DefinitionOwner::Source(place.source.clone()),
        file: place.file.into(),
        directory: place.file.parent().unwrap_or_else(|| Path::new("")).to_owned(),
        root: place.root.map(Path::to_owned),
        body: body.into(),
        hooks: fields.has("hooks").then(|| place.text.into()),
    })
}

/// Returns the name: a skill may set its own, a command is named after its file.
fn name(fields: &mut Fields<'_>, place: &Place<'_>) -> Option<String> {
    let own_name = match place.kind {
        Kind::Skill => fields.text("name"),
        Kind::Command => None,
    };
    let name = own_name.unwrap_or_else(|| place.path_name.to_owned());
    if name.split(':').all(is_plain) && (place.kind == Kind::Command || !name.contains(':')) {
        return Some(name);
    }
    let shown = becket_tools::schema::brief(&name);
    let message =
        format!("`{shown}` can't be typed as a command: use letters, digits, `-`, `_` and `.`, 64 at most");
    fields.error("name", "bad-name", message);
    None
}

/// Returns the first line with text.
fn first_words(body: &str) -> String {
    let line = body.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
    cut(line.unwrap_or_default(), LONGEST_DESCRIPTION)
}
