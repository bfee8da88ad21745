//! Lints on the fields of the input that a command reads: jq paths that match nothing, jq programs that are cut off by
//! a quote, absolute paths that are compared with a bare name.

use super::pipes::is_short;
use super::tool_fields::{self, ToolObject};
use super::{Around, Entry, inline};
use crate::config::source::report::Report;
use becket_base::suggest;
use becket_rules::MatcherKind;
use becket_rules::shell::{Command, Line};

pub(super) fn lint(text: &str, line: &Line, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    for command in line.commands() {
        if let Some(program) = inline::program(command) {
            expected_field(program, text, entry, report);
        }
        let Some(program) = jq_program(command) else { continue };
        let at = report.part_of(entry.handler.action_span, text, program);
        if let Some(fault) = unbalanced(program) {
            let message = format!("this program of jq has {fault}, so jq fails and prints nothing");
            report
                .error(at, "jq-syntax", message)
                .help("look for a quote of the shell that ends the program too early")
                .rule("H2");
            continue;
        }
        if reads_file(command, program) {
            continue;
        }
        let paths = paths(program);
        // A path beside one that exists is a fallback for other tools.
        let is_fallback = paths.len() > 1 && program.contains("//");
        for path in paths.iter().filter(|_| !is_fallback) {
            check_path(path, program, text, entry, around, report);
        }
    }
    bare_name(text, entry, report);
}

/// Returns the program that `jq` runs, if the line contains it.
fn jq_program(command: &Command) -> Option<&str> {
    let mut words = command.words();
    if words.next()?? != "jq" {
        return None;
    }
    while let Some(word) = words.next() {
        match word {
            Some(option) if option.starts_with('-') => skip_values(option, &mut words),
            Some(_) | None => return word,
        }
    }
    None
}

/// Skips the words after an option of jq that are its values.
fn skip_values<'w>(option: &str, words: &mut impl Iterator<Item = Option<&'w str>>) {
    let count = match option {
        "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => 2,
        "--indent" | "-L" => 1,
        _ => 0,
    };
    for _ in 0..count {
        words.next();
    }
}

/// Returns whether jq reads a file, or nothing, instead of the input of the hook.
fn reads_file(command: &Command, program: &str) -> bool {
    let is_null_input = |word: &str| word == "--null-input" || is_short(word) && word.contains('n');
    if command.words().flatten().any(is_null_input) {
        return true;
    }
    let mut after = command.words().skip_while(|word| *word != Some(program)).skip(1);
    while let Some(word) = after.next() {
        match word {
            // The words after it are values, not files.
            Some("--args" | "--jsonargs") => return false,
            Some(option) if option.starts_with('-') => skip_values(option, &mut after),
            Some(_) | None => return true,
        }
    }
    false
}

/// Describes the first unbalanced bracket or quote of a program.
fn unbalanced(program: &str) -> Option<&'static str> {
    let (mut open, mut rest) = (Vec::new(), program.chars());
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                // An interpolation contains a program of its own, which is not read.
                let mut depth = 0_usize;
                loop {
                    match rest.next() {
                        None => return Some("a string without its end"),
                        Some('\\') if depth == 0 => depth += usize::from(rest.next() == Some('(')),
                        Some('(') if depth > 0 => depth += 1,
                        Some(')') if depth > 0 => depth -= 1,
                        Some('"') if depth == 0 => break,
                        Some(_) => {}
                    }
                }
            }
            '#' => return None,
            '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => {
                let opened = open.pop();
                if !matches!((opened, c), (Some('('), ')') | (Some('['), ']') | (Some('{'), '}')) {
                    return Some("a bracket without its counterpart");
                }
            }
            _ => {}
        }
    }
    (!open.is_empty()).then_some("a bracket without its counterpart")
}

/// Returns the paths that begin at the input, such as `tool_input.file_path`, in order.
fn paths(program: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut before = ' ';
    for (at, c) in program.char_indices() {
        // After a pipe or inside of brackets `.` is no longer the input; in an object that is built it is.
        if matches!(c, '|' | '[') {
            break;
        }
        if c == '.' && !before.is_alphanumeric() && !matches!(before, '_' | '.' | '"' | ')' | ']' | '?') {
            let rest = program.get(at + 1..).unwrap_or_default();
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
            let path = rest.split(|c| !is_name(c)).next().unwrap_or_default().trim_end_matches('.');
            if !path.is_empty() {
                found.push(path.to_owned());
            }
        }
        before = c;
    }
    found
}

/// Fields that people expect in the input and that no event has, with what to use instead.
const EXPECTED: &[(&str, &str)] = &[
    ("stop_reason", "nothing says why the model stopped; `.last_assistant_message` holds its text"),
    ("tool_output", "the output of a tool is `.tool_response`"),
    ("tool_result", "the output of a tool is `.tool_response`"),
    ("user_prompt", "the text of the user is `.prompt`"),
    ("hook_event", "the name of the event is `.hook_event_name`"),
    ("project_dir", "the directory of the project is `$CLAUDE_PROJECT_DIR`"),
    ("exit_code", "the text in `.tool_response` or `.error` says how a tool ended"),
];

