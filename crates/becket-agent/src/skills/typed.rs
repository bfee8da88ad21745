//! What a prompt is that begins with `/`: a command, or a text that happens to.

use super::Skills;
use super::skill::Skill;
use std::path::Path;
use std::sync::Arc;

/// What was typed.
#[derive(Debug, Clone, PartialEq)]
pub enum Typed {
    /// A prompt like any other.
    Plain,
    /// A skill or a command, and its arguments as typed.
    Skill(Arc<Skill>, String),
    /// A prompt of an MCP server, `/mcp__server__prompt`, and its arguments as typed (X8).
    McpPrompt {
        /// The command without its `/`.
        command: String,
        /// The arguments.
        arguments: String,
    },
    /// A command of the host itself, and its arguments as typed: no event fires for it (L0).
    Local {
        /// The command without its `/`.
        command: String,
        /// The arguments.
        arguments: String,
    },
    /// It looks like a command, and there is none: what to tell the user.
    Unknown(String),
}

impl Typed {
    /// Reads a prompt. `local` are the host's own commands.
    #[must_use]
    pub fn read(prompt: &str, skills: &Skills, local: &[&str]) -> Self {
        let Some((command, arguments)) = command(prompt) else {
            return Self::Plain;
        };
        let arguments = arguments.to_owned();
        match skills.find(command) {
            Some(skill) if skill.for_user => return Self::Skill(Arc::clone(skill), arguments),
            Some(skill) => {
                let message = format!("`/{}` is for the model alone (`user-invocable: false`)", skill.name);
                return Self::Unknown(message);
            }
            None => {}
        }
        if local.contains(&command) {
            return Self::Local { command: command.to_owned(), arguments };
        }
        if command.starts_with("mcp__") {
            return Self::McpPrompt { command: command.to_owned(), arguments };
        }
        // `/tmp is full` is no command that somebody misspelt.
        if Path::new("/").join(command).exists() {
            return Self::Plain;
        }
        let known: Vec<&str> =
            skills.for_user().map(|skill| &*skill.name).chain(local.iter().copied()).collect();
        let near = becket_rules::suggest(command, &known).map(|near| format!(": did you mean `/{near}`?"));
        let command = crate::schema::brief(command);
        Self::Unknown(format!("there is no command `/{command}`{}", near.unwrap_or_default()))
    }
}

/// The command and what stands behind it, where a prompt looks like one.
fn command(prompt: &str) -> Option<(&str, &str)> {
    let typed = prompt.trim_start().strip_prefix('/')?;
    let end = typed.find(char::is_whitespace).unwrap_or(typed.len());
    let (command, arguments) = typed.split_at(end);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    let looks = command.starts_with(char::is_alphanumeric) && command.chars().all(is_name);
    looks.then_some((command, arguments.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(prompt: &str) -> String {
        match Typed::read(prompt, &Skills::default(), &["clear", "compact"]) {
            Typed::Plain => "plain".to_owned(),
            Typed::Skill(skill, _) => format!("skill {}", skill.name),
            Typed::McpPrompt { command, arguments } => format!("mcp {command}: {arguments}"),
            Typed::Local { command, arguments } => format!("local {command}: {arguments}"),
            Typed::Unknown(message) => message,
        }
    }

    // rules: L0, X8
    #[test]
    fn a_path_is_no_command_and_a_misspelt_command_is_no_prompt() {
        for (prompt, expected) in [
            ("tidy up", "plain"),
            ("/etc/hosts is wrong", "plain"),
            ("/tmp is full", "plain"),
            ("/", "plain"),
            ("/ what", "plain"),
            ("// a comment", "plain"),
            ("/*.rs", "plain"),
            ("see /clear", "plain"),
            ("  /compact keep the names ", "local compact: keep the names"),
            ("/clear", "local clear: "),
            ("/mcp__srv__ask a b\nc", "mcp mcp__srv__ask: a b\nc"),
            ("/cler", "there is no command `/cler`: did you mean `/clear`?"),
            ("/no-such-thing x", "there is no command `/no-such-thing`"),
        ] {
            assert_eq!(read(prompt), expected, "{prompt}");
        }
    }
}
