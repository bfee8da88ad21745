//! The arguments of a command or a skill, and the placeholders for them.
//!
//! `$ARGUMENTS` is replaced by all arguments as typed; `$0`, `$1` … and `$ARGUMENTS[0]` … by single words, the first of
//! which is `$0`. `$name` is replaced by the word at the position of that name in the frontmatter's `arguments`. Without
//! such a word, the placeholder is unchanged. `${NAME}` is replaced by the value of a variable that the caller defines.
//! A `\` before a placeholder is removed and prevents the replacement.
//!
//! INVARIANT: inserted text is never expanded again.

/// The arguments of one invocation.
#[derive(Debug, Clone)]
pub(crate) struct Arguments<'a> {
    whole: &'a str,
    variables: Vec<(String, String)>,
    words: Vec<String>,
    /// The names of the words, in order.
    names: &'a [String],
}

impl<'a> Arguments<'a> {
    /// Creates the arguments of a text whose words are named `names`.
    pub(crate) fn new(typed: &'a str, names: &'a [String]) -> Self {
        Self { whole: typed.trim(), variables: Vec::new(), words: words(typed), names }
    }

    /// Defines the value of `${name}`.
    pub(crate) fn with_variable(mut self, name: String, value: String) -> Self {
        self.variables.push((name, value));
        self
    }

    /// Returns whether a text contains a placeholder for any argument.
    pub(crate) fn are_used_by(&self, body: &str) -> bool {
        let mut live = pieces(body, self.names).filter(|(before, _)| !before.ends_with('\\'));
        live.any(|(_, placeholder)| placeholder.is_some_and(|placeholder| self.is_given(placeholder.what)))
    }

    /// Returns whether there are no arguments.
    pub(crate) fn are_none(&self) -> bool {
        self.whole.is_empty()
    }

    /// Returns the arguments as typed.
    pub(crate) fn as_typed(&self) -> &str {
        self.whole
    }

    /// Returns the text with the placeholders replaced.
    pub(crate) fn put_into(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        for (before, placeholder) in pieces(text, self.names) {
            let Some(placeholder) = placeholder else {
                filled.push_str(before);
                continue;
            };
            match before.strip_suffix('\\') {
                Some(before) => {
                    filled.push_str(before);
                    filled.push_str(placeholder.written);
                }
                None => {
                    filled.push_str(before);
                    filled.push_str(self.value(placeholder));
                }
            }
        }
        filled
    }

    fn value<'s>(&'s self, placeholder: Placeholder<'s>) -> &'s str {
        let value = match placeholder.what {
            What::Whole => Some(self.whole),
            What::Word(number) => self.words.get(number).map(String::as_str),
            What::Variable(name) => {
                self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
            }
        };
        value.unwrap_or(placeholder.written)
    }

    fn is_given(&self, what: What<'_>) -> bool {
        match what {
            What::Whole => true,
            What::Word(number) => number < self.words.len(),
            What::Variable(_) => false,
        }
    }
}

/// A placeholder in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placeholder<'a> {
    what: What<'a>,
    written: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What<'a> {
    /// `$ARGUMENTS`.
    Whole,
    /// A word, counted from 0: `$n`, `$ARGUMENTS[n]`, or a name.
    Word(usize),
    /// `${NAME}`, which may not be a defined variable.
    Variable(&'a str),
}

/// Returns the pieces of a text, each with the placeholder after it.
fn pieces<'t>(
    text: &'t str,
    names: &'t [String],
) -> impl Iterator<Item = (&'t str, Option<Placeholder<'t>>)> {
    let mut remaining = Some(text);
    std::iter::from_fn(move || {
        let text = remaining.take()?;
        for (at, _) in text.match_indices('$') {
            let rest = text.get(at + 1..).unwrap_or_default();
            if let Some((what, length)) = placeholder(rest, names) {
                remaining = rest.get(length..);
                let written = text.get(at..=at + length).unwrap_or_default();
                return Some((text.get(..at).unwrap_or_default(), Some(Placeholder { what, written })));
            }
        }
        Some((text, None))
    })
}

