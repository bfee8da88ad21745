//! The JSON on a handler's stdin and stdout, apart from the types that the engine works with.

pub mod input;
pub(crate) mod output;
pub mod settings;
