//! The tools by which models work with the list and with each other.

mod create;
mod read;
mod send;
mod tool;
mod update;

pub(crate) use tool::team_tools;

pub(crate) use tool::OF_TEAM;
