//! The arithmetic of a line, and whether its operands are known to be numbers (rule P4).
//!
//! bash evaluates the value of every name in an expression, and runs the `$( )` in a subscript of that value. So the
//! text of an expression does not show what it runs: a file, a file's name or an argument may contain `a[$(…)]`. Only
//! numbers are certain, and names that the line itself sets to nothing but numbers.
//!
//! INVARIANT: a name counts as a number only after an assignment of one, and only if nothing else in the line may set
//! it. An assignment that can't be followed ([`Evaluations::set_any`]) leaves no name certain.

use std::collections::BTreeSet;

/// The evaluations that the walk has met so far.
#[derive(Debug, Default)]
pub(crate) struct Evaluations {
    /// The first evaluation whose operands are not certain, as it is written.
    uncertain: Option<String>,
    /// Names that evaluations rely on, each with the evaluation.
    relied_on: Vec<(String, String)>,
    /// Names that were set to a number.
    numbers: BTreeSet<String>,
    /// Names that were, or may be, set to text.
    texts: BTreeSet<String>,
    any: bool,
}

/// Variables that bash itself sets to text.
const SHELL_SETS: [&str; 12] = [
    "_",
    "REPLY",
    "PWD",
    "OLDPWD",
    "MAPFILE",
    "OPTARG",
    "COPROC",
    "DIRSTACK",
    "FUNCNAME",
    "GROUPS",
    "READLINE_LINE",
    "HISTCMD",
];

/// Variables with the integer attribute: text assigned to them is evaluated.
const INTEGERS: [&str; 9] =
    ["RANDOM", "SRANDOM", "SECONDS", "OPTIND", "HISTCMD", "LINENO", "EPOCHSECONDS", "BASHPID", "PPID"];

/// Variables that bash itself sets to a number, whatever the environment contains.
const COUNTERS: [&str; 9] =
    ["RANDOM", "SRANDOM", "SECONDS", "LINENO", "EPOCHSECONDS", "BASHPID", "PPID", "UID", "EUID"];

/// Returns whether an assignment to the variable evaluates its text.
pub(crate) fn is_integer(name: &str) -> bool {
    INTEGERS.contains(&name)
}

impl Evaluations {
    /// Records that `text` is evaluated; `shown` is how it is written in the line.
    pub(crate) fn evaluate(&mut self, text: &str, shown: &str) {
        let Some(operands) = operands(text) else { return self.uncertain(shown) };
        for (name, role) in operands {
            match role {
                Role::Assigned => self.set_number(name),
                Role::Read if self.numbers.contains(name) || COUNTERS.contains(&name) => {
                    self.relied_on.push((name.to_owned(), shown.to_owned()));
                }
                Role::Read => self.uncertain(shown),
            }
        }
    }

    /// Records something that may run text.
    pub(crate) fn uncertain(&mut self, shown: &str) {
        self.uncertain.get_or_insert_with(|| shown.to_owned());
    }

    /// Records that `name` is set to a number.
    pub(crate) fn set_number(&mut self, name: &str) {
        if !SHELL_SETS.contains(&name) && !name.starts_with("BASH") {
            self.numbers.insert(name.to_owned());
        }
    }

    /// Records that `name` is set to a value that may not be a number. For an integer variable, the value is evaluated.
    pub(crate) fn set_text(&mut self, name: &str) {
        if is_integer(name) {
            self.uncertain(name);
        }
        self.texts.insert(name.to_owned());
    }

    /// Records that any variable may be set to any text.
    pub(crate) fn set_any(&mut self) {
        self.any = true;
    }

    /// Returns the first evaluation that may run something that is not in the line.
    pub(crate) fn finish(self) -> Option<String> {
        let Self { uncertain, relied_on, texts, any, .. } = self;
        uncertain.or_else(|| {
            let doubtful = |(name, _): &(String, String)| any || texts.contains(name);
            relied_on.into_iter().find(doubtful).map(|(_, shown)| shown)
        })
    }
}

