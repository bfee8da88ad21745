//! One tool call, from the model's request to its result (`protocol.md` L1).
//!
//! The order: the input is checked → PreToolUse → rules and mode → in mode `auto` the classifier → if a person would be
//! asked, PermissionRequest and the person → the tool, with the input that was judged → PostToolUse or
//! PostToolUseFailure.
//!
//! INVARIANT: a tool is run only by an `ApprovedCall`, which is created in one place, from a settlement that allows the
//! call or from an answer that may allow it; it contains exactly the input that was judged. Anything else (a denial, a
//! failure, a panic, a cancelled or dropped call, a rewrite that does not fit, no person to ask) never creates one.
//!
//! It knows no specific tool, prints nothing, and stores no permission (the host does, from the report). The batch and
//! the barrier between calls belong to the turn.

mod after;
mod approved_call;
mod batch_abort;
mod calls;
mod classify;
mod decide;
mod gate;
mod hook_log;
mod nested;
mod person;
mod program_judge;
mod prompt;
mod report;

pub use calls::ToolCalls;
pub use nested::NestedCalls;
pub use person::{AskPermission, PermissionAnswer, PermissionPrompt};
pub use program_judge::ProgramJudge;
pub use report::{CallEnd, DeniedBy, Report};

pub(crate) use batch_abort::BatchAbort;
pub(crate) use calls::{CallSession, LIMIT};
