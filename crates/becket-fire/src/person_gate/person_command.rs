//! The commands with which a person grants something, in a command line.

use super::words::mentions;
use crate::own_program;
use becket_rules::shell::{Argument, Command, Line};

/// The commands, word by word.
const COMMANDS: [&[&str]; 3] = [&["allow-once"], &["trust"], &["mcp", "approve"]];

/// Programs that run nothing and change no content, whatever their arguments and their input are.
const INERT: [&str; 23] = [
    "[", "cat", "cd", "cut", "diff", "echo", "egrep", "false", "fgrep", "grep", "head", "jq", "ls", "mkdir",
    "printf", "pwd", "stat", "tail", "test", "touch", "tr", "true", "wc",
];

/// Programs that edit files only as [`Line::edits_files`] recognises.
const READERS: [&str; 17] = [
    "bat",
    "cmp",
    "column",
    "comm",
    "du",
    "file",
    "find",
    "git",
    "less",
    "md5sum",
    "more",
    "nl",
    "rg",
    "sed",
    "sha256sum",
    "sort",
    "uniq",
];

/// Programs that give a file another name.
const RENAMERS: [&str; 5] = ["cp", "install", "link", "ln", "mv"];

/// Returns the command of a person that a line runs, or may run.
pub(super) fn of_person(line: &Line) -> Option<String> {
    if is_inert(line) {
        return None;
    }
    let is_unsure = line.unknowns().next().is_some() || line.commands().iter().any(may_run);
    let may_be_run = |path: &[&str]| {
        is_unsure
            && mentions(line.text(), own_program::is_own)
            && path.iter().all(|name| mentions(line.text(), |word| word == *name))
    };
    let is_run = |path: &[&str]| line.commands().iter().any(|command| runs(command, path));
    let found =
        COMMANDS.into_iter().find(|path| is_run(path) || may_be_run(path) || runs_renamed(line, path))?;
    Some(found.join(" "))
}

/// Returns true if every program of a line is known and runs nothing.
fn is_inert(line: &Line) -> bool {
    let is_known = |command: &Command| program(command).is_some_and(|program| INERT.contains(&program));
    line.unknowns().next().is_none() && line.commands().iter().all(is_known)
}

/// Returns true if what a line edits is known from its text.
pub(super) fn has_known_edits(line: &Line) -> bool {
    let is_known = |command: &Command| {
        program(command).is_some_and(|program| INERT.contains(&program) || READERS.contains(&program))
    };
    line.unknowns().next().is_none() && line.commands().iter().all(is_known)
}

/// Returns the program of a command as it is written, if it is known.
fn program(command: &Command) -> Option<&str> {
    literal(command.arguments().next()?)
}

fn literal(word: Argument<'_>) -> Option<&str> {
    match word {
        Argument::Literal(text) => Some(text),
        Argument::Glob(_) | Argument::Variable(_) | Argument::Unknown => None,
    }
}

/// Returns true if a command runs Becket with this command of its own. Withdrawing and listing grants nothing.
fn runs(command: &Command, path: &[&str]) -> bool {
    let words: Vec<Argument<'_>> = command.arguments().collect();
    let mut calls = words.iter().enumerate().filter(|(at, word)| is_becket(*at, word));
    calls.any(|(at, _)| {
        let arguments: Vec<&str> = words.iter().skip(at + 1).filter_map(|word| literal(*word)).collect();
        names(&arguments, path)
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

/// Returns true if a command may run another one that its text hides: a command of Becket that only run time knows, or
/// code and keys for a program.
fn may_run(command: &Command) -> bool {
    hides_command(command) || command.runs_code()
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

/// Returns true if a line gives Becket another name, and runs a program by a path with this command.
fn runs_renamed(line: &Line, path: &[&str]) -> bool {
    let name = |program: &'_ str| program.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let renames =
        |command: &Command| program(command).is_some_and(|program| RENAMERS.contains(&&*name(program)));
    let runs = |command: &Command| {
        let arguments: Vec<&str> = command.arguments().skip(1).filter_map(literal).collect();
        program(command).is_some_and(|program| program.contains('/')) && names(&arguments, path)
    };
    mentions(line.text(), own_program::is_own)
        && line.commands().iter().any(renames)
        && line.commands().iter().any(runs)
}

/// Returns true if the arguments of Becket are those of a command. After `--` there are no options.
fn names(arguments: &[&str], path: &[&str]) -> bool {
    let Some((name, below)) = path.split_first() else {
        let options = arguments.iter().take_while(|word| **word != "--");
        return !options.into_iter().any(|word| matches!(*word, "--list" | "--revoke"));
    };
    // An option, or its value.
    let is_option = |word: &str| word.starts_with('-');
    let is_global =
        |before: usize| is_option(arguments[before]) || before > 0 && is_option(arguments[before - 1]);
    let lists = |at: usize| arguments[..at].iter().any(|word| matches!(*word, "--list" | "--revoke"));
    let mut places = arguments.iter().enumerate().filter(|(_, word)| *word == name);
    places.any(|(at, _)| (0..at).all(is_global) && !lists(at) && names(&arguments[at + 1..], below))
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
            "script -qec 'becket trust -- --list' /dev/null",
            "becket trust -- --revoke",
            "becket mcp approve files",
            "becket --json mcp -q approve files",
            "becket -C mcp mcp approve files",
            "becket --profile trust trust",
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
            "python3 -c 'import pty; pty.spawn([\"becket\", \"trust\"])'",
            "python3.12 -c 'import os; os.system(\"becket mcp approve x\")'",
            "expect -c 'spawn becket trust; send yes'",
            "tmux send-keys -t 0 'becket trust' Enter",
            "tmux send-keys becket Space trust Enter",
            "ln -s $(which becket) b && ./b trust",
            "cp /usr/bin/becket /tmp/x; /tmp/x trust",
            "/bin/cp /usr/bin/becket x; ./x trust",
            "nodejs -e 'require(\"child_process\").execFileSync(\"becket\", [\"trust\"])'",
        ] {
            assert!(denied(command), "{command}");
        }
    }

    // rule: O10
    #[test]
    fn a_line_that_only_names_a_command_of_a_person_is_not_denied() {
        for command in [
            "echo becket trust > notes.md",
            "cd docs && grep -rn becket trust",
            "git commit -m 'becket trust'",
            "grep -rn 'becket allow-once' docs",
            "becket list trust",
            "becket trust --list",
            "becket trust --revoke -- dir",
            "becket mcp list",
            "becket mcp approve --revoke files",
            "becket doctor",
            "cd becket && git checkout trust",
            "cp * trust",
            "cp becket-notes.md trust && ./build trust",
            "$EDITOR trust.md",
            "$GPG trust",
            "git log --grep=becket -- trust",
            "python3 -c 'print(1)'",
        ] {
            assert!(!denied(command), "{command}");
        }
    }
}
