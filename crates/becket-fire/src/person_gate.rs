//! Calls by which an agent would act for a person: they are denied, whatever hooks answer.
//!
//! These are an input that contains the ID of a call that waits for a person, whatever program would get it; a command
//! line that runs `becket allow-once` or `becket trust`; and a use of the file of allowed calls.
//!
//! INVARIANT: a line that may run such a command, as far as its text shows, is denied. A program that hides the command
//! and its own name is not recognised: an agent doesn't hold the ID that it needs, since it is denied as well.

use crate::one_time_approval::{FILE, OneTimeApprovals};
use crate::{Launch, own_program};
use becket_base::is_same_path;
use becket_model::{Event, EventBody};
use becket_rules::shell::{Argument, Command, Line, Target};
use becket_rules::tools::path_field;
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// The commands with which a person grants something.
const OF_PERSONS: [&str; 2] = ["allow-once", "trust"];

/// Programs that run nothing, whatever their arguments and their input are.
const PRINTERS: [&str; 21] = [
    "[", "cat", "cd", "cut", "diff", "echo", "egrep", "false", "fgrep", "grep", "head", "ls", "mkdir",
    "printf", "pwd", "tail", "test", "touch", "tr", "true", "wc",
];

/// The longest text that may be a path.
const PATH: usize = 4096;

/// The approvals of a user, which no call of an agent may give.
#[derive(Debug, Default)]
pub struct PersonGate {
    /// The IDs of the calls that wait for a person.
    ids: Vec<String>,
    /// The file of the calls.
    file: Option<PathBuf>,
}

impl PersonGate {
    /// Returns the gate of the user of a session. A file that can't be read allows nothing, so it has no IDs.
    pub fn of(launch: &Launch) -> Self {
        let Some(directory) = launch.request().user_directory() else { return PersonGate::default() };
        let ids = OneTimeApprovals::of(&directory).waiting();
        PersonGate { ids, file: Some(directory.join(FILE)) }
    }

    /// Returns the reason for denying a call that only a person may make; `None` for all others.
    pub fn denial(&self, event: &Event) -> Option<String> {
        let EventBody::PreToolUse(call) = &event.body else { return None };
        let texts = texts(&call.tool_input);
        if let Some(id) = self.ids.iter().find(|id| texts.iter().any(|text| contains_id(text, id))) {
            return Some(format!(
                "the call contains `{id}`, the ID of a call that only a person may allow, at a terminal of their own"
            ));
        }
        let line = call.tool_input.get("command").and_then(Value::as_str).map(Line::parse);
        let path = path_field(&call.tool_name).and_then(|key| call.tool_input.get(key)?.as_str());
        let names_file = path.is_some_and(|path| self.is_file(&event.session.cwd, path))
            || texts.iter().any(|text| text.len() <= PATH && ends_with_file(text))
            || line.as_ref().is_some_and(|line| self.is_in_line(&event.session.cwd, line));
        if names_file {
            return Some(format!("`{FILE}` holds what a person has allowed: it is not for an agent"));
        }
        let name = of_person(line.as_ref()?)?;
        Some(format!("`becket {name}` is for a person at a terminal, not for an agent"))
    }

    /// Returns true if a path leads to the file of the calls.
    fn is_file(&self, cwd: &Path, path: &str) -> bool {
        ends_with_file(path) || self.file.as_ref().is_some_and(|file| is_same_path(&cwd.join(path), file))
    }

    /// Returns true if a line names the file of the calls, or may name it.
    fn is_in_line(&self, cwd: &Path, line: &Line) -> bool {
        let words = line.commands().iter().flat_map(Command::arguments).filter_map(|word| match word {
            Argument::Literal(text) | Argument::Glob(text) => Some(text),
            Argument::Variable(_) | Argument::Unknown => None,
        });
        let targets = line.redirections().iter().map(|redirection| match &redirection.target {
            Target::Literal(text) | Target::Dynamic(text) => text.as_str(),
        });
        let flat = unquoted(line.text());
        let (_, file) = FILE.rsplit_once('/').unwrap_or_default();
        flat.contains(FILE)
            || flat.contains(file) && flat.contains("becket")
            || words.chain(targets).any(|word| self.may_be_file(cwd, word))
    }

