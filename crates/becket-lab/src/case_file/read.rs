//! Cases, steps and equivalent mutants.

use super::fields::Fields;
use super::{CaseFileError, want};
use crate::case::{Case, CaseOrigin, EquivalentMutant, ExpectedOutcome, GitState, GivenReply, Step};
use crate::mutant::Mutant;
use becket_model::EventKind;
use becket_model::event::PermissionMode;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Component, Path};

const OF_STEP: [&str; 6] = ["event", "tool", "input", "mode", "files", "want"];

/// Reads a `[[case]]`.
pub(super) fn case(fields: &Fields<'_>, index: usize) -> Result<Case, CaseFileError> {
    let own = ["name", "step", "git", "env", "reply"];
    fields.only(&[&own[..], &OF_STEP[..]].concat())?;
    let mut steps = Vec::new();
    let mut files = BTreeMap::new();
    if fields.has("step") {
        let twice = ["event", "tool", "input", "mode", "want"].into_iter().find(|key| fields.has(key));
        if let Some(key) = twice {
            return Err(fields.error(key, format!("a case with steps has `{key}` in its steps")));
        }
        files = files_of(fields)?;
        for fields in fields.tables("step")? {
            fields.only(&OF_STEP)?;
            steps.push(Step { files: files_of(&fields)?, ..step(&fields)? });
        }
    } else {
        let step = step(fields)?;
        files.extend(files_of(fields)?);
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(fields.error("step", "the case has no step"));
    }
    let origin = CaseOrigin { index: Some(index), ..fields.source.origin(fields.at) };
    Ok(Case {
        name: fields.required("name")?,
        origin,
        steps,
        files,
        git: git(fields)?,
        environment: environment(fields)?,
        replies: fields.tables("reply")?.iter().map(reply).collect::<Result<_, _>>()?,
    })
}

/// Reads the event of a step, without files.
fn step(fields: &Fields<'_>) -> Result<Step, CaseFileError> {
    let tool = fields.table("tool", "a tool")?;
    let event = match fields.text("event")? {
        Some(name) => event(fields, &name)?,
        None if tool.is_some() => EventKind::PreToolUse,
        None => return Err(fields.source.error(fields.at, "a step needs `event` or `tool`")),
    };
    let spec = event.spec();
    let mut input = Map::new();
    if let Some(given) = fields.table("input", "the input")? {
        let known: Vec<&str> = spec.all_input().map(|field| field.name).collect();
        given.only(&known)?;
        input = fields.object("input")?.unwrap_or_default();
    }
    if let Some(tool) = tool {
        tool.only(&["name", "input"])?;
        if !spec.all_input().any(|field| field.name == "tool_name") {
            return Err(fields.error("tool", format!("`{event}` is not about a tool call")));
        }
        input.insert("tool_name".to_owned(), Value::String(tool.required("name")?));
        input.insert("tool_input".to_owned(), Value::Object(tool.object("input")?.unwrap_or_default()));
    } else if spec.all_input().any(|field| field.name == "tool_name") && !input.contains_key("tool_name") {
        return Err(fields.error("event", format!("`{event}` is about a tool call: give `tool`")));
    }
    if let Some(mode) = fields.text("mode")? {
        check_mode(fields, &mode)?;
        input.insert("permission_mode".to_owned(), Value::String(mode));
    }
    let want = match fields.table("want", "`want`")? {
        Some(fields) => want::read(&fields)?,
        None => ExpectedOutcome::default(),
    };
    Ok(Step { event, input, files: BTreeMap::new(), want })
}

/// Errors if there is no such permission mode.
fn check_mode(fields: &Fields<'_>, mode: &str) -> Result<(), CaseFileError> {
    if PermissionMode::NAMES.contains(&mode) {
        return Ok(());
    }
    let hint = match becket_base::suggest(mode, &PermissionMode::NAMES) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; the modes are {}", PermissionMode::NAMES.join(", ")),
    };
    Err(fields.error("mode", format!("`{mode}` is not a permission mode{hint}")))
}