/// Returns the placeholder at the start of the text after a `$`, and its length.
fn placeholder<'t>(rest: &'t str, names: &[String]) -> Option<(What<'t>, usize)> {
    if let Some(named) = named(rest, names) {
        return Some(named);
    }
    if let Some(behind) = rest.strip_prefix("ARGUMENTS") {
        let indexed = behind.strip_prefix('[').and_then(|inner| inner.split_once(']'));
        return Some(match indexed.and_then(|(number, _)| Some((number.parse().ok()?, number.len()))) {
            Some((number, length)) => (What::Word(number), "ARGUMENTS[]".len() + length),
            None => (What::Whole, "ARGUMENTS".len()),
        });
    }
    if let Some((name, _)) = rest.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
        return Some((What::Variable(name), name.len() + "{}".len()));
    }
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    // `$100` and `$5k` are prices.
    let number = rest.get(..digits).filter(|digits| (1..=2).contains(&digits.len()))?.parse().ok()?;
    is_end(rest.get(digits..)).then_some((What::Word(number), digits))
}

/// Returns the longest name that the text starts with.
fn named<'t>(rest: &'t str, names: &[String]) -> Option<(What<'t>, usize)> {
    let fits = |name: &String| rest.strip_prefix(name.as_str()).is_some_and(|behind| is_end(Some(behind)));
    let (number, name) =
        names.iter().enumerate().filter(|(_, name)| fits(name)).max_by_key(|(_, name)| name.len())?;
    Some((What::Word(number), name.len()))
}

/// Returns whether a placeholder ends before this text: no name or number continues there.
fn is_end(behind: Option<&str>) -> bool {
    let next = behind.and_then(|behind| behind.chars().next());
    !next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the words as a shell would split them: quotes keep spaces together, and are removed.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (Some(_) | None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(body: &str, typed: &str) -> String {
        let names = ["old".to_owned(), "old-name".to_owned()];
        Arguments::new(typed, &names).with_variable("DIR".into(), "/d$1".into()).put_into(body)
    }

    // rule: L0
    #[test]
    fn arguments_go_where_the_text_wants_them() {
        for (body, typed, expected) in [
            ("fix $ARGUMENTS now", "a  'b c'", "fix a  'b c' now"),
            ("$0 to $1, not $2.", "x 'y z'", "x to y z, not $2."),
            ("$1 alone", "x y", "y alone"),
            ("$ARGUMENTS[1] and $1", "x y", "y and y"),
            ("$ARGUMENTS[x] $ARGUMENTS[7]", "a", "a[x] $ARGUMENTS[7]"),
            (r"costs \$0, $100, $1k and $0", "a b", "costs $0, $100, $1k and a"),
            (r"echo \$HOME ${HOME} \${DIR} ${DIR}", "", r"echo \$HOME ${HOME} ${DIR} /d$1"),
            ("$old $old-name $older $old_name $old.", "x y", "x y $older $old_name x."),
            ("$old-name", "x", "$old-name"),
            // Inserted text is not expanded.
            ("$0 $ARGUMENTS", "$1 $0", "$1 $1 $0"),
            ("é$0é", "ü", "éüé"),
            ("no place", "a b", "no place"),
            ("$", "a", "$"),
        ] {
            assert_eq!(filled(body, typed), expected, "{body} with {typed}");
        }
    }

    #[test]
    fn words_are_those_of_a_shell() {
        assert_eq!(words(r#"a "b c"  d'e f'g """#), ["a", "b c", "de fg", ""]);
        assert_eq!(words("it's open"), ["its open"]);
        assert!(words("  ").is_empty());
    }

    #[test]
    fn a_text_without_a_place_is_known() {
        let names = ["issue".to_owned()];
        let given = Arguments::new("a b", &names);
        for (body, used) in [
            (r"only \$0 and $100", false),
            ("$ARGUMENTS", true),
            ("$1", true),
            ("$2", false),
            ("$issue", true),
            ("${CLAUDE_SKILL_DIR}", false),
        ] {
            assert_eq!(given.are_used_by(body), used, "{body}");
        }
    }
}
