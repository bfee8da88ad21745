//! Removals that no allow passes (D3): `rm` or `rmdir` of the root and its children, the home directory, the cwd and
//! its parents, and of a glob or slash straight after a variable, which is the root where the variable is empty.

use super::call::{Call, CommandLine, Scope};
use crate::path::{Normal, lexical};

/// Why a call removes a critical path, if it does. Whatever only run time knows, other than a variable that a glob or
/// slash follows, is not critical by itself: no allow rule covers a command that is not known.
#[must_use]
pub fn critical_removal(call: &Call<'_>, scope: &Scope<'_>) -> Option<String> {
    match call.line()? {
        CommandLine::Bash(line) => line.commands().iter().find_map(|command| {
            let start = command.args.iter().position(|arg| arg.command_name().is_some_and(is_removal))?;
            let operands = command.args.get(start + 1..)?;
            operands.iter().find_map(|arg| critical(&arg.text, arg.glob, scope))
        }),
        CommandLine::PowerShell(line) => line.commands().find_map(|command| {
            let mut words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
            words.find(|word| is_powershell_removal(word))?;
            words.find_map(|word| critical(word, word.contains('*'), scope))
        }),
    }
}

fn is_removal(name: &str) -> bool {
    matches!(name, "rm" | "rmdir")
}

fn is_powershell_removal(name: &str) -> bool {
    ["rm", "rmdir", "ri", "rd", "del", "erase", "remove-item"]
        .iter()
        .any(|own| name.eq_ignore_ascii_case(own))
}

fn critical(text: &str, glob: bool, scope: &Scope<'_>) -> Option<String> {
    if let Some(expanded) = home_expanded(text, scope) {
        return critical(&expanded, glob, scope);
    }
    if glob_or_slash_after_variable(text) {
        return Some(format!(
            "`{text}` is the root, or all that is in a directory, where the variable is empty"
        ));
    }
    if text.starts_with('-') || text.contains(['$', '`']) {
        return None;
    }
    // All that is in a directory is as bad as the directory.
    let whole = match text.rsplit_once('/') {
        Some((directory, "*" | ".*" | "**")) if glob => format!("{directory}/."),
        None if glob && matches!(text, "*" | ".*" | "**") => ".".to_owned(),
        Some(_) | None => text.to_owned(),
    };
    let path = lexical(&whole, &Normal::of(scope.cwd), scope.home_path().as_ref())?;
    let what = place(&path, scope)?;
    Some(format!("`{text}` is {what}"))
}

fn place(path: &Normal, scope: &Scope<'_>) -> Option<&'static str> {
    if path.text() == "/" {
        return Some("the root of the file system");
    }
    if path.text().matches('/').count() == 1 {
        return Some("a directory of the root");
    }
    let places = scope.places(scope.anchor);
    if places.home().contains(path) {
        return Some("the home directory");
    }
    let above = places.cwd().iter().any(|cwd| cwd.below(path).is_some());
    above.then_some("the cwd or a parent of it")
}

/// `$HOME` in front is known.
fn home_expanded(text: &str, scope: &Scope<'_>) -> Option<String> {
    let home = scope.home_path()?;
    let rest = text.strip_prefix("$HOME").or_else(|| text.strip_prefix("${HOME}"))?;
    (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}{rest}", home.text()))
}

/// `$X/…`, `$X*`, `${X}/…`, `$(…)/…` at the start.
fn glob_or_slash_after_variable(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('$') else { return false };
    let after = match rest.chars().next() {
        Some('{') => rest.split_once('}').map(|(_, after)| after),
        Some('(') => rest.rsplit_once(')').map(|(_, after)| after),
        Some(_) => rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').and_then(|at| rest.get(at..)),
        None => None,
    };
    after.is_some_and(|after| after.starts_with(['/', '*', '?', '\\']))
}
