//! Files that are Becket's own as a whole: the script of an event, a plugin.

use crate::agent::ConfigForm;
use crate::command::{is_started, own_words};

/// The beginning of the line that says who wrote the file.
const WRITTEN: &str = "Written by `becket install ";

/// Returns the program that an own file starts and its arguments; `None` for any other file.
pub(crate) fn started_by(form: ConfigForm, text: &str) -> Option<Vec<String>> {
    match form {
        ConfigForm::Scripts => of_script(text),
        ConfigForm::Plugin(_) => of_plugin(text),
        ConfigForm::Groups { .. } | ConfigForm::List(_) | ConfigForm::Tables | ConfigForm::Sequences => None,
    }
}

/// Returns true if a file is Becket's own.
pub(crate) fn is_own_file(form: ConfigForm, text: &str) -> bool {
    started_by(form, text).is_some()
}

fn of_script(text: &str) -> Option<Vec<String>> {
    let mut lines = text.lines();
    let _interpreter = lines.next()?;
    lines.next()?.strip_prefix("# ")?.strip_prefix(WRITTEN)?;
    own_words(lines.find_map(|line| line.strip_prefix("exec "))?)
}

fn of_plugin(text: &str) -> Option<Vec<String>> {
    text.lines().next()?.strip_prefix("// ")?.strip_prefix(WRITTEN)?;
    let words = text.lines().find_map(|line| line.strip_prefix("const COMMAND = "))?;
    let words: Vec<String> = serde_json::from_str(words).ok()?;
    is_started(&words).then_some(words)
}
