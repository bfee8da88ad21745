//! A program that was denied, and the line that its caller reads about it (protocol.md E3).

use std::fmt;

use becket_base::text::one_line;

use crate::chain::Chain;
use crate::matched_rule::MatchedRule;

/// The maximum number of characters of a command in a line.
const WIDEST: usize = 200;

/// The maximum number of characters of a host's reason in a line.
const LONGEST_REASON: usize = 1000;

/// A program that was not run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Denial {
    /// The arguments of the program, joined by blanks.
    pub command: String,
    /// The programs that led to it, ending with itself.
    pub chain: Chain,
    /// The reason for the denial.
    pub cause: DenialCause,
}

/// The reason why a program was not run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DenialCause {
    /// A deny rule matches the program.
    Rule(MatchedRule),
    /// An ask rule matches the program, and it was not approved.
    NotApproved {
        /// The rule.
        rule: MatchedRule,
        /// The host's reason.
        why: String,
    },
    /// A hook denies the program.
    Hook {
        /// The host's reason.
        why: String,
    },
    /// The program's arguments or its file can't be read (E2).
    Unreadable {
        /// The error reported by the system.
        why: String,
    },
    /// The program is a 32-bit one, whose system calls are not examined.
    ThirtyTwoBit,
    /// The program works only with root's rights, which a supervised program never gets from its file.
    NeedsRoot,
}

impl Denial {
    /// Returns the line for stderr, including the line feed. Control characters are escaped: arguments and rules
    /// may contain any.
    #[must_use]
    pub fn line(&self) -> String {
        format!("becket: {self}\n")
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, chain, cause } = self;
        let (command, chain) = (one_line(command, WIDEST), one_line(&chain.to_string(), WIDEST));
        write!(f, "`{command}` was not run: {cause}; run by {chain}")
    }
}

impl fmt::Display for DenialCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(rule) => write!(f, "denied by {rule}"),
            Self::NotApproved { rule, why } => write!(f, "{rule} asks first, and {}", phrase(why)),
            Self::Hook { why } => f.write_str(&phrase(why)),
            Self::Unreadable { why } => write!(f, "it can't be examined ({why})"),
            Self::ThirtyTwoBit => f.write_str("it is a 32-bit program, which is not supported here"),
            Self::NeedsRoot => f.write_str("it needs its setuid bit, which has no effect here"),
        }
    }
}

/// Returns a reason as a part of one line: more text follows it.
fn phrase(why: &str) -> String {
    one_line(why, LONGEST_REASON).trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denial(command: &str, cause: DenialCause) -> Denial {
        Denial { command: command.to_owned(), chain: Chain::default().with("make").with("git"), cause }
    }

    // rule: E3
    #[test]
    fn a_line_names_the_command_the_rule_its_place_and_the_chain() {
        let origin = "project (.claude/settings.json:3)".to_owned();
        let cause = DenialCause::Rule(MatchedRule { text: "Bash(git push *)".to_owned(), origin });
        let expected = "becket: `git push origin` was not run: denied by the rule `Bash(git push *)` of project \
                        (.claude/settings.json:3); run by make → git\n";
        assert_eq!(denial("git push origin", cause).line(), expected);
    }

    // rule: E3
    #[test]
    fn arguments_do_not_reach_a_terminal_as_they_are() {
        let line = denial("git push \u{1b}[2J\nok", DenialCause::NeedsRoot).line();
        assert!(line.contains("`git push \\u{1b}[2J ok`"), "{line}");
        let (text, origin) = ("Bash(a\u{1b}]0;t\u{7}*)".to_owned(), "b\u{9b}2J\u{202e}.json:1".to_owned());
        let line = denial("a", DenialCause::Rule(MatchedRule { text, origin })).line();
        assert!(line.contains("`Bash(a\\u{1b}]0;t\\u{7}*)` of b\\u{9b}2J\\u{202e}.json:1"), "{line}");
        let line = denial(&"x".repeat(5000), DenialCause::NeedsRoot).line();
        assert!(line.len() < 400, "{line}");
    }
}