    /// Returns true if a path with wildcards may become that of the file: one of its last parts is written out, and the
    /// others match.
    fn may_be_file(&self, cwd: &Path, glob: &str) -> bool {
        let Some(file) = &self.file else { return false };
        let glob = cwd.join(glob);
        let last = |path: &Path| -> Vec<String> {
            let parts = path.components().rev().take(3);
            parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
        };
        let pairs = || last(&glob).into_iter().zip(last(file));
        pairs().any(|(one, other)| one == other)
            && pairs().all(|(one, other)| own_program::may_match(&one, &other))
    }
}

/// Returns all texts of an input, keys included.
fn texts(input: &serde_json::Map<String, Value>) -> Vec<&str> {
    let mut texts: Vec<&str> = input.keys().map(String::as_str).collect();
    let mut rest: Vec<&Value> = input.values().collect();
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(values) => rest.extend(values),
            Value::Object(fields) => {
                texts.extend(fields.keys().map(String::as_str));
                rest.extend(fields.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    texts
}

/// Returns true if a text contains an ID, also one that quotes or other characters interrupt.
fn contains_id(text: &str, id: &str) -> bool {
    if text.len() < id.len() {
        return false;
    }
    let joined: String =
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    joined.contains(id)
}

/// Returns true if a path ends with that of the file of the calls, as far as its text shows.
fn ends_with_file(path: &str) -> bool {
    let mut normal = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normal.push(part),
        }
    }
    normal.ends_with(FILE)
}

/// Returns the command of a person that a line runs, or may run.
fn of_person(line: &Line) -> Option<&'static str> {
    if only_prints(line) {
        return None;
    }
    let is_run = |name: &str| line.commands().iter().any(|command| runs(command, name));
    let is_unsure = line.unknowns().next().is_some() || line.commands().iter().any(hides_command);
    let may_be_run = |name: &str| {
        is_unsure && mentions(line.text(), own_program::is_own) && mentions(line.text(), |word| word == name)
    };
    OF_PERSONS.into_iter().find(|name| is_run(name) || may_be_run(name))
}

/// Returns true if every program of a line is known and runs nothing.
fn only_prints(line: &Line) -> bool {
    let prints = |command: &Command| match command.arguments().next() {
        Some(Argument::Literal(program)) => PRINTERS.contains(&program),
        Some(Argument::Glob(_) | Argument::Variable(_) | Argument::Unknown) | None => false,
    };
    line.unknowns().next().is_none() && line.commands().iter().all(prints)
}

/// Returns true if a command runs Becket with this command of its own. Withdrawing and listing grants nothing.
fn runs(command: &Command, name: &str) -> bool {
    let words: Vec<Argument<'_>> = command.arguments().collect();
    let mut calls = words.iter().enumerate().filter(|(at, word)| is_becket(*at, word));
    calls.any(|(at, _)| {
        let literal = |word: &Argument<'_>| match *word {
            Argument::Literal(text) => Some(text.to_owned()),
            Argument::Glob(_) | Argument::Variable(_) | Argument::Unknown => None,
        };
        let arguments: Vec<String> = words.iter().skip(at + 1).filter_map(literal).collect();
        names(&arguments, name)
    })
}

/// Returns true if a word is one of Becket's programs; a glob counts only as the program of the command.
fn is_becket(at: usize, word: &Argument<'_>) -> bool {
    match word {
        Argument::Literal(text) => own_program::is_own(text),
        Argument::Glob(text) => at == 0 && own_program::may_be_own(text),
        Argument::Variable(_) | Argument::Unknown => false,
    }
}

/// Returns true if a command runs Becket with a command of its own that only run time knows.
fn hides_command(command: &Command) -> bool {
    let words: Vec<Argument<'_>> = command.arguments().collect();
    let mut calls = words.iter().enumerate().filter(|(at, word)| is_becket(*at, word));
    calls.any(|(at, _)| {
        let mut is_value = false;
        for word in words.iter().skip(at + 1) {
            match word {
                Argument::Literal(text) if text.starts_with('-') => is_value = !text.contains('='),
                Argument::Literal(_) if is_value => is_value = false,
                Argument::Literal(_) => return false,
                Argument::Glob(_) | Argument::Variable(_) | Argument::Unknown => return true,
            }
        }
        false
    })
}

