//! One tool call, from the model's wish to its result (`protocol.md` L1).
//!
//! The way: the input is checked → PreToolUse → rules and mode → in mode `auto` the classifier → where a person would be asked, PermissionRequest and the
//! person → the tool, with the input that was judged → PostToolUse or PostToolUseFailure.
//!
//! INVARIANT: a tool runs only out of an `ApprovedCall`, which is made in one place, from a settlement that lets the
//! call run or from the answer of somebody who may give it; it holds the very input that was judged. Whatever else
//! happens on the way (a denial, a failure, a panic, a cancelled or dropped call, a rewrite that does not fit, nobody to
//! ask) never makes one.
//!
//! It refuses to know any tool, to print, to remember a permission (the host does, with what the report says), and to
//! decide what comes between calls: the batch and the barrier are the turn's.

mod after;
mod approved_call;
mod batch_abort;
mod calls;
mod catch_panic;
mod classify;
mod decide;
mod gate;
mod hook_log;
mod lent;
mod names;
mod nested;
mod output;
mod person;
mod prompt;
mod report;
mod tool;
mod toolbox;

pub use calls::{ToolCall, ToolCalls};
pub use lent::lent_tools;
pub use nested::Nested;
pub use output::{ToolFailure, ToolOutput};
pub use person::{AskPermission, PermissionAnswer, PermissionPrompt};
pub use report::{DeniedBy, Ended, Report};
pub use tool::{Effect, Hints, Running, ServerOf, Tool};
pub use toolbox::Toolbox;

pub(crate) use batch_abort::BatchAbort;
pub(crate) use catch_panic::catch_panic;
