//! The results of handlers, the outcome of an event, and the stream of what happened.

pub(crate) mod audit;
pub(crate) mod background_id;
pub(crate) mod decision;
pub(crate) mod handler_result;
pub(crate) mod long_text;
pub(crate) mod model_use;
pub(crate) mod outcome;
pub(crate) mod run_event;
pub(crate) mod stream;
pub(crate) mod withheld_answer;
