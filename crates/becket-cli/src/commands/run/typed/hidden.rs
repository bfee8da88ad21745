//! Files whose names are reserved by the program's own commands.

use super::table::names;
use becket_agent::skills::Skills;

/// Returns the warnings about these files.
pub(crate) fn hidden(skills: &Skills) -> Vec<String> {
    let taken = skills.for_user().filter(|skill| names().any(|own| own == &*skill.name));
    taken
        .map(|skill| {
            let (name, file) = (&skill.name, skill.file.display());
            format!("`/{name}` is becket's own command, so `{file}` can't be typed: give it another name")
        })
        .collect()
}
