//! `/resume`: another session of this directory.

use super::super::begins;
use super::answer::{CommandContext, CommandResult};
use crate::report::style::{FAINT, HEAD, NONE};
use crate::report::table::{Cell, Table};
use becket_agent::transcript::ResumableSession;
use std::time::{Duration, SystemTime};

/// The number of sessions that are listed.
const SHOWN: usize = 20;

/// Returns the sessions of this directory, the newest first; or resumes one.
///
/// # Errors
/// Errors if nothing is stored, there is no such session, or it is in use.
pub(super) async fn resume(answering: CommandContext<'_>, id: Option<&str>) -> CommandResult {
    let at = answering.at;
    let agent = &answering.session.agent;
    let nothing = || "sessions are not stored here, so there is none to resume".to_owned();
    let store = begins::store(at).ok_or_else(nothing)?;
    let known = store.list(&at.session.start).map_err(|error| format!("can't look for sessions: {error}"))?;
    let own = agent.info().id;
    let Some(id) = id else { return Ok(listed(&known, &own, answering.at.around.width)) };
    if id == own {
        return Err(format!("`{id}` is the session that is open"));
    }
    agent.resume(id).await.map_err(|error| begins::not_found(&error, id, &known))?;
    let info = agent.info();
    let called = info.title.map(|title| format!(" ({title})")).unwrap_or_default();
    let waiting = match agent.has_deferred().await {
        true => "; the next prompt answers the calls that hooks have deferred in it as cancelled",
        false => "",
    };
    Ok(format!("resumed {}{called}{waiting}", info.id))
}

fn listed(known: &[ResumableSession], own: &str, width: Option<usize>) -> String {
    let mut table = Table::default();
    let named = |session: &&ResumableSession| session.id != own && words(session).is_some();
    for session in known.iter().filter(named).take(SHOWN) {
        let words = words(session).unwrap_or_default();
        let age = SystemTime::now().duration_since(session.modified).unwrap_or_default();
        table.row([Cell::new(HEAD, &session.id), Cell::new(FAINT, &ago(age)), Cell::last(NONE, words)]);
    }
    match table.fitted(0, width) {
        rows if rows.is_empty() => "this directory has no other session".to_owned(),
        rows => rows,
    }
}

/// Returns the title of a session; `None` if it has no prompt, since then there is nothing to resume.
fn words(session: &ResumableSession) -> Option<&str> {
    session.title.as_deref().or(session.prompt.as_deref())
}

fn ago(age: Duration) -> String {
    let (seconds, many) = (age.as_secs(), |count: u64, what: &str| format!("{count} {what} ago"));
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => many(seconds / 60, "min"),
        3600..86_400 => many(seconds / 3600, "h"),
        _ => many(seconds / 86_400, "d"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_largest_unit_that_is_full() {
        let cases = [(0, "just now"), (60, "1 min ago"), (7199, "1 h ago"), (172_800, "2 d ago")];
        for (seconds, expected) in cases {
            assert_eq!(ago(Duration::from_secs(seconds)), expected);
        }
    }
}
