//! The judgement of a whole line.

use super::command::Judge;
use super::edits::{Edits, worst};
use super::flat::is_flat;
use super::program::Programs;
use crate::protected::may_become_protected;
use crate::surroundings::Surroundings;
use crate::tool_call::Effect;
use crate::tools::of_edit;
use becket_model::Session;
use becket_rules::shell::{Command, Line, RedirectionKind, Target};
use becket_rules::{Call, NoLinks, Scope};
use serde_json::{Map, Value};
use std::path::Path;

/// Whether the line certainly does nothing but read, and that inside the working directories.
pub(crate) fn is_read_only(text: &str, host: &Surroundings, session: &Session) -> bool {
    let judged = judged(text, host, session, |judge, commands| {
        commands.iter().all(|words| judge.is_read_only(words)).then_some(Effect::Reads)
    });
    judged == Some(Effect::Reads)
}

/// What a line does, as far as modes care: what is not certain acts.
pub(crate) fn effect(text: &str, host: &Surroundings, session: &Session) -> Effect {
    if is_read_only(text, host, session) {
        return Effect::Reads;
    }
    let judged = judged(text, host, session, |judge, commands| {
        let edits = Edits { judge, host, session };
        let alone = commands.len() == 1;
        let effect = |words: &Vec<&str>| match words.first() {
            Some(_) if judge.is_plain_read(words) => Some(Effect::Reads),
            Some(name) if judge.knows(name, alone) => edits.effect(words),
            Some(_) | None => None,
        };
        worst(commands.iter().map(effect).collect::<Option<Vec<Effect>>>()?)
    });
    match judged {
        Some(effect) => effect,
        None if names_protected(text, host, session) => Effect::EditsProtected,
        None => Effect::Acts,
    }
}

/// Whether a line of which more is not certain names a protected file as one that it edits: by a redirection, or as what a
/// well-known command writes (P7). No allow rule for the command opens that (P14).
fn names_protected(text: &str, host: &Surroundings, session: &Session) -> bool {
    let input = Map::from_iter([("command".to_owned(), Value::String(text.to_owned()))]);
    let (cwd, home) = (session.cwd.as_path(), host.environment.home());
    let scope = Scope { cwd, home, anchor: cwd, links: &NoLinks };
    // Where the line edits more than can be told, something protected may be among it.
    Call::new("Bash", &input).edited(&scope).is_none_or(|edited| {
        edited
            .iter()
            .any(|path| may_become_protected(path) || of_edit(host, session, path) == Effect::EditsProtected)
    })
}

/// Has a flat list of plain commands judged, a leading `cd` aside, unless it is not certain what they are.
fn judged(
    text: &str,
    host: &Surroundings,
    session: &Session,
    judge: impl FnOnce(&Judge<'_>, &[Vec<&str>]) -> Option<Effect>,
) -> Option<Effect> {
    let line = Line::parse(text);
    let known =
        line.unknowns().next().is_none() && is_flat(&line) && line.redirections().iter().all(is_harmless);
    if !known || line.commands().is_empty() || !is_untouched(host, session) {
        return None;
    }
    let places = host.places(session);
    if !places.contain(&session.cwd) {
        return None;
    }
    let programs = Programs::new(&host.environment, &places).filter(|programs| programs.spell(text))?;
    let denied = host.denied(session);
    let mut by = Judge::new(&places, &programs, &denied, session.cwd.clone());
    let mut commands: Vec<Vec<&str>> = line.commands().iter().map(words).collect::<Option<_>>()?;
    if let Some(["cd", target]) = commands.first().map(Vec::as_slice) {
        if !by.change(target) {
            return None;
        }
        commands.remove(0);
    }
    judge(&by, &commands)
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
