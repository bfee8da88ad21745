//! Commands that are plainly a call of `becket fire --stdin-event`, recognised by their text.

use crate::config::handler::{Action, Command, Shell};
use becket_rules::shell::Line;

/// The option that only Becket has.
const OPTION: &str = "--stdin-event";

/// The profile whose hooks a call runs if its text names none.
const DEFAULT_PROFILE: &str = "claude";

/// The beginnings of the entries that `becket install` writes and has written.
const REGISTRATIONS: [&str; 2] = [
    "sh -c 'trap : HUP INT TERM; if case $0 in */*) [ -s \"$0\" ];; *) [ -s \"$(command -v \"$0\")\" ];; esac; then becket_answer=$(shift 3; ",
    "sh -c 'o=$1 e=$2 x=$3; shift 3; \"$0\" \"$@\"; c=$?; ",
];

/// Programs that decide nothing themselves and may accompany a call.
const HARMLESS: &[&str] = &[
    ":", "[", "cat", "cd", "command", "echo", "exec", "exit", "export", "hash", "jq", "printf", "pwd", "set",
    "tee", "test", "true", "type", "which",
];

/// Programs whose words are data.
const PRINTERS: &[&str] = &["echo", "printf", "grep", "rg", "logger"];

/// Returns whether the action does nothing but run Becket on the hooks of the same profile. A call that can't be
/// recognised by its text carries the marks of its event instead.
pub(crate) fn runs_becket(action: &Action, profile: &str) -> bool {
    match action {
        Action::Command(Command::Exec { program, args }) => {
            let words = std::iter::once(&**program).chain(args.iter().map(String::as_str));
            let words: Vec<Option<&str>> = words.map(Some).collect();
            calls(&words, profile) || words.iter().flatten().any(|word| in_shell(word, profile))
        }
        Action::Command(Command::Shell { script, shell: Shell::Default }) => in_shell(script, profile),
        Action::Command(Command::Shell { shell: Shell::PowerShell, .. })
        | Action::Http(_)
        | Action::McpTool(_)
        | Action::Prompt(_)
        | Action::Agent(_)
        | Action::Callback(_) => false,
    }
}

/// Returns whether the action is an entry of `becket install`: Becket as the hook of an agent that reads the same file.
pub(crate) fn is_registration(action: &Action) -> bool {
    let Action::Command(Command::Shell { script, .. }) = action else { return false };
    let rest = REGISTRATIONS.iter().find_map(|beginning| script.strip_prefix(beginning));
    let rest = rest.and_then(|rest| rest.rsplit_once(" fire --dialect "));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "- ".contains(c);
    rest.is_some_and(|(_, options)| options.contains(" --installed ") && options.chars().all(is_plain))
}

/// Returns whether a shell line does nothing but such a call.
fn in_shell(text: &str, profile: &str) -> bool {
    if !text.contains(OPTION) || text.trim() == OPTION {
        return false;
    }
    let line = Line::parse(text);
    let mut found = false;
    for command in line.commands() {
        let words: Vec<Option<&str>> = command.words().collect();
        if calls(&words, profile) {
            found = true;
        } else if !is_harmless(&words) && !holds_a_call(&words) {
            return false;
        }
    }
    found
}

fn is_harmless(words: &[Option<&str>]) -> bool {
    words.first().copied().flatten().is_some_and(|program| HARMLESS.contains(&name(program)))
}

/// Returns whether it is a shell or another program that gets the text of the call as an argument.
fn holds_a_call(words: &[Option<&str>]) -> bool {
    let program = words.first().copied().flatten().map(name);
    program.is_some_and(|program| !PRINTERS.contains(&program))
        && words.iter().skip(1).flatten().any(|word| word.contains(OPTION) && *word != OPTION)
}

/// Returns whether the words are a program that is or may be Becket, or that starts it, with `fire --stdin-event`.
fn calls(words: &[Option<&str>], profile: &str) -> bool {
    let at = |wanted: &str| words.iter().position(|word| *word == Some(wanted));
    let (Some(fire), Some(option)) = (at("fire"), at(OPTION)) else { return false };
    if fire == 0 || fire > option {
        return false;
    }
    let before = words.get(..fire).unwrap_or_default();
    let program = before.first().copied().flatten();
    if program.is_some_and(|program| PRINTERS.contains(&name(program))) {
        return false;
    }
    let is_becket =
        before.len() == 1 || before.iter().any(|word| word.is_none_or(|word| name(word) == "becket"));
    is_becket && profile_of(words).is_some_and(|named| named == profile)
}

/// Returns the profile that the words name; `None` if only run time knows it.
fn profile_of<'w>(words: &[Option<&'w str>]) -> Option<&'w str> {
    let mut named = DEFAULT_PROFILE;
    for (at, word) in words.iter().enumerate() {
        match word {
            Some("--profile") => named = words.get(at + 1).copied().flatten()?,
            Some(word) => named = word.strip_prefix("--profile=").unwrap_or(named),
            None => {}
        }
    }
    Some(named)
}

/// Returns the name of a program, without its directory, a version and `.exe`.
fn name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.split('@').next().unwrap_or(name);
    name.strip_suffix(".exe").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: H14
    #[test]
    fn plain_calls_are_told_by_their_text() {
        for line in [
            "becket fire --stdin-event",
            "/usr/local/bin/becket fire --stdin-event",
            "exec becket fire --stdin-event",
            "becket -C /srv --profile claude fire --stdin-event --nobody-to-ask",
            "becket fire --profile=claude --stdin-event",
            "\"$HOME\"/.cargo/bin/becket fire --stdin-event",
            "$BECKET fire --stdin-event",
            "./guard fire --stdin-event",
            "env -i PATH=/bin becket fire --stdin-event",
            "sh -c 'becket fire --stdin-event'",
            "timeout 5 becket fire --stdin-event",
            "npx -y becket@latest fire --stdin-event",
            "cd \"$CLAUDE_PROJECT_DIR\" && becket fire --stdin-event",
            "cat | becket fire --stdin-event || exit 2",
            "if command -v becket >/dev/null; then becket fire --stdin-event; fi",
            "RUST_LOG=debug becket fire --stdin-event 2>>/tmp/log",
        ] {
            assert!(in_shell(line, "claude"), "{line}");
        }
    }

    // rule: H14
    #[test]
    fn what_does_something_else_runs() {
        for line in [
            "becket --profile becket fire --stdin-event",
            "becket --profile \"$PROFILE\" fire --stdin-event",
            "becket fire --stdin-event; ./guard.sh",
            "./guard.sh && becket fire --stdin-event",
            "echo becket fire --stdin-event",
            "echo 'becket fire --stdin-event'",
            "# becket fire --stdin-event\n./guard.sh",
            "becket check",
            "becket fire PreToolUse --tool Bash",
            "--stdin-event",
        ] {
            assert!(!in_shell(line, "claude"), "{line}");
        }
        assert!(in_shell("becket --profile becket fire --stdin-event", "becket"));
    }
}
