//! `becket explain`: the plan of an event. Starts no hook.

mod call;

use super::fire::{report_errors, started};
use crate::args::{ExplainArgs, Global};
use crate::env::Surroundings;
use crate::error::CommandResult;
use crate::event;
use crate::out::Out;
use crate::report::{human, json};
use crate::session;
use becket_embed::view::Report;
use becket_embed::view::planned::PlanReport;

/// Plans the event and shows the plan.
pub(crate) fn run(args: &ExplainArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    if let Some(id) = &args.call {
        return call::run(id, args, global, around, out);
    }
    let session = session::in_project(global, around, out)?;
    let given = event::from_arguments(
        event::kind(args.event.as_deref().unwrap_or_default())?,
        &args.fields,
        &session.start,
        around,
    )?;
    let engine = started(session.builder(true).build(), around, out)?;
    report_errors(&engine, around, out);
    event::check_tool(&args.fields, &engine)?;
    let planned = PlanReport::explain(&engine, &given.event, given.samples);
    if global.json {
        json::print(&Report::Explain(planned), out)?;
    } else {
        out.print(&human::planned::render(&planned, around))?;
    }
    Ok(0)
}
