//! The particulars of one agent: the configuration of its model, and the names of its tools.

use crate::{Launch, ToolCall};
use serde_json::Value;
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

/// An agent whose tools are those of `becket mcp gateway`.
#[derive(Debug)]
pub struct GatewayDriver {
    /// The name of its dialect.
    pub name: &'static str,
    /// The files, variables and arguments for one prompt, with the gateway as its one MCP server and without a shell tool.
    pub launch: fn(&Scratch<'_>, &GatewayCommand<'_>, &str) -> Launch,
    /// A call of one of the gateway's tools.
    pub call: fn(GatewayTool, Value) -> ToolCall,
}

/// The command that starts the gateway.
#[derive(Debug, Clone, Copy)]
pub struct GatewayCommand<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [&'a str],
}

/// A tool of the server behind the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GatewayTool {
    /// `run` of the server `shell`: runs a command.
    Run,
    /// `write` of the server `shell`: writes a file.
    Write,
}

/// An agent that an editor drives over ACP.
#[derive(Debug)]
pub struct AcpDriver {
    /// The name of its dialect.
    pub name: &'static str,
    /// The files and variables, and the arguments of its ACP mode.
    pub launch: fn(&Scratch<'_>) -> Launch,
}

/// An agent at a terminal, with a user.
#[derive(Debug)]
pub struct TerminalDriver {
    /// The name of its dialect.
    pub name: &'static str,
    /// The files, variables and arguments of a session.
    pub launch: fn(&Scratch<'_>) -> Launch,
    /// A part of the name of a tool that only its main requests offer, if others offer tools as well.
    pub main_tool: Option<&'static str>,
    /// A text on its screen when it accepts a prompt.
    pub ready: &'static str,
    /// The way in which a user answers a hook that asks.
    pub ask: AskAnswer,
    /// A call of its shell tool.
    pub shell: fn(&str) -> ToolCall,
    /// A call that starts a subagent with a prompt.
    pub subagent: fn(&str) -> ToolCall,
}

/// The way in which a user answers a hook that asks.
#[derive(Debug, Clone, Copy)]
pub enum AskAnswer {
    /// The agent asks, and accepts these keys.
    Keys {
        /// The keys that allow the call.
        yes: &'static [&'static str],
        /// The keys that deny it.
        no: &'static [&'static str],
    },
    /// The call is denied, and `becket allow-once` allows the next one.
    AllowOnce,
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
    /// Returns the environment of an agent, which inherits only the search path of this process.
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
