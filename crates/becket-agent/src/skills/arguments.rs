//! The arguments of a command, and where they go.
//!
//! `$ARGUMENTS` is all of them as they were typed; `$1`, `$2` … are words. A text that also uses `$0` or `$ARGUMENTS[…]`
//! counts from 0, as skills are written; all others count from 1, as commands are. `${NAME}` of a variable that the caller
//! knows is its value. A `\` before any of them goes and leaves it as it stands.
//!
//! INVARIANT: what is put in is never looked at again.

/// The arguments of one use.
#[derive(Debug, Clone)]
pub(crate) struct Arguments<'a> {
    whole: &'a str,
    variables: Vec<(String, String)>,
    words: Vec<String>,
    /// The number of the first word.
    first: usize,
}

impl<'a> Arguments<'a> {
    /// The arguments of a command whose text is `body`.
    pub(crate) fn new(typed: &'a str, body: &str) -> Self {
        let from_zero = wanted(body).any(|what| matches!(what, What::Word(0) | What::Indexed(_)));
        let variables = Vec::new();
        Self { whole: typed.trim(), variables, words: words(typed), first: usize::from(!from_zero) }
    }

    /// Adds what `${name}` stands for.
    pub(crate) fn with_variable(mut self, name: String, value: String) -> Self {
        self.variables.push((name, value));
        self
    }

    /// Whether a text has a place for them.
    pub(crate) fn are_wanted_by(body: &str) -> bool {
        wanted(body).any(What::is_argument)
    }

    /// Whether there are none.
    pub(crate) fn are_none(&self) -> bool {
        self.whole.is_empty()
    }

    /// What was typed.
    pub(crate) fn as_typed(&self) -> &str {
        self.whole
    }

    /// The text with the arguments in it.
    pub(crate) fn put_into(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        for (before, placeholder) in pieces(text) {
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
        match placeholder.what {
            What::Whole => self.whole,
            What::Indexed(number) => self.word(number),
            What::Word(number) => number.checked_sub(self.first).map_or("", |number| self.word(number)),
            What::Variable(name) => {
                let known = self.variables.iter().find(|(known, _)| known == name);
                known.map_or(placeholder.written, |(_, value)| value)
            }
        }
    }

    fn word(&self, number: usize) -> &str {
        self.words.get(number).map_or("", String::as_str)
    }
}

/// A place for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placeholder<'a> {
    what: What<'a>,
    written: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What<'a> {
    /// `$ARGUMENTS`.
    Whole,
    /// `$ARGUMENTS[n]`, from 0.
    Indexed(usize),
    /// `$n`.
    Word(usize),
    /// `${NAME}`, which may be no variable of ours.
    Variable(&'a str),
}

impl What<'_> {
    fn is_argument(self) -> bool {
        match self {
            Self::Whole | Self::Indexed(_) | Self::Word(_) => true,
            Self::Variable(_) => false,
        }
    }
}

/// A text in pieces, each with the placeholder behind it.
fn pieces(text: &str) -> impl Iterator<Item = (&str, Option<Placeholder<'_>>)> {
    let mut left = Some(text);
    std::iter::from_fn(move || {
        let text = left.take()?;
        for (at, _) in text.match_indices('$') {
            let rest = text.get(at + 1..).unwrap_or_default();
            if let Some((what, length)) = placeholder(rest) {
                left = rest.get(length..);
                let written = text.get(at..=at + length).unwrap_or_default();
                return Some((text.get(..at).unwrap_or_default(), Some(Placeholder { what, written })));
            }
        }
        Some((text, None))
    })
}

/// The placeholders of a text that are no plain text.
fn wanted(text: &str) -> impl Iterator<Item = What<'_>> {
    let live = |(before, placeholder): (&str, Option<Placeholder<'_>>)| {
        !before.ends_with('\\') && placeholder.is_some()
    };
    pieces(text).filter(move |piece| live(*piece)).filter_map(|(_, placeholder)| Some(placeholder?.what))
}

/// The placeholder at the start of what stands behind a `$`, and its length.
fn placeholder(rest: &str) -> Option<(What<'_>, usize)> {
    if let Some(behind) = rest.strip_prefix("ARGUMENTS") {
        let indexed = behind.strip_prefix('[').and_then(|inner| inner.split_once(']'));
        return Some(match indexed.and_then(|(number, _)| Some((number.parse().ok()?, number.len()))) {
            Some((number, length)) => (What::Indexed(number), "ARGUMENTS[]".len() + length),
            None => (What::Whole, "ARGUMENTS".len()),
        });
    }
    if let Some((name, _)) = rest.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
        return Some((What::Variable(name), name.len() + "{}".len()));
    }
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    // `$100` is a price.
    let number = rest.get(..digits).filter(|digits| (1..=2).contains(&digits.len()))?.parse().ok()?;
    Some((What::Word(number), digits))
}

/// The words, as a shell would take them: quotes hold blanks together, and go.
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
        Arguments::new(typed, body).with_variable("DIR".into(), "/d$1".into()).put_into(body)
    }

    #[test]
    fn arguments_go_where_the_text_wants_them() {
        for (body, typed, expected) in [
            ("fix $ARGUMENTS now", "a  'b c'", "fix a  'b c' now"),
            ("$1 to $2, not $3.", "x 'y z'", "x to y z, not ."),
            ("$0 to $1", "x y", "x to y"),
            ("$ARGUMENTS[1] and $1", "x y", "y and y"),
            ("$ARGUMENTS[x]", "a", "a[x]"),
            (r"costs \$1, $100 and $1", "a", "costs $1, $100 and a"),
            (r"echo \$HOME ${HOME} \${DIR} ${DIR}", "", r"echo \$HOME ${HOME} ${DIR} /d$1"),
            // What is put in stays as it is.
            ("$1 $ARGUMENTS", "$2 $1", "$2 $2 $1"),
            ("é$1é", "ü", "éüé"),
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
        assert!(!Arguments::are_wanted_by(r"only \$1 and $100"));
        assert!(Arguments::are_wanted_by("$ARGUMENTS") && Arguments::are_wanted_by("$3"));
    }
}
