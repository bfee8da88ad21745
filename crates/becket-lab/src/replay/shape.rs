//! The shape of a call: the common part of calls that are decided alike.

use crate::transcript::RecordedEvent;
use std::path::Path;

/// The maximum length of a word in a shape, in characters.
const WIDTH: usize = 24;

/// Returns the shape of an event: the program and its subcommand, the tool and the ending of its file, or the event.
pub(super) fn of(event: &RecordedEvent) -> String {
    let Some(tool) = event.tool() else { return event.kind.name().to_owned() };
    let input = event.fields.get("tool_input");
    let text = |key: &str| input.and_then(|input| input.get(key)).and_then(serde_json::Value::as_str);
    if let Some(command) = text("command").filter(|_| matches!(tool, "Bash" | "PowerShell")) {
        return format!("{tool}: {}", program(command));
    }
    let path = ["file_path", "notebook_path", "path"].into_iter().find_map(text);
    let ending = path.and_then(|path| Path::new(path).extension()).map(|ending| ending.to_string_lossy());
    match ending {
        Some(ending) => format!("{tool}: *.{}", shortened(&ending)),
        None => tool.to_owned(),
    }
}

/// Returns the program of a command line, with its subcommand.
fn program(line: &str) -> String {
    let breaks = |c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | '(' | ')' | '<' | '>');
    let mut words = line.split(breaks).filter(|word| !word.is_empty());
    let mut skips_directory = false;
    let first = words.by_ref().find(|word| {
        let is_skipped = std::mem::take(&mut skips_directory) || is_assignment(word);
        skips_directory = *word == "cd";
        !is_skipped && !matches!(*word, "cd" | "sudo" | "env" | "time" | "nohup" | "exec" | "command")
    });
    let Some(first) = first else { return shortened(line.split_whitespace().next().unwrap_or_default()) };
    let first = first.trim_matches(['"', '\'']);
    let program = first.rsplit('/').next().unwrap_or(first);
    let is_subcommand = |word: &&str| {
        word.len() <= WIDTH
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_'))
    };
    match words.next().filter(|word| is_subcommand(word) && !word.starts_with('-')) {
        Some(subcommand) => format!("{} {subcommand}", shortened(program)),
        None => shortened(program),
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn shortened(word: &str) -> String {
    becket_base::text::one_line(word, WIDTH)
}

#[cfg(test)]
mod tests {
    use super::program;

    #[test]
    fn a_command_is_known_by_its_program_and_subcommand() {
        for (line, shape) in [
            ("git push --force origin main", "git push"),
            ("TOKEN=abcdef git push", "git push"),
            ("cd /srv/app && sudo /usr/bin/git -C x push", "git"),
            ("ls -la", "ls"),
            ("./x.sh \"a b\"", "x.sh"),
            ("", ""),
        ] {
            assert_eq!(program(line), shape, "{line}");
        }
    }
}
