//! `becket explain`: the plan of an event. Starts no hook.

mod call;

use super::fire::{report_errors, started};
use crate::args::{ExplainArgs, Global};
use crate::env::Surroundings;
use crate::error::CommandResult;
use crate::event;
use crate::out::Out;
use crate::report::style::{WARNING, styled};
use crate::report::{human, json};
use crate::session;
use becket_embed::view::Report;
use becket_embed::view::planned::PlanReport;

/// The note about a tool that may have another name, which only its server can tell.
const OTHER_NAME: &str = "this looks like a name that was cut or told apart by a hash; matchers, `if` and deny rules \
     for the full name apply to such a tool, too (X5), and `becket mcp tools SERVER` shows the server's name for it";

/// Returns whether a name ends with the hash that tells tools of MCP servers apart: `_` and eight hexadecimal digits.
fn has_other_name(tool: &str) -> bool {
    let hash = tool.strip_prefix("mcp__").and_then(|name| name.rsplit_once('_')).map(|(_, hash)| hash);
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, 'a'..='f');
    hash.is_some_and(|hash| hash.len() == 8 && hash.chars().all(is_digit))
}

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
    if given.event.body.tool_call().is_some_and(|(tool, _)| has_other_name(tool)) {
        out.note(&format!("{} {OTHER_NAME}\n", styled(WARNING, "note:")));
    }
    let planned = PlanReport::explain(&engine, &given.event, given.samples);
    if global.json {
        json::print(&Report::Explain(planned), out)?;
    } else {
        out.print(&human::planned::render(&planned, around))?;
    }
    Ok(0)
}
