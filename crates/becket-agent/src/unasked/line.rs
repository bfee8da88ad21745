//! The judgement of a whole line.

use super::command::Judge;
use super::flat::is_flat;
use super::program::Programs;
use crate::surroundings::Surroundings;
use crate::tool_call::Effect;
use becket_model::Session;
use becket_rules::shell::{Command, Line, RedirectionKind, Target};
use std::path::Path;

/// Whether the line certainly does nothing but read, and that inside the working directories.
pub(crate) fn is_read_only(text: &str, host: &Surroundings, session: &Session) -> bool {
    let line = Line::parse(text);
    let known =
        line.unknowns().next().is_none() && is_flat(&line) && line.redirections().iter().all(is_harmless);
    if !known || line.commands().is_empty() || !is_untouched(host, session) {
        return false;
    }
    let places = host.places(session);
    if !places.contain(&session.cwd) {
        return false;
    }
    let programs = Programs::new(&host.environment, &places).filter(|programs| programs.spell(text));
    let Some(programs) = programs else { return false };
    let denied = host.denied(session);
    let mut judge = Judge::new(&places, &programs, &denied, session.cwd.clone());
    line.commands().iter().enumerate().all(|(at, command)| {
        words(command).is_some_and(|words| match words.as_slice() {
            ["cd", target] => at == 0 && judge.change(target),
            words => judge.is_read_only(words),
        })
    })
}

/// What a line does, as far as modes care: what is not certain acts.
pub(crate) fn effect(text: &str, host: &Surroundings, session: &Session) -> Effect {
    if is_read_only(text, host, session) { Effect::Reads } else { Effect::Acts }
}

/// `/dev/null`, which the analysis leaves out for output.
fn is_harmless(redirection: &becket_rules::shell::Redirection) -> bool {
    let null = Target::Literal("/dev/null".to_owned());
    redirection.kind == RedirectionKind::Input && redirection.target == null
}

/// The words of a plain command that stands in the line itself, all known: no expansion, no glob, no `~`, no
/// assignment or quotes before its name.
fn words(command: &Command) -> Option<Vec<&str>> {
    let words: Vec<&str> = command.words().collect::<Option<_>>()?;
    let name = words.first()?;
    let bare = command.raw().strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let tilde = |word: &&str| word.starts_with('~') || word.contains("=~") || word.contains(":~");
    let plain = bare && command.is_subcommand() && command.via().is_none() && !words.iter().any(tilde);
    plain.then_some(words)
}

/// Whether no hook has set variables for the shell (H12): what they do to a command is not followed.
fn is_untouched(host: &Surroundings, session: &Session) -> bool {
    let is_empty = |path: &Path| path.metadata().is_ok_and(|file| file.is_file() && file.len() == 0);
    (host.env_files)(&session.id).iter().all(|file| is_empty(file))
}