/// Reports a program in another language than jq that reads a field which no event has.
fn expected_field(program: &str, text: &str, entry: &Entry, report: &mut Report<'_>) {
    const PREFIXED: [&str; 4] = ["tool_output", "tool_result", "user_prompt", "hook_event"];
    let fields: Vec<&str> = entry.event.spec().all_input().map(|field| field.name).collect();
    let reads = |name: &str| {
        program.match_indices(name).any(|(at, _)| {
            let before = program.get(..at).unwrap_or_default();
            let after = program.get(at + name.len()..).unwrap_or_default();
            before.ends_with(['.', '\'', '"'])
                && !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    // A program that also reads the existing field has a fallback.
    let is_fallback = |instead: &str| {
        let field = instead.rsplit('.').next().unwrap_or_default().trim_end_matches('`');
        !field.is_empty() && reads(field)
    };
    let expected = EXPECTED.iter().filter(|(name, _)| PREFIXED.contains(name) && !fields.contains(name));
    let Some((name, instead)) =
        expected.into_iter().find(|(name, instead)| reads(name) && !is_fallback(instead))
    else {
        return;
    };
    let at = report.part_of(entry.handler.action_span, text, name);
    let message = format!("the input of `{}` has no field `{name}`", entry.event);
    report.warning(at, "unknown-input-field", message).help(*instead).rule("N1");
}

/// Checks a path against the fields of the event, and of the tools that the matcher names.
fn check_path(
    path: &str,
    program: &str,
    text: &str,
    entry: &Entry,
    around: &Around<'_>,
    report: &mut Report<'_>,
) {
    let mut parts = path.split('.');
    let (Some(first), second) = (parts.next(), parts.next()) else { return };
    let at = report.part_of(entry.handler.action_span, text, program);
    let fields: Vec<&str> = entry.event.spec().all_input().map(|field| field.name).collect();
    if !fields.contains(&first) {
        // A host may add fields (N5), so only a near miss is a mistake, or a name that people expect.
        if let Some((_, instead)) = EXPECTED.iter().find(|(name, _)| *name == first) {
            let message = format!("the input of `{}` has no field `{first}`", entry.event);
            report.warning(at, "unknown-input-field", message).help(*instead).rule("N1");
        } else if let Some(near) = suggest(first, &fields) {
            let message = format!("the input of `{}` has no field `{first}`", entry.event);
            report
                .warning(at, "unknown-input-field", message)
                .help(format!("did you mean `.{near}`?"))
                .rule("N1");
        }
        return;
    }
    let object = [ToolObject::Input, ToolObject::Response].into_iter().find(|object| object.key() == first);
    let (Some(object), Some(field)) = (object, second) else { return };
    let Some(known) = fields_of_all(entry, around, object) else { return };
    if known.contains(&field) {
        return;
    }
    let tools = match entry.matcher.kind() {
        MatcherKind::Names(names) => names.join("`, `"),
        MatcherKind::Everything | MatcherKind::Expression(_) => return,
    };
    let message = format!("`{}` of `{tools}` has no field `{field}`, so jq prints `null`", object.key());
    let help = match suggest(field, &known) {
        Some(near) => format!("did you mean `.{}.{near}`?", object.key()),
        None => format!("it has {}", known.join(", ")),
    };
    report.warning(at, "unknown-tool-field", message).help(help).rule("N1");
}

/// Returns the fields that any of the tools of a matcher has; `None` unless all of them are known.
fn fields_of_all(entry: &Entry, around: &Around<'_>, object: ToolObject) -> Option<Vec<&'static str>> {
    let MatcherKind::Names(names) = entry.matcher.kind() else { return None };
    let mut fields = Vec::new();
    for name in names {
        let name: &str = name;
        fields.extend(
            tool_fields::of(around.tools.current(name), object).or_else(|| tool_fields::of(name, object))?,
        );
    }
    Some(fields)
}

/// Reports `"$FILE" == "package.json"` where the path is absolute (N3).
fn bare_name(text: &str, entry: &Entry, report: &mut Report<'_>) {
    if !text.contains(".tool_input.file_path") {
        return;
    }
    for (at, operator) in text.match_indices(" == \"").chain(text.match_indices(" = \"")) {
        let before = text.get(..at).unwrap_or_default().trim_end_matches('"');
        let after = text.get(at + operator.len()..).unwrap_or_default();
        let Some((name, _)) = after.split_once('"') else { continue };
        let is_file = name.contains('.')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
        let variable =
            before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        // `${f##*/}` is the last part of the path.
        let holds_path = !variable.is_empty()
            && (text.contains(&format!("{variable}=$(jq")) || is_assigned_path(text, variable));
        if is_file && holds_path {
            let at = report.part_of(entry.handler.action_span, text, &format!("\"{name}\""));
            let message = format!("`tool_input.file_path` is absolute, so it never equals `{name}`");
            report
                .warning(at, "path-is-absolute", message)
                .help(format!("compare its last part: `[ \"${{{variable}##*/}}\" = \"{name}\" ]`"))
                .rule("N3");
        }
    }
}

/// Returns whether a variable is assigned what jq prints for the path itself.
fn is_assigned_path(text: &str, variable: &str) -> bool {
    let Some((_, after)) = text.split_once(&format!("{variable}=$(")) else { return false };
    let value = after.split(')').next().unwrap_or_default();
    value.contains(".tool_input.file_path") && !value.contains("basename")
}
