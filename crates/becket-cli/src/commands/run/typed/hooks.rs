//! `/hooks`: the output of `becket list` and `becket explain` for the open session.

use super::answer::{CommandContext, CommandResult};
use crate::report::human;
use becket_embed::event::kind;
use becket_embed::view::listed::HookListing;
use becket_embed::view::planned::PlanReport;
use becket_model::EventKind;

/// Returns the hooks of all events or of one, or the plan of the last event, as it would be now.
///
/// # Errors
/// Errors if there is no such event, or it has not been fired.
pub(super) fn shown(answering: CommandContext<'_>, argument: Option<&str>) -> CommandResult {
    let words: Vec<&str> = argument.unwrap_or_default().split_whitespace().collect();
    match words.as_slice() {
        [] => listed(answering, None),
        ["explain"] => explained(answering, None),
        ["explain", event] => explained(answering, Some(event)),
        [event] => listed(answering, Some(event)),
        [_, other, ..] => Err(format!(
            "`{other}` is one word too many: write `/hooks`, `/hooks EVENT` or `/hooks explain EVENT`"
        )),
    }
}

fn listed(answering: CommandContext<'_>, event: Option<&str>) -> CommandResult {
    let only = event.map(named).transpose()?;
    let engine = answering.session.agent.engine();
    let listed = HookListing::new(&engine.host().hooks(), &engine.host().gates(), only);
    Ok(human::listed::render(&listed, answering.at.around))
}

/// Finds an event by its name.
fn named(event: &str) -> Result<EventKind, String> {
    kind(event).map_err(|error| {
        let end = if error.near.is_empty() { ";" } else { "" };
        format!("{error}{end} `/hooks` lists the events that have hooks")
    })
}

fn explained(answering: CommandContext<'_>, event: Option<&str>) -> CommandResult {
    let only = event.map(named).transpose()?;
    let Some(event) = answering.session.fired.last(only) else {
        return Err(match only {
            Some(event) => format!("no `{event}` with hooks was fired in this session yet"),
            None => "no event with hooks was fired in this session yet".to_owned(),
        });
    };
    let planned = PlanReport::explain(answering.session.agent.engine(), &event, Vec::new());
    Ok(human::planned::render(&planned, answering.at.around))
}
