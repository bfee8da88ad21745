//! The version of an agent, as reported by its program.

use crate::env::Surroundings;
use crate::interrupt;
use becket_engine::CancellationToken;
use becket_fire::FiringError;
use becket_process::{Command, Descendants, Limits, Program, Runner};
use std::path::Path;
use std::time::Duration;

/// The time limit for the version query.
const LIMIT: Duration = Duration::from_secs(10);

/// Asks a program for its version; returns `None` if it reports none in time. All of its processes are ended.
///
/// # Errors
/// Errors if a signal interrupts the query.
pub(super) fn stated_version(program: &Path, around: &Surroundings) -> Result<Option<String>, FiringError> {
    let directory = around.process.cwd.clone().unwrap_or_else(|| "/".into());
    let mut command = Command::new(Program::exec(program, ["--version"]), directory)
        .descendants(Descendants::Adopted { kept: [].into() });
    for (name, value) in &around.process.vars {
        command = command.env(name, value);
    }
    let limits = Limits { deadline: Some(LIMIT), ..Limits::default() };
    let cancel = CancellationToken::new();
    let ended = interrupt::until_done(&cancel, async {
        let runner = Runner::new();
        let ended = runner.run(&command, &limits, &cancel, &mut |_| ()).await;
        runner.all_gone().await;
        if cancel.is_cancelled() { Err(FiringError::Interrupted) } else { Ok(ended.ok()) }
    })?;
    let Some(ended) = ended else { return Ok(None) };
    let outputs = [ended.stdout.bytes, ended.stderr.bytes];
    Ok(outputs.iter().find_map(|bytes| version_in(&String::from_utf8_lossy(bytes))))
}

/// Returns the first word that contains a number, a dot and a number.
pub(super) fn version_in(text: &str) -> Option<String> {
    let words = text.split_whitespace().map(|word| word.trim_start_matches('v'));
    let is_version = |word: &&str| {
        let mut parts = word.split('.');
        let is_number = |part: Option<&str>| {
            part.is_some_and(|part| part.starts_with(|first: char| first.is_ascii_digit()))
        };
        is_number(parts.next()) && is_number(parts.next())
    };
    let end = |letter: char| !(letter.is_ascii_alphanumeric() || ".-+".contains(letter));
    let found = words.into_iter().find(is_version)?;
    found.split(end).next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_first_word_with_numbers_and_a_dot() {
        for (text, version) in [
            ("codex-cli 0.169.0\n", Some("0.169.0")),
            ("2.1.329 (Claude Code)\n", Some("2.1.329")),
            ("Hermes Agent v0.19.0 (2026.9)\n", Some("0.19.0")),
            ("0.62.0-preview.1, built today", Some("0.62.0-preview.1")),
            ("no version 7", None),
            ("", None),
        ] {
            assert_eq!(version_in(text).as_deref(), version, "{text}");
        }
    }
}
