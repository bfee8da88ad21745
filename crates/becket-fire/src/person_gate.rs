//! Calls by which an agent would act for a person: they are denied, whatever hooks answer.
//!
//! These are an input that contains the ID of a call that waits for a person, whatever program would get it; a command
//! line that runs `becket allow-once` or `becket trust`; and a use of the file of allowed calls.
//!
//! A question to the user may contain the ID: the reason of the denial tells the agent how its user allows the call.
//!
//! INVARIANT: a line that may run such a command, as far as its text shows, is denied. A line that hides the command,
//! the program and the ID is not recognised: `becket allow-once` itself refuses to run below an agent. IDs are random,
//! so a program can't compute one.

use crate::one_time_approval::{FILE, OneTimeApprovals};
use crate::{Launch, own_program};
use becket_base::is_same_path;
use becket_model::{Event, EventBody, EventKind};
use becket_rules::shell::{Argument, Command, Line, Target};
use becket_rules::tools::path_field;
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// The commands with which a person grants something.
const OF_PERSONS: [&str; 2] = ["allow-once", "trust"];

/// Programs that run nothing, whatever their arguments and their input are.
const INERT: [&str; 21] = [
    "[", "cat", "cd", "cut", "diff", "echo", "egrep", "false", "fgrep", "grep", "head", "ls", "mkdir",
    "printf", "pwd", "tail", "test", "touch", "tr", "true", "wc",
];