fn event(fields: &Fields<'_>, name: &str) -> Result<EventKind, CaseFileError> {
    name.parse().map_err(|_| {
        let names: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        let near = becket_base::suggest(name, &names);
        let hint = near.map_or_else(
            || "; `becket events` lists all".to_owned(),
            |near| format!("; did you mean `{near}`?"),
        );
        fields.error("event", format!("`{name}` is not an event{hint}"))
    })
}

fn files_of(fields: &Fields<'_>) -> Result<BTreeMap<String, String>, CaseFileError> {
    let Some(files) = fields.table("files", "`files`")? else { return Ok(BTreeMap::new()) };
    let mut read = BTreeMap::new();
    for path in files.keys().map(str::to_owned).collect::<Vec<_>>() {
        check_path(&files, &path)?;
        let text = files.text(&path)?.unwrap_or_default();
        read.insert(path, text);
    }
    Ok(read)
}

/// Errors if a path leaves the throw-away project.
pub(super) fn check_path(fields: &Fields<'_>, path: &str) -> Result<(), CaseFileError> {
    let stays = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    if path.is_empty() || !stays {
        let what = format!("`{path}` must be a path inside of the project, without `..`");
        return Err(fields.error(path, what));
    }
    Ok(())
}

fn git(fields: &Fields<'_>) -> Result<Option<GitState>, CaseFileError> {
    let Some(git) = fields.table("git", "`git`")? else { return Ok(None) };
    git.only(&["branch", "commit", "unpushed"])?;
    let unpushed = git.integer("unpushed")?.map(|number| {
        u32::try_from(number).ok().filter(|number| *number <= MOST_COMMITS).ok_or_else(|| {
            git.error("unpushed", format!("`unpushed` must be a number from 0 to {MOST_COMMITS}"))
        })
    });
    let unpushed = unpushed.transpose()?;
    let commit = git.boolean("commit")?.unwrap_or(unpushed.is_some());
    if unpushed.is_some() && !commit {
        return Err(git.error("commit", "`unpushed` needs `commit = true`"));
    }
    Ok(Some(GitState { branch: git.text("branch")?.unwrap_or_else(|| "main".to_owned()), commit, unpushed }))
}

/// The largest number of commits that are made for a case.
const MOST_COMMITS: u32 = 20;

fn environment(fields: &Fields<'_>) -> Result<BTreeMap<String, String>, CaseFileError> {
    let Some(variables) = fields.table("env", "`env`")? else { return Ok(BTreeMap::new()) };
    let names: Vec<String> = variables.keys().map(str::to_owned).collect();
    let one = |name: String| {
        let is_name = !name.is_empty() && !name.contains(['=', '\0']);
        if !is_name {
            return Err(variables.error(&name, format!("`{name}` can't be the name of a variable")));
        }
        let value = variables.text(&name)?.unwrap_or_default();
        Ok((name, value))
    };
    names.into_iter().map(one).collect()
}

fn reply(fields: &Fields<'_>) -> Result<GivenReply, CaseFileError> {
    fields.only(&["handler", "exit", "stdout", "stderr"])?;
    let exit = fields.integer("exit")?.unwrap_or(0);
    let exit = u8::try_from(exit).map_err(|_| fields.error("exit", "`exit` must be from 0 to 255"))?;
    Ok(GivenReply {
        handler: fields.required("handler")?,
        exit: exit.into(),
        stdout: fields.text("stdout")?.unwrap_or_default(),
        stderr: fields.text("stderr")?.unwrap_or_default(),
    })
}

/// Reads an `[[equivalent]]`.
pub(super) fn equivalent(fields: &Fields<'_>) -> Result<EquivalentMutant, CaseFileError> {
    fields.only(&["handler", "mutant", "reason"])?;
    let mutant = fields.required("mutant")?;
    if Mutant::from_name(&mutant).is_none() {
        let names = Mutant::ALL.map(Mutant::name);
        let hint = match becket_base::suggest(&mutant, &names) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => format!("; the mutants are {}", names.join(", ")),
        };
        return Err(fields.error("mutant", format!("there is no mutant `{mutant}`{hint}")));
    }
    let reason = fields.required("reason")?;
    if reason.trim().is_empty() {
        return Err(fields.error("reason", "say why no case can kill it"));
    }
    let origin = fields.source.origin(fields.at);
    Ok(EquivalentMutant { origin, handler: fields.required("handler")?, mutant, reason })
}
