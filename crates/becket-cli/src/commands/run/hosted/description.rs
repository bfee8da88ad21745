//! The commands, skills and agents of a session, in the format of the SDKs.

use super::super::session::Session;
use super::super::typed::COMMANDS;
use becket_agent::skills::{Kind, Skill};
use serde_json::{Value, json};

/// Returns the commands and skills that may be typed.
pub(super) fn commands(session: &Session) -> Vec<Value> {
    let own = COMMANDS.iter().map(|own| {
        json!({"name": own.name, "description": own.about, "argumentHint": own.hint, "kind": "command"})
    });
    own.chain(session.skills.skills().all().iter().map(|skill| described(skill))).collect()
}

/// Returns the skills.
pub(super) fn skills(session: &Session) -> Vec<Value> {
    let skills = session.skills.skills();
    skills.all().iter().filter(|skill| skill.kind == Kind::Skill).map(|skill| described(skill)).collect()
}

/// Returns the agents.
pub(super) fn agents(session: &Session) -> Vec<Value> {
    let agents = session.agents.agents();
    agents.all().iter().map(|agent| json!({"name": &*agent.name, "description": agent.description})).collect()
}

fn described(skill: &Skill) -> Value {
    json!({"name": &*skill.name, "description": skill.description,
           "argumentHint": skill.argument_hint.as_deref().unwrap_or_default(),
           "kind": if skill.kind == Kind::Skill { "skill" } else { "command" }})
}
