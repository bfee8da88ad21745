//! Commands that the program itself answers, typed as a prompt: no hook sees them and the model is not asked.

use becket_agent::session::Prompt;
use becket_llm::Block;

/// A command that is not the model's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Typed {
    /// `/compact [WHAT THE SUMMARY IS TO HEED]`
    Compact { instructions: Option<String> },
    /// `/clear`
    Clear,
}

/// Their names, without the slash.
pub(super) const NAMES: [&str; 2] = ["compact", "clear"];

impl Typed {
    /// Reads a prompt; none where it is for the model, or for skills.
    pub(super) fn read(prompt: &Prompt) -> Option<Self> {
        let [Block::Text(text)] = prompt.content.as_slice() else { return None };
        let typed = text.trim().strip_prefix('/')?;
        let (name, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        let rest = rest.trim();
        match (name, rest.is_empty()) {
            ("compact", true) => Some(Self::Compact { instructions: None }),
            ("compact", false) => Some(Self::Compact { instructions: Some(rest.to_owned()) }),
            ("clear", true) => Some(Self::Clear),
            (_, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_prompt_that_is_the_command_is_one() {
        let heeding = |text: &str| Typed::Compact { instructions: Some(text.to_owned()) };
        for (prompt, expected) in [
            ("/compact", Some(Typed::Compact { instructions: None })),
            (" /compact  the tests\nand why ", Some(heeding("the tests\nand why"))),
            ("/clear", Some(Typed::Clear)),
            ("/clear the table", None),
            ("/compactor", None),
            ("see /compact", None),
            ("compact", None),
            ("", None),
        ] {
            assert_eq!(Typed::read(&Prompt::text(prompt)), expected, "{prompt}");
        }
        let two = [Block::Text("/clear".to_owned()), Block::Text("and this".to_owned())];
        assert_eq!(Typed::read(&Prompt { content: two.into() }), None);
    }
}
