//! The particulars of one agent: how it is pointed at a model, and what its tools are called.

use crate::{Launch, ToolCall};
use std::path::Path;

/// The particulars of one agent.
#[derive(Debug)]
pub struct AgentDriver {
    /// The name of its dialect.
    pub name: &'static str,
    /// A part of the name of a tool that only its main requests offer, if others offer tools as well.
    pub main_tool: Option<&'static str>,
    /// The files, variables and arguments for one prompt, without a user.
    pub launch: fn(&Scratch<'_>, &str) -> Launch,
    /// A call of its shell tool.
    pub shell: fn(&str) -> ToolCall,
    /// A call that writes a text to a new file.
    pub write: fn(&Path, &str) -> ToolCall,
}

/// The directories of one run, and the model.
#[derive(Debug, Clone, Copy)]
pub struct Scratch<'a> {
    /// The home directory.
    pub home: &'a Path,
    /// The project, the directory in which the agent is started.
    pub project: &'a Path,
    /// The URL of the model, without a path.
    pub model: &'a str,
}

impl Scratch<'_> {
    /// Returns the environment of an agent: nothing of this process but the search path.
    pub fn environment(&self, search_path: &str) -> Vec<(&'static str, String)> {
        let home = self.home.to_string_lossy().into_owned();
        let fixed = [
            ("PATH", search_path),
            ("USER", "becket"),
            ("LOGNAME", "becket"),
            ("LANG", "C.UTF-8"),
            ("SHELL", "/bin/bash"),
            ("TERM", "dumb"),
            ("NO_COLOR", "1"),
            ("NO_PROXY", "127.0.0.1,localhost"),
            ("DO_NOT_TRACK", "1"),
        ];
        let fixed = fixed.map(|(name, value)| (name, value.to_owned()));
        fixed.into_iter().chain([("HOME", home)]).collect()
    }

    /// Returns the URL of the model with a path.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.model)
    }
}