/// Returns true if the arguments of Becket are those of a command.
fn names(arguments: &[String], name: &str) -> bool {
    let Some(at) = arguments.iter().position(|word| word == name) else { return false };
    // An option, or its value.
    let is_option = |word: &str| word.starts_with('-');
    let is_global =
        |before: usize| is_option(&arguments[before]) || before > 0 && is_option(&arguments[before - 1]);
    let grants_nothing = arguments.iter().any(|word| matches!(word.as_str(), "--list" | "--revoke"));
    (0..at).all(is_global) && !grants_nothing
}

/// Returns true if one of the words of a text fits, read with and without its quotes and escapes.
fn mentions(text: &str, fits: impl Fn(&str) -> bool) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    let has = |text: &str| text.split(|c: char| !is_part(c)).any(|word| fits(word.trim_matches(['-', '.'])));
    has(&unquoted(text)) || has(text)
}

/// Returns a text without its quotes and escapes.
fn unquoted(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(command: &str) -> bool {
        of_person(&Line::parse(command)).is_some()
    }

    // rules: O10, G3
    #[test]
    fn a_line_that_runs_or_may_run_a_command_of_a_person_is_recognised() {
        for command in [
            "becket allow-once abc",
            "becket-full allow-once abc",
            "/opt/becket-full trust",
            "becket-fire trust",
            "becket.exe trust",
            "setsid -f script -qec 'becket-full trust' /dev/null",
            "sh -c 'becket --json trust'",
            "npx @becket/becket@1 trust",
            "becket --profile claude -C . trust",
            "becket trust --revoke; becket trust",
            "B=becket; $B trust",
            r#"beck""et trust"#,
            r"$'\x62ecket' trust",
            "echo trust | xargs becket",
            "echo becket trust | xargs env",
            "echo becket trust | sh",
            "echo becket trust | $SHELL",
            "becke? trust",
            "/usr/bin/beck*t-full trust",
            r"& 'C:\tools\becket.exe' trust",
            "if; becket trust",
        ] {
            assert!(denied(command), "{command}");
        }
    }

    // rule: O10
    #[test]
    fn a_line_that_only_names_a_command_of_a_person_is_not_held_back() {
        for command in [
            "echo becket trust > notes.md",
            "cd docs && grep -rn becket trust",
            "git commit -m 'becket trust'",
            "grep -rn 'becket allow-once' docs",
            "becket list trust",
            "becket trust --list",
            "becket doctor",
            "cd becket && git checkout trust",
            "cp * trust",
            "$EDITOR trust.md",
            "$GPG trust",
            "git log --grep=becket -- trust",
        ] {
            assert!(!denied(command), "{command}");
        }
    }

    // rule: O10
    #[test]
    fn an_id_is_found_whatever_interrupts_it() {
        let id = "0123456789ab";
        for text in ["0123456789ab", "becket-full allow-once 0123\"\"456789ab", "'0123'\\456789AB"] {
            assert!(contains_id(text, id), "{text}");
        }
        for text in ["", "0123456789a", "0123456789a c"] {
            assert!(!contains_id(text, id), "{text}");
        }
    }

    // rule: O10
    #[test]
    fn the_file_of_allowed_calls_is_recognised_by_every_name() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(".claude").join(FILE);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "{}").unwrap();
        let gate = PersonGate { ids: Vec::new(), file: Some(file.clone()) };
        let cwd = directory.path();
        for path in ["/x/becket/asked.json", ".claude/becket/./asked.json", "becket/x/../asked.json"] {
            assert!(gate.is_file(cwd, path), "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(file.parent().unwrap(), cwd.join("notes")).unwrap();
            assert!(gate.is_file(cwd, "notes/asked.json"));
        }
        assert!(!gate.is_file(cwd, "asked.json") && !gate.is_file(cwd, "becket/notes.md"));
        for line in [
            "cat ~/.claude/becket/asked.json",
            "cat ~/.claude/becket/as*d.json",
            "echo {} > ~/.claude/becket/a?ked.json",
            "echo {} > ~/.cl*/becket/asked.json",
            "cd ~/.claude/becket && tee asked.json",
        ] {
            assert!(gate.is_in_line(cwd, &Line::parse(line)), "{line}");
        }
        for line in ["ls crates/becket/*", "cat */*/*", "cat asked.json", "ls ~/.claude"] {
            assert!(!gate.is_in_line(cwd, &Line::parse(line)), "{line}");
        }
    }
}