/// The tool that asks the user a question.
const QUESTION: &str = "AskUserQuestion";

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
    /// Returns the gate of the user of a session for events of a kind. A file that can't be read allows nothing, so it
    /// has no IDs.
    pub fn of(launch: &Launch, kind: EventKind) -> Self {
        if kind != EventKind::PreToolUse {
            return PersonGate::default();
        }
        let Some(directory) = launch.request().user_directory() else { return PersonGate::default() };
        let ids = OneTimeApprovals::of(&directory).waiting();
        PersonGate { ids, file: Some(directory.join(FILE)) }
    }

    /// Returns the reason for denying a call that only a person may make; `None` for all others.
    pub fn denial(&self, event: &Event) -> Option<String> {
        let EventBody::PreToolUse(call) = &event.body else { return None };
        if call.tool_name == QUESTION {
            return None;
        }
        let texts = texts(&call.tool_input);
        if let Some(id) = self.id_in(&texts) {
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
            return Some(format!(
                "`{FILE}` records which calls a person has allowed; an agent may not use it"
            ));
        }
        let name = of_person(line.as_ref()?)?;
        Some(format!("`becket {name}` is for a person at a terminal, not for an agent"))
    }

    /// Returns the ID of a waiting call that one of the texts contains.
    fn id_in(&self, texts: &[&str]) -> Option<&str> {
        if self.ids.is_empty() {
            return None;
        }
        let joined: Vec<String> = texts.iter().map(|text| alphanumeric(text)).collect();
        let is_there = |id: &&String| joined.iter().any(|text| text.contains(id.as_str()));
        self.ids.iter().find(is_there).map(String::as_str)
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
        let words: Vec<&str> = words.chain(targets).collect();
        let (_, file) = FILE.rsplit_once('/').unwrap_or_default();
        let is_linked = |word: &str| Path::new(word).ends_with(file) && self.is_file(cwd, word);
        let names_directory = || {
            unquoted(line.text()).contains("becket") || words.iter().any(|word| self.is_directory(cwd, word))
        };
        names_file(line.text(), file) && names_directory()
            || words.iter().any(|word| self.may_be_file(cwd, word) || is_linked(word))
    }

    /// Returns true if a path leads to the directory of the file.
    fn is_directory(&self, cwd: &Path, path: &str) -> bool {
        let directory = self.file.as_deref().and_then(Path::parent);
        directory.is_some_and(|directory| is_same_path(&cwd.join(path), directory))
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

/// Returns the letters and digits of a text: quotes or other characters may interrupt an ID.
fn alphanumeric(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
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
    if is_inert(line) {
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
fn is_inert(line: &Line) -> bool {
    let is_known = |command: &Command| match command.arguments().next() {
        Some(Argument::Literal(program)) => INERT.contains(&program),
        Some(Argument::Glob(_) | Argument::Variable(_) | Argument::Unknown) | None => false,
    };
    line.unknowns().next().is_none() && line.commands().iter().all(is_known)
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
    has_word(text, |word| fits(word.trim_matches(['-', '.'])))
}

/// Returns true if a word of a text is the name of the file, alone or after a short option or an `@`.
fn names_file(text: &str, file: &str) -> bool {
    has_word(text, |word| {
        let before = word.trim_end_matches(['-', '.']).strip_suffix(file);
        before.is_some_and(|before| {
            before.is_empty() || before.starts_with('-') || before.ends_with(['.', '@'])
        })
    })
}

/// Returns true if one of the words of a text fits, as it is written, read with and without its quotes and escapes.
fn has_word(text: &str, fits: impl Fn(&str) -> bool) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    let has = |text: &str| text.split(|c: char| !is_part(c)).any(&fits);
    has(&unquoted(text)) || has(text)
}

/// Returns a text without its quotes and escapes.
fn unquoted(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_model::Session;
    use becket_model::event::tool::PreToolUse;

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
        let gate = PersonGate { ids: vec!["0123456789ab".to_owned()], file: None };
        for text in ["0123456789ab", "becket-full allow-once 0123\"\"456789ab", "'0123'\\456789AB"] {
            assert!(gate.id_in(&[text]).is_some(), "{text}");
        }
        for text in ["", "0123456789a", "0123456789a c"] {
            assert!(gate.id_in(&[text]).is_none(), "{text}");
        }
    }

    // rule: O10
    #[test]
    fn a_question_to_the_user_may_contain_an_id_and_no_other_call() {
        let gate = PersonGate { ids: vec!["k3x0123456".to_owned()], file: None };
        for (tool, is_denied) in [(QUESTION, false), ("Bash", true), ("Write", true), ("TodoWrite", true)] {
            let texts = serde_json::json!({"text": ["please type `becket allow-once k3x0123456`"]});
            let Value::Object(input) = texts else { unreachable!() };
            let call = PreToolUse::new(tool.to_owned(), input, "1".to_owned());
            let event = Event::new(Session::new("s", "/t", "/p"), call);
            assert_eq!(gate.denial(&event).is_some(), is_denied, "{tool}");
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
            assert!(gate.is_in_line(cwd, &Line::parse("cp x notes/asked.json")));
            assert!(gate.is_in_line(cwd, &Line::parse("echo {} > notes/asked.json")));
            assert!(gate.is_in_line(cwd, &Line::parse("cd notes && tee asked.json")));
            assert!(!gate.is_in_line(cwd, &Line::parse("cd notes && tee masked.json")));
        }
        assert!(!gate.is_file(cwd, "asked.json") && !gate.is_file(cwd, "becket/notes.md"));
        for line in [
            "cat ~/.claude/becket/asked.json",
            "cat ~/.claude/becket/as*d.json",
            "echo {} > ~/.claude/becket/a?ked.json",
            "echo {} > ~/.cl*/becket/asked.json",
            "cd ~/.claude/becket && tee asked.json",
            "cd ~/.claude/becket && sort -oasked.json x",
            "cat ~/.claude/bec''ket/as\\ked.json",
        ] {
            assert!(gate.is_in_line(cwd, &Line::parse(line)), "{line}");
        }
        for line in [
            "ls crates/becket/*",
            "cat */*/*",
            "cat asked.json",
            "ls ~/.claude",
            "cat ~/becket-demo/masked.json",
            "cat x/asked.json",
        ] {
            assert!(!gate.is_in_line(cwd, &Line::parse(line)), "{line}");
        }
    }
}
