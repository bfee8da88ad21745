//! `becket list`: the effective hooks.

use super::fire::{started, told_errors};
use crate::args::{Global, ListArgs};
use crate::env::Surroundings;
use crate::event;
use crate::out::Out;
use crate::report::{human, json};
use crate::run::Done;
use crate::session::Session;
use crate::view::Report;
use crate::view::listed::Listed;
use becket_engine::config::Config;
use becket_engine::{Gates, Start};

/// Prints the hook set.
pub(crate) fn run(args: &ListArgs, global: &Global, around: &Surroundings, out: &Out) -> Done {
    let only = args.event.as_deref().map(event::kind).transpose()?;
    let engine = started(Session::new(global, around)?.builder(true).build(), around, out)?;
    told_errors(&engine, around, out);
    let listed = Listed::new(&engine.hooks(), &gates(&engine.config()), only);
    if global.json {
        json::print(&Report::List(listed), out)?;
    } else {
        out.print(&human::listed::render(&listed, around))?;
    }
    Ok(0)
}

/// What the policy does to each source.
fn gates(config: &Config) -> Gates {
    let policy = &config.policy;
    Gates {
        policy_disables_all: policy.disable_all_hooks,
        disabled_by: policy.disabled_by.clone(),
        managed_only: policy.managed_only,
        plugin_only: policy.plugin_only_hooks,
        forced_plugins: policy.forced_plugins.clone(),
        start: Start::Normal,
        trust: config.trust,
    }
}
