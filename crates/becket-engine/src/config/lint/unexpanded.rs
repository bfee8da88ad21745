//! Paths that no shell expands: `'$HOME/x'`, `"~/x"`, `%USERPROFILE%/x`, and `~/x` without a shell (H2).

use super::commands::INTERPRETERS;
use super::{Around, Entry, simple_commands};
use crate::config::source::report::Report;

/// Reports the first path of a shell text that stays as it is written.
pub(super) fn lint(text: &str, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let ours = ["PROJECT_DIR", "PLUGIN_ROOT", "PLUGIN_DATA"].map(|part| around.profile.var(part));
    let found = simple_commands::of_text(text).into_iter().find_map(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        paths(&words).into_iter().find_map(|word| Some((word.to_owned(), reason(word, &ours)?)))
    });
    let Some((word, reason)) = found else { return };
    let at = report.part_of(entry.handler.action_span, text, &word);
    warn(&word, reason, at, report);
}

/// Reports a path of a program or script that is started without a shell.
pub(super) fn of_program(words: &[&str], entry: &Entry, report: &mut Report<'_>) {
    let expands = |word: &str| {
        ["~/", "$HOME/", "${HOME}/", "$PWD/", "${PWD}/"].iter().any(|start| word.starts_with(start))
            || of_cmd(word)
    };
    let Some(word) = paths(words).into_iter().find(|word| expands(word)) else { return };
    let reason = "nothing is replaced in it without a shell";
    warn(word, reason, entry.handler.action_span, report);
}

fn warn(word: &str, reason: &str, at: crate::config::source::tree::Span, report: &mut Report<'_>) {
    let message = format!("`{word}` stays as it is, for {reason}: no file has this name");
    report
        .error(at, "unexpanded-path", message)
        .help("in a command without `args`, write `\\\"$HOME\\\"/…`")
        .rule("H2");
}

/// Returns the words of a command that name a program, a script or a file that is tested.
fn paths<'t>(words: &[&'t str]) -> Vec<&'t str> {
    match words {
        ["[" | "[[" | "test", rest @ ..] => rest.to_vec(),
        ["cd" | "exec" | "nohup", path, ..] => vec![path],
        [program, rest @ ..] => {
            let name = program.rsplit('/').next().unwrap_or(program);
            let script = rest.first().filter(|_| INTERPRETERS.contains(&name));
            std::iter::once(*program).chain(script.copied()).collect()
        }
        [] => Vec::new(),
    }
}

/// Returns the reason why a word stays as it is.
fn reason(word: &str, ours: &[String]) -> Option<&'static str> {
    let inner = |quote: char| {
        let inner = word.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(['\'', '"', '\n', ';', '|'])).then_some(inner)
    };
    if let Some(inner) = inner('\'') {
        // The host replaces its own placeholders before the shell sees the text.
        let is_ours = ours.iter().any(|name| inner.starts_with(&format!("${{{name}}}")));
        let expands = inner.starts_with("~/") || begins_with_variable(inner);
        return (expands && !is_ours).then_some("a shell replaces nothing in single quotes");
    }
    if inner('"').is_some_and(|inner| inner.starts_with("~/")) {
        return Some("a shell replaces no `~` in quotes");
    }
    of_cmd(inner('"').unwrap_or(word)).then_some("only `cmd.exe` replaces `%NAME%`")
}

/// Returns whether a path begins with a variable: `$HOME/x`, `${HOME}/x`.
fn begins_with_variable(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('$') else { return false };
    let braced = rest.strip_prefix('{');
    let body = braced.unwrap_or(rest);
    let end = body.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(body.len());
    let after = body.get(end..).unwrap_or_default();
    let after = if braced.is_some() { after.strip_prefix('}') } else { Some(after) };
    end > 1 && after.is_some_and(|after| after.starts_with('/'))
}

/// Returns whether a path begins as for `cmd.exe`: `%USERPROFILE%\x`.
fn of_cmd(path: &str) -> bool {
    let parts = path.strip_prefix('%').and_then(|rest| rest.split_once('%'));
    parts.is_some_and(|(name, after)| {
        name.len() > 1
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
            && after.starts_with(['/', '\\'])
    })
}

#[cfg(test)]
mod tests {
    use super::reason;

    // rule: H2
    #[test]
    fn a_path_stays_as_it_is_in_quotes_that_no_shell_looks_into() {
        let ours = ["CLAUDE_PLUGIN_ROOT".to_owned()];
        for word in ["'$HOME/x'", "'${HOME}/x'", "'~/x y'", "\"~/x\"", "%USERPROFILE%\\x", "\"%APPDATA%/x\""]
        {
            assert!(reason(word, &ours).is_some(), "{word}");
        }
        for word in [
            "\"$HOME/x\"",
            "~/x",
            "'${CLAUDE_PLUGIN_ROOT}/x'",
            "'$x/y'",
            "'.a'",
            "\"a ~/x\"",
            "%a",
            "'$HOME/a'/b",
            "'$HOME'",
        ] {
            assert!(reason(word, &ours).is_none(), "{word}");
        }
    }
}
