//! `becket list`: the effective hooks.

use super::fire::{started, told_errors};
use crate::args::{Global, ListArgs};
use crate::env::Surroundings;
use crate::event;
use crate::out::Out;
use crate::report::{human, json};
use crate::run::Done;
use crate::session;
use becket_embed::view::Report;
use becket_embed::view::listed::Listed;

/// Prints the hook set.
pub(crate) fn run(args: &ListArgs, global: &Global, around: &Surroundings, out: &Out) -> Done {
    let only = args.event.as_deref().map(event::kind).transpose()?;
    let engine = started(session::launched(global, around)?.builder(true).build(), around, out)?;
    told_errors(&engine, around, out);
    let listed = Listed::new(&engine.hooks(), &engine.gates(), only);
    if global.json {
        json::print(&Report::List(listed), out)?;
    } else {
        out.print(&human::listed::render(&listed, around))?;
    }
    Ok(0)
}
