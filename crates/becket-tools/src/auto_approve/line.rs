//! The judgement of a whole line.

use super::command::Judge;
use super::edits::{Edits, worst};
use super::flat::{flat, is_looked_through};
use super::program::Programs;
use super::words::Words;
use crate::protected::may_become_protected;
use crate::reach::of_edit;
use crate::surroundings::Surroundings;
use becket_engine::Effect;
use becket_model::Session;
use becket_rules::shell::Line;
use becket_rules::{Call, EditedFile, NoLinks, Scope};
use serde_json::{Map, Value};
use std::path::Path;

/// Returns true if the line certainly only reads, inside the working directories.
pub(crate) fn is_read_only(text: &str, host: &Surroundings, session: &Session) -> bool {
    let judged = judged(text, host, session, |judge, commands| {
        commands.iter().all(|words| judge.is_read_only(words)).then_some(Effect::Reads)
    });
    judged == Some(Effect::Reads)
}

/// Returns the effect of a line on modes. Anything uncertain counts as acting, and also as editing if the line edits
/// files (P7).
pub(crate) fn effect(text: &str, host: &Surroundings, session: &Session) -> Effect {
    if is_read_only(text, host, session) {
        return Effect::Reads;
    }
    let judged = judged(text, host, session, |judge, commands| {
        let edits = Edits { judge, host, session };
        let alone = commands.len() == 1;
        let effect = |words: &Words<'_>| match words.texts.first() {
            Some(_) if judge.is_plain_read(words) => Some(Effect::Reads),
            Some(name) if words.are_literal() && judge.is_known_editor(name, alone) => {
                edits.effect(&words.texts)
            }
            Some(_) | None => None,
        };
        worst(commands.iter().map(effect).collect::<Option<Vec<Effect>>>()?)
    });
    match judged {
        Some(effect) => effect,
        None if names_protected(text, host, session) => Effect::EditsProtected,
        None if Line::parse(text).edits_files() => Effect::ActsAndEdits,
        None => Effect::Acts,
    }
}

/// Returns whether a line that can't be fully judged names a protected file as one that it edits: by a redirection, or
/// as the target of a well-known command (P7). No allow rule for the command permits that (P14).
fn names_protected(text: &str, host: &Surroundings, session: &Session) -> bool {
    let input = Map::from_iter([("command".to_owned(), Value::String(text.to_owned()))]);
    let (cwd, home) = (session.cwd.as_path(), host.environment.home());
    let scope = Scope { cwd, home, anchor: cwd, links: &NoLinks };
    // If the edits of the line can't be determined, a protected file may be among them.
    Call::new("Bash", &input).edited(&scope).is_none_or(|edited| {
        edited.iter().any(|EditedFile { path, contents }| {
            may_become_protected(path)
                || of_edit(host, session, path) == Effect::EditsProtected
                || host.protects_in(session, path, *contents)
        })
    })
}

/// Judges a flat list of plain commands, without a leading `cd`, unless it is uncertain which programs they run.
fn judged(
    text: &str,
    host: &Surroundings,
    session: &Session,
    judge: impl FnOnce(&Judge<'_>, &[Words<'_>]) -> Option<Effect>,
) -> Option<Effect> {
    let line = Line::parse(text);
    let (commands, inputs) = flat(&line, |command| !is_looked_through(command))?;
    if commands.is_empty() {
        return None;
    }
    let mut commands: Vec<Words<'_>> = commands.into_iter().map(Words::of).collect::<Option<_>>()?;
    with_judge(&line, host, session, |by| {
        if let Some(target) = commands.first().and_then(Words::directory) {
            if !by.change(target) {
                return None;
            }
            commands.remove(0);
        }
        if !by.hold(&inputs) {
            return None;
        }
        judge(by, &commands)
    })
}

/// Judges commands of a line; `None` if it is uncertain which programs the line runs.
pub(super) fn with_judge<T>(
    line: &Line,
    host: &Surroundings,
    session: &Session,
    judge: impl FnOnce(&mut Judge<'_>) -> Option<T>,
) -> Option<T> {
    let places = host.places(session);
    if line.unknowns().next().is_some() || !is_untouched(host, session) || !places.contain(&session.cwd) {
        return None;
    }
    let programs =
        Programs::new(&host.environment, &places).filter(|programs| programs.spell(line.text()))?;
    let denied = host.denied(session);
    judge(&mut Judge::new(&places, &programs, &denied, session.cwd.clone()))
}

/// Returns whether no hook has set variables for the shell (H12): their influence on a command is not tracked.
fn is_untouched(host: &Surroundings, session: &Session) -> bool {
    let is_empty = |path: &Path| path.metadata().is_ok_and(|file| file.is_file() && file.len() == 0);
    (host.env_files)(&session.id).iter().all(|file| is_empty(file))
}
