//! `becket events`: the event table.

use crate::args::{EventsArgs, Global};
use crate::env::Surroundings;
use crate::error::CommandResult;
use crate::event;
use crate::out::Out;
use crate::report::{human, json};
use becket_embed::view::Report;
use becket_embed::view::event_row::EventRow;
use becket_model::EventKind;

/// Prints all events, or one in full.
pub(crate) fn run(args: &EventsArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let kinds = match &args.event {
        Some(name) => vec![event::kind(name)?],
        None => EventKind::ALL.to_vec(),
    };
    let rows: Vec<EventRow> = kinds.into_iter().map(EventRow::from).collect();
    if global.json {
        json::print(&Report::Events { events: rows }, out)?;
        return Ok(0);
    }
    out.print(&match (&args.event, rows.as_slice()) {
        (Some(_), [row]) => human::event_rows::one(row, around.width),
        (_, rows) => human::event_rows::list(rows, around.width),
    })?;
    Ok(0)
}
