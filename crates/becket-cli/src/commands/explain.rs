//! `becket explain`: the plan of an event. Starts no hook.

mod call;

use super::fire::{report_errors, started};
use crate::args::{ExplainArgs, Global};
use crate::env::Surroundings;
use crate::error::CommandResult;
use crate::event;
use crate::out::Out;
use crate::report::style::{WARNING, plain, styled};
use crate::report::{human, json};
use crate::session;
use becket_embed::view::Report;
use becket_embed::view::planned::PlanReport;
use becket_mcp::has_mark;

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
    // Only its server can tell the full name.
    if let Some((tool, _)) = given.event.body.tool_call().filter(|(tool, _)| has_mark(tool)) {
        out.note(&format!("{} {}\n", styled(WARNING, "note:"), shortened(tool)));
    }
    let planned = PlanReport::explain(&engine, &given.event, given.samples);
    if global.json {
        json::print(&Report::Explain(planned), out)?;
    } else {
        out.print(&human::planned::render(&planned, around))?;
    }
    Ok(0)
}

/// Returns the note about a tool that may have another name.
fn shortened(tool: &str) -> String {
    format!(
        "`{}` may be a shortened name: matchers, `if` and deny rules for the full name apply to it as well; `becket mcp \
         tools SERVER` shows the full name",
        plain(tool)
    )
}
