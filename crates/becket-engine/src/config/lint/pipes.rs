//! Lints on what one command hands to another: file names that `xargs` splits, strings from jq that keep their quotes.

use super::Entry;
use super::answers::blanks_joined;
use crate::config::source::report::Report;
use becket_rules::shell::{Command, Line};

pub(super) fn lint(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    split_names(line, text, entry, report);
    quoted_text(line, text, entry, report);
}

/// Notes `xargs` without `-0` after a command that prints file names.
fn split_names(line: &Line, text: &str, entry: &Entry, report: &mut Report<'_>) {
    let joined = blanks_joined(text);
    let mut stages: Vec<&Command> = Vec::new();
    for command in line.commands() {
        let is_piped = stages.last().is_some_and(|last| is_between(&joined, last, command));
        if is_piped && is_splitting(command) && stages.iter().any(|stage| prints_names(stage)) {
            let at = report.part_of(entry.handler.action_span, text, "xargs");
            let message = "`xargs` splits file names at spaces, and interprets quotes in them";
            report
                .note(at, "xargs-splits-names", message)
                .help("put `tr '\\\\n' '\\\\0' |` in front of it, and write `xargs -0`")
                .rule("H2");
            return;
        }
        if !is_piped || !is_filter(command) {
            stages.clear();
        }
        stages.push(command);
    }
}

/// Returns whether nothing but a pipe is between two commands.
fn is_between(text: &str, first: &Command, second: &Command) -> bool {
    let after = text.split_once(first.raw()).map_or("", |(_, after)| after);
    let between = after.split_once(second.raw()).map_or("", |(between, _)| between).trim();
    between.trim_start_matches("2>/dev/null").trim() == "|"
}

/// Returns whether a command is `xargs` and treats each blank as the end of a name.
fn is_splitting(command: &Command) -> bool {
    /// Options that keep the blanks of a name, or set the end of one.
    const KEEPS: [&str; 7] = ["-d", "-I", "-i", "-L", "--null", "--delimiter", "--replace"];
    /// Options whose value is the next word, if it is not a part of theirs.
    const WITH_VALUE: [&str; 9] =
        ["-n", "-P", "-s", "-a", "-E", "--max-args", "--max-procs", "--max-chars", "--arg-file"];
    let words: Vec<&str> = command.words().map(Option::unwrap_or_default).collect();
    let ["xargs", rest @ ..] = words.as_slice() else { return false };
    let mut rest = rest.iter();
    while let Some(option) = rest.next().filter(|word| word.starts_with('-')) {
        // `-r0`: options without a value may share a word.
        let has_zero =
            is_short(option) && option.trim_start_matches(['-', 'r', 't', 'p', 'x', 'o']).starts_with('0');
        if has_zero || KEEPS.iter().any(|known| option.starts_with(known)) {
            return false;
        }
        if WITH_VALUE.contains(option) {
            rest.next();
        }
    }
    true
}

/// Returns whether a command prints file names, one on each line.
fn prints_names(command: &Command) -> bool {
    let words: Vec<&str> = command.words().map(Option::unwrap_or_default).collect();
    let has = |option: &str| words.contains(&option);
    match words.as_slice() {
        ["jq", ..] => words.iter().any(|word| word.contains(".file_path") || word.contains(".notebook_path")),
        ["git", "diff", ..] => has("--name-only") && !has("-z"),
        ["git", "ls-files", ..] => !has("-z"),
        ["find", ..] => !has("-print0") && !has("-exec"),
        _ => false,
    }
}

/// Returns whether a command passes file names on.
fn is_filter(command: &Command) -> bool {
    matches!(
        command.words().next().flatten(),
        Some("grep" | "sort" | "uniq" | "head" | "tail" | "sed" | "awk")
    )
}

/// Warns about `jq` without `-r` whose text is compared with a word without quotes.
fn quoted_text(line: &Line, text: &str, entry: &Entry, report: &mut Report<'_>) {
    let joined = blanks_joined(text);
    for command in line.commands().iter().filter(|command| prints_quotes(command)) {
        let Some((before, after)) = joined.split_once(command.raw()) else { continue };
        let Some((front, _)) = before.rsplit_once("$(") else { continue };
        let Some((_, after)) = after.split_once(')') else { continue };
        let is_assigned = front.strip_suffix("=\"").or_else(|| front.strip_suffix('='));
        let word = match is_assigned.map(last_name).filter(|name| !name.is_empty()) {
            Some(name) => compared(after, name),
            None => operand(after.trim_start_matches('"')),
        };
        let Some(word) = word.filter(|word| is_bare(word)) else { continue };
        let at = report.part_of(entry.handler.action_span, text, command.raw());
        let message = format!("jq prints a text in quotes here, so it never equals `{word}`");
        report.warning(at, "jq-keeps-quotes", message).help("write `jq -r`").rule("H2");
        return;
    }
}

/// Returns whether a command is jq, prints one field of its input, and prints it as JSON.
fn prints_quotes(command: &Command) -> bool {
    let words: Vec<&str> = command.words().map(Option::unwrap_or_default).collect();
    let ["jq", rest @ ..] = words.as_slice() else { return false };
    let is_raw = |word: &str| {
        word.starts_with("--raw") || word.starts_with("--join") || is_short(word) && word.contains(['r', 'j'])
    };
    let program = rest.iter().find(|word| !word.starts_with('-'));
    let is_field = |program: &str| {
        let path = program.split("//").next().unwrap_or_default().trim();
        path.len() > 1
            && path.starts_with('.')
            && path.chars().all(|c| c.is_ascii_alphanumeric() || "._?".contains(c))
    };
    !rest.iter().any(|word| is_raw(word)) && program.is_some_and(|program| is_field(program))
}

/// Returns whether a word consists of short options.
pub(super) fn is_short(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--")
}

/// Returns the name at the end of a text.
fn last_name(text: &str) -> &str {
    text.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// Returns the word that a variable is compared with.
fn compared<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    [format!("${name}"), format!("${{{name}}}")].iter().find_map(|variable| {
        text.match_indices(variable.as_str())
            .find_map(|(at, _)| operand(text.get(at + variable.len()..)?.trim_start_matches('"')))
    })
}

/// Returns the word after `=` or `==` at the beginning of a text.
fn operand(text: &str) -> Option<&str> {
    let text = text.strip_prefix(' ')?;
    let rest = ["== ", "= ", "!= "].iter().find_map(|operator| text.strip_prefix(operator))?;
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    match quote {
        Some(quote) => rest.get(1..)?.split(quote).next(),
        None => rest.split([' ', ';', ']', ')']).next(),
    }
}

/// Returns whether a word is a text that JSON writes in quotes, and has none.
fn is_bare(word: &str) -> bool {
    let is_other = matches!(word, "" | "true" | "false" | "null") || word.parse::<f64>().is_ok();
    let is_pattern = word.starts_with('*') && word.ends_with('*');
    !(is_other || is_pattern || word.contains(['"', '\\', '$', '`']))
}
