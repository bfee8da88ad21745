//! Classifies a prompt that starts with `/`: a command, or plain text.

use super::register::Skills;
use super::skill::Skill;
use std::path::Path;
use std::sync::Arc;

/// The host's command that lists all commands.
const HELP: &str = "help";

/// The kind of a typed prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Line<'p> {
    /// A normal prompt.
    Text,
    /// A skill or a command, with its arguments as typed.
    Skill(Arc<Skill>, &'p str),
    /// A possible prompt of an MCP server, `/mcp__server__prompt`, with its arguments as typed (X8).
    Mcp { command: &'p str, arguments: &'p str },
    /// A text that looks like a command but is not one, with the message for the user.
    Unknown(String),
}

impl<'p> Line<'p> {
    /// Parses a prompt. `others` are commands of the host's own, which never get here: they may have been meant.
    pub(crate) fn read(prompt: &'p str, skills: &Skills, others: &[String]) -> Self {
        let Some((command, arguments)) = command(prompt) else {
            return Self::Text;
        };
        match skills.find(command) {
            Some(skill) if skill.for_user => return Self::Skill(Arc::clone(skill), arguments),
            Some(skill) => {
                let message = format!("`/{}` is for the model alone (`user-invocable: false`)", skill.name);
                return Self::Unknown(message);
            }
            None => {}
        }
        if command.starts_with("mcp__") {
            return Self::Mcp { command, arguments };
        }
        // `/tmp is full` is not a misspelt command.
        if Path::new("/").join(command).exists() {
            return Self::Text;
        }
        Self::Unknown(unknown(command, skills, others))
    }
}

/// Returns the error for an unknown command.
pub(crate) fn unknown(command: &str, skills: &Skills, others: &[String]) -> String {
    if others.iter().any(|other| other == command) {
        return format!(
            "`/{command}` is a command of the program itself: the user types it, and nothing beside it"
        );
    }
    let has_help = others.iter().any(|other| other == HELP);
    let others = others.iter().map(String::as_str);
    let known: Vec<&str> = skills.for_user().map(|skill| &*skill.name).chain(others).collect();
    let near = becket_base::suggest(command, &known).map(|near| format!(": did you mean `/{near}`?"));
    let help = match (has_help, &near) {
        (false, _) => "",
        (true, None) => "; `/help` lists all commands",
        (true, Some(_)) => " `/help` lists all commands",
    };
    format!(
        "there is no command `/{}`{}{help}",
        becket_tools::schema::brief(command),
        near.unwrap_or_default()
    )
}

/// Returns the command and the text after it, if a prompt looks like one.
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
        match Line::read(prompt, &Skills::default(), &["clear", HELP].map(str::to_owned)) {
            Line::Text => "words".to_owned(),
            Line::Skill(skill, _) => format!("skill {}", skill.name),
            Line::Mcp { command, arguments } => format!("mcp {command}: {arguments}"),
            Line::Unknown(message) => message,
        }
    }

    // rules: L0, X8
    #[test]
    fn a_path_is_no_command_and_a_misspelt_command_is_no_prompt() {
        for (prompt, expected) in [
            ("tidy up", "words"),
            ("/etc/hosts is wrong", "words"),
            ("/tmp is full", "words"),
            ("/", "words"),
            ("/ what", "words"),
            ("// a comment", "words"),
            ("/*.rs", "words"),
            ("see /clear", "words"),
            ("/mcp__srv__ask a b\nc", "mcp mcp__srv__ask: a b\nc"),
            ("/cler", "there is no command `/cler`: did you mean `/clear`? `/help` lists all commands"),
            (
                "/clear",
                "`/clear` is a command of the program itself: the user types it, and nothing beside it",
            ),
            ("/no-such-thing x", "there is no command `/no-such-thing`; `/help` lists all commands"),
        ] {
            assert_eq!(read(prompt), expected, "{prompt}");
        }
    }
}
