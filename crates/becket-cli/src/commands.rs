//! One file per command: resolves its arguments, calls the engine, and passes a view to a reporter.

pub(crate) mod allow_once;
pub(crate) mod ask;
pub(crate) mod background;
pub(crate) mod check;
pub(crate) mod check_output;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod events;
pub(crate) mod exec;
pub(crate) mod explain;
pub(crate) mod fire;
pub(crate) mod install;
pub(crate) mod keep;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod reference;
pub(crate) mod replay;
pub(crate) mod rule;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod supervise;
pub(crate) mod test;
pub(crate) mod translate;
pub(crate) mod uninstall;
