//! `becket list`: the effective hooks.

use super::fire::{report_errors, started};
use crate::args::{Global, ListArgs};
use crate::env::Surroundings;
use crate::error::CommandResult;
use crate::event;
use crate::out::Out;
use crate::report::{human, json};
use crate::session;
use becket_embed::view::Report;
use becket_embed::view::listed::HookListing;

/// Prints the hook set. Exits with 1 if a part of the configuration is not loaded.
pub(crate) fn run(args: &ListArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let only = args.event.as_deref().map(event::kind).transpose()?;
    let engine = started(session::in_project(global, around, out)?.builder(true).build(), around, out)?;
    let is_whole = report_errors(&engine, around, out);
    let listed = HookListing::new(&engine.host().hooks(), &engine.host().gates(), only);
    let listed = if only.is_none() { listed.with_rules(&engine.config().permissions) } else { listed };
    if global.json {
        json::print(&Report::List(listed), out)?;
    } else {
        out.print(&human::listed::render(&listed, around))?;
    }
    Ok(u8::from(!is_whole))
}