/// The use of a name in an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Read,
    /// `name = …`: the old value is not used, and the new one is a number.
    Assigned,
}

/// Returns the names in an expression; `None` if it contains more than numbers, names and operators.
fn operands(text: &str) -> Option<Vec<(&str, Role)>> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '0'..='9' => number(rest)?,
            'a'..='z' | 'A'..='Z' | '_' => {
                let name = name(rest);
                let after = rest.get(name.len()..).filter(|after| !after.starts_with('$'))?;
                names.push((name, role(after)));
                name.len()
            }
            '$' => {
                let (length, name) = variable(rest)?;
                names.extend(name.map(|name| (name, Role::Read)));
                length
            }
            _ if " \t\n+-*/%<>=!&|^~?:,()".contains(next) => 1,
            _ => return None,
        };
        rest = rest.get(length..)?;
    }
    Some(names)
}

/// Returns the length of a number: `12`, `0x1f`, `16#ff`. `None` if an expansion follows directly and changes the
/// number.
fn number(text: &str) -> Option<usize> {
    let length = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '#' | '@' | '_')));
    let length = length.unwrap_or(text.len());
    (!text.get(length..)?.starts_with('$')).then_some(length)
}

fn name(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

/// Returns the role of a name, given the text after it: `=`, but not `==`, assigns.
fn role(after: &str) -> Role {
    let after = after.trim_start();
    if after.starts_with('=') && !after.starts_with("==") { Role::Assigned } else { Role::Read }
}

/// Parses `$name` or `${name}`, and expansions that are always numbers (`$#`, `$?`, `${#name}`). `None` for another
/// expansion, and for one that touches other text and forms a name with it.
fn variable(text: &str) -> Option<(usize, Option<&str>)> {
    let inner = text.strip_prefix('$')?;
    let (length, found) = if inner.starts_with(['#', '?']) {
        (2, None)
    } else if let Some(braced) = inner.strip_prefix('{') {
        let counted = braced.strip_prefix('#');
        let own = name(counted.unwrap_or(braced));
        let length = "${}".len() + usize::from(counted.is_some()) + own.len();
        let closed = text.get(..length)?.ends_with('}') && !own.is_empty();
        closed.then_some((length, Some(own).filter(|_| counted.is_none())))?
    } else {
        let own = name(inner);
        (!own.is_empty() && !own.starts_with(|c: char| c.is_ascii_digit()))
            .then_some((1 + own.len(), Some(own)))?
    };
    let after = text.get(length..)?;
    let touches = after.starts_with(|c: char| c.is_ascii_alphanumeric() || "_$#@[".contains(c));
    (!touches).then_some((length, found))
}

/// Returns whether `text` is a decimal number. A name is certain only if it is assigned one.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        let shown = |(name, role): (&str, Role)| match role {
            Role::Read => name.to_owned(),
            Role::Assigned => format!("{name}="),
        };
        operands(text).map(|names| names.into_iter().map(shown).collect::<Vec<_>>().join(" "))
    }

    // rule: P4
    #[test]
    fn an_expression_is_numbers_names_and_operators_or_unknown() {
        for (text, expected) in [
            ("1 + 2*(3)", Some("")),
            ("0x1F | 16#ff", Some("")),
            ("i", Some("i")),
            ("i = 1, j == 2", Some("i= j")),
            ("i+=1; ", None),
            ("i += 1", Some("i")),
            ("$i + ${j}", Some("i j")),
            ("$# - $? + ${#x}", Some("")),
            ("a[1]", None),
            ("a$i", None),
            ("$i$j", None),
            ("$ia", Some("ia")),
            ("${i}a", None),
            ("1$i", None),
            ("$(ls)", None),
            ("`ls`", None),
            ("'a'", None),
            ("$1", None),
            ("${x:-1}", None),
            ("${!x}", None),
            ("$", None),
            ("é", None),
        ] {
            assert_eq!(read(text).as_deref(), expected, "{text}");
        }
    }
}
