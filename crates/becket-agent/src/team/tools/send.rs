//! `SendMessage`: sends a message to a teammate, to the lead, or to all members.

use super::super::mail::Mail;
use super::super::roster::LEAD;
use super::tool::{At, failed, text};
use becket_engine::{RunningCall, ToolFailure, ToolOutput};
use becket_tools::schema::{Kind, Spec, optional, required};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The receiver that means all other members.
const ALL: &str = "*";

pub(super) static SPEC: Spec = Spec {
    name: "SendMessage",
    description: "Says something to somebody in the team: what you write beside your calls, they don't see. It reaches \
        them before their next answer, and sets one who is idle to work.",
    fields: &[
        required("to", Kind::Text, "The name of a teammate, `team-lead`, or `*` for everybody else"),
        required("message", Kind::Text, "What you have to say"),
        optional("summary", Kind::Text, "The same in a few words"),
    ],
};

pub(super) fn check(input: &Map<String, Value>) -> Result<(), String> {
    match text(input, "message").is_none_or(|message| message.trim().is_empty()) {
        true => Err("`message` has to say something".to_owned()),
        false => Ok(()),
    }
}

pub(super) async fn run(at: &At, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
    let (input, session) = (running.input, running.session);
    let from = at.team.teammate(session);
    if from.is_none() && session.agent.as_ref().is_some_and(|agent| agent.id.is_some()) {
        return Err(failed("an agent that is not a teammate has nobody to write to: its answer is read"));
    }
    let from = from.unwrap_or_else(|| Arc::from(LEAD));
    let to = recipients(at, &from, text(input, "to").unwrap_or_default().trim())?;
    let mail = Mail::new(&from, text(input, "message").unwrap_or_default(), text(input, "summary"));
    for name in &to {
        at.team.post(name, mail.clone(), session, running.cancel).await.map_err(failed)?;
    }
    let names: Vec<&str> = to.iter().map(|name| &**name).collect();
    let message = format!("Message sent to {}", names.join(", "));
    Ok(ToolOutput::text(message.clone(), json!({"success": true, "message": message, "recipients": names})))
}

fn recipients(at: &At, from: &str, to: &str) -> Result<Vec<Arc<str>>, ToolFailure> {
    let mut others = at.team.members();
    others.retain(|name| **name != *from);
    if to == ALL {
        return if others.is_empty() { Err(failed("nobody else is in the team")) } else { Ok(others) };
    }
    if let Some(name) = others.iter().find(|name| ***name == *to) {
        return Ok(vec![Arc::clone(name)]);
    }
    let known: Vec<&str> = others.iter().map(|name| &**name).collect();
    Err(failed(crate::definitions::unknown("teammate", to, &known)))
}
