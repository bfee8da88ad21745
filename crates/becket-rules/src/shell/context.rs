//! The context of a command during the walk: its wrappers, the source of its input, and the shell that reads it.

use std::rc::Rc;

use super::dialect::Dialect;
use super::input::{Descriptors, Input, Inputs};

/// The surroundings of a command that the walk reaches.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// Reached by P4's walk alone, not through a wrapper or a program in text.
    pub(crate) direct: bool,
    pub(crate) via: Option<Rc<str>>,
    pub(crate) input: Input,
    pub(crate) descriptors: Descriptors,
    pub(crate) depth: u32,
    /// The shell that reads the text.
    pub(crate) dialect: Dialect,
    /// `{}` is filled in at run time.
    pub(crate) fills: bool,
}

impl Context {
    pub(crate) fn line() -> Self {
        let (direct, dialect, fills) = (true, Dialect::Bash, false);
        let descriptors = Descriptors::none();
        Self { direct, via: None, input: Input::Line, descriptors, depth: 0, dialect, fills }
    }

    pub(crate) fn with_input(&self, input: Input) -> Self {
        Self { input, depth: self.depth + 1, ..self.clone() }
    }

    /// Returns the inputs of a command here, before its own redirections.
    pub(crate) fn inputs(&self) -> Inputs {
        Inputs { standard: self.input.clone(), others: self.descriptors.clone() }
    }

    /// Returns the context inside the wrapper `name`; the outermost wrapper is the one shown.
    pub(crate) fn through(&self, name: &str) -> Self {
        let via = self.via.clone().unwrap_or_else(|| Rc::from(name));
        Self { direct: false, via: Some(via), depth: self.depth + 1, ..self.clone() }
    }
}
