//! Recognises a prompt as one of the program's own commands.

use super::table::{COMMANDS, Command};
use becket_agent::session::Prompt;
use becket_llm::Block;

/// A command that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SlashCommand {
    pub(super) command: Command,
    /// The text after the command's name, trimmed.
    pub(super) rest: String,
}

impl SlashCommand {
    /// Parses a prompt; `None` if it is meant for the model, or for skills. A prompt with attached material is not a
    /// command.
    pub(crate) fn read(prompt: &Prompt) -> Option<Self> {
        let [Block::Text(text)] = prompt.content.as_slice() else { return None };
        if prompt.verbatim {
            return None;
        }
        let typed = text.trim().strip_prefix('/')?;
        let (name, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        let command = COMMANDS.iter().find(|command| command.name == name)?;
        Some(SlashCommand { command: *command, rest: rest.trim().to_owned() })
    }

    /// Returns the argument, if the command takes one.
    ///
    /// # Errors
    /// Errors if there is an argument and the command takes none.
    pub(super) fn argument(&self) -> Result<Option<&str>, String> {
        let given = Some(self.rest.as_str()).filter(|rest| !rest.is_empty());
        match given {
            Some(rest) if self.command.hint.is_empty() => {
                Err(format!("`/{}` takes no argument, but got `{rest}`", self.command.name))
            }
            given => Ok(given),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_prompt_that_is_the_command_is_one() {
        for (prompt, expected) in [
            ("/compact", Some(("compact", ""))),
            (" /compact  the tests\nand why ", Some(("compact", "the tests\nand why"))),
            ("/clear", Some(("clear", ""))),
            ("/hooks explain PreToolUse", Some(("hooks", "explain PreToolUse"))),
            ("/add-dir ../a b", Some(("add-dir", "../a b"))),
            ("/compactor", None),
            ("/Help", None),
            ("see /compact", None),
            ("compact", None),
            ("/", None),
            ("", None),
        ] {
            let read = SlashCommand::read(&Prompt::text(prompt));
            let read = read.as_ref().map(|typed| (typed.command.name, typed.rest.as_str()));
            assert_eq!(read, expected, "{prompt}");
        }
        let two = [Block::Text("/clear".to_owned()), Block::Text("and this".to_owned())];
        assert_eq!(SlashCommand::read(&Prompt::text("/clear").verbatim(true)), None);
        assert_eq!(SlashCommand::read(&Prompt::blocks(two.into())), None);
    }

    #[test]
    fn what_takes_nothing_says_so() {
        let argument = |prompt: &str| {
            SlashCommand::read(&Prompt::text(prompt))
                .map(|typed| typed.argument().map(|it| it.map(str::to_owned)))
        };
        assert_eq!(argument("/clear"), Some(Ok(None)));
        assert_eq!(argument("/model opus"), Some(Ok(Some("opus".to_owned()))));
        let said = argument("/clear the table");
        assert!(matches!(said, Some(Err(why)) if why.contains("`/clear`") && why.contains("`the table`")));
    }
}
