//! The content of one file, read entry by entry and checked separately. It knows nothing of other files:
//! [`super::resolve()`] decides which one wins if two disagree.

mod action;
mod audit;
mod common;
mod dialect;
mod exec_switch;
mod fields;
mod group;
mod handler;
mod hook_budget;
mod modules;
mod permissions;
mod policy_helper;
mod rollout;
mod sandbox;
mod settings;
mod sheet;
mod switches;
#[cfg(test)]
mod tests;

pub(crate) use dialect::{Dialect, tool_filter_help};
pub(crate) use fields::At;
pub(crate) use modules::MODULE_NOT_RUN;
pub(crate) use permissions::RawRule;
pub(crate) use rollout::RawRollout;
pub(crate) use sandbox::{GrantSheet, SandboxSheet};
pub(crate) use settings::{
    NotRead, document, hooks_file, hooks_value, is_setting, lost_hooks, settings, twice,
};
pub(crate) use sheet::{Entry, ReadContext, Sheet};
pub(crate) use switches::Switches;
