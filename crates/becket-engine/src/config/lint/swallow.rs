//! Guards whose exit code is lost: `check.sh || true`.

use becket_rules::shell::Line;

/// Returns the end of a line that succeeds whatever happened before, if it has one.
pub(super) fn ending(text: &str, line: &Line) -> Option<String> {
    // A guard that answers in JSON refuses by its answer, and ends with 0.
    if ["permissionDecision", "\"decision\"", "\\\"decision\\\""].iter().any(|key| text.contains(key)) {
        return None;
    }
    let own: Vec<_> = line.commands().iter().filter(|command| command.via().is_none()).collect();
    let (last, before) = own.split_last()?;
    if before.iter().all(|command| only_tests_or_prints(command))
        || before.iter().any(|command| refuses(command))
    {
        return None;
    }
    let words: Vec<Option<&str>> = last.words().collect();
    let always = match words.as_slice() {
        [Some("true")] => "true",
        [Some(":")] => ":",
        [Some("exit"), Some("0")] => "exit 0",
        _ => return None,
    };
    let front = text.trim_end().trim_end_matches(';').trim_end().strip_suffix(always)?.trim_end();
    if front.ends_with("||") {
        Some(format!("|| {always}"))
    } else if front.ends_with(';') || text.trim_end().lines().count() > 1 {
        Some(format!("; {always}"))
    } else {
        None
    }
}

/// Returns whether a command only tests something or prints a text, so that its exit code refuses nothing.
fn only_tests_or_prints(command: &becket_rules::shell::Command) -> bool {
    matches!(command.words().next().flatten(), Some("[" | "test" | "echo" | "printf"))
}

/// Returns whether a command sets the exit code on purpose, so that the ending only covers the rest.
fn refuses(command: &becket_rules::shell::Command) -> bool {
    let words: Vec<Option<&str>> = command.words().collect();
    match words.as_slice() {
        [Some("exit"), code] => *code != Some("0"),
        // The program replaces the shell, so its exit code is the hook's.
        [Some("exec"), _, ..] => true,
        _ => false,
    }
}
