//! Names of agents, skills and commands.

use becket_tools::schema::brief;

/// The maximum length of a name, in characters.
const LONGEST: usize = 64;

/// Returns whether a name can be typed, and matched by a rule: letters, digits, `-`, `_` and `.`.
pub(crate) fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.chars().count() <= LONGEST && name.chars().all(is_plain)
}

/// Returns the error for an unknown name, with the nearest name and all existing ones.
pub(crate) fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let name = brief(name);
    let near = becket_base::suggest(&name, known).map(|near| format!(": did you mean `{near}`?"));
    let there = match known {
        [] => format!("there is no {what} at all"),
        known => format!("there are: `{}`", known.join("`, `")),
    };
    match near {
        Some(near) => format!("there is no {what} `{name}`{near} {there}"),
        None => format!("there is no {what} `{name}`; {there}"),
    }
}
