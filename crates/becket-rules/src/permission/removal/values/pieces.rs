//! The parts of a word: text, variables, substitutions.

/// A part of a word.
pub(super) enum Piece<'t> {
    Text(char),
    Variable {
        name: &'t str,
        default: Option<&'t str>,
        /// The operator that changes the value, with its operands.
        change: Option<&'t str>,
    },
    /// The variable that the value of another one names: `${!name}`.
    Indirect(&'t str),
    Positional {
        default: Option<&'t str>,
    },
    Substitution(&'t str),
    Unknown,
}

/// Returns whether a glob or a slash directly follows a variable: `$X/…`, `$X*`, `${X}/…`, `$(…)/…`. `$HOME` and `$PWD`
/// do not count.
pub(in crate::permission::removal) fn is_unguarded(text: &str) -> bool {
    let mut after_variable = false;
    for piece in (Pieces { text }) {
        match piece {
            Piece::Text('/' | '*' | '?' | '[' | '\\') if after_variable => return true,
            Piece::Text(_) => after_variable = false,
            Piece::Variable { name: "HOME" | "PWD" | "OLDPWD", .. } => after_variable = false,
            Piece::Variable { .. }
            | Piece::Indirect(_)
            | Piece::Positional { .. }
            | Piece::Substitution(_)
            | Piece::Unknown => after_variable = true,
        }
    }
    false
}

/// An iterator over the parts of a word.
pub(super) struct Pieces<'t> {
    pub(super) text: &'t str,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.text.chars().next()?;
        let rest = &self.text[first.len_utf8()..];
        self.text = rest;
        if first == '`' {
            let (inner, after) = rest.split_once('`').unwrap_or((rest, ""));
            self.text = after;
            return Some(Piece::Substitution(inner));
        }
        if first != '$' {
            return Some(Piece::Text(first));
        }
        match rest.chars().next() {
            Some('{') => {
                let inner = self.within('{', '}');
                Some(braced(inner))
            }
            Some('(') => {
                let inner = self.within('(', ')');
                Some(if inner.starts_with('(') { Piece::Unknown } else { Piece::Substitution(inner) })
            }
            Some(c) if c.is_ascii_digit() || matches!(c, '@' | '*') => {
                self.text = &rest[1..];
                Some(Piece::Positional { default: None })
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let end = name_end(rest);
                self.text = &rest[end..];
                Some(Piece::Variable { name: &rest[..end], default: None, change: None })
            }
            Some(c) if "?!#$-".contains(c) => {
                self.text = &rest[1..];
                Some(Piece::Unknown)
            }
            Some(_) | None => Some(Piece::Text('$')),
        }
    }
}

impl<'t> Pieces<'t> {
    /// Consumes a bracket that comes next, and returns its content.
    fn within(&mut self, open: char, close: char) -> &'t str {
        let text = self.text;
        let mut depth = 0_u32;
        for (at, c) in text.char_indices() {
            if c == open {
                depth += 1;
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    self.text = &text[at + 1..];
                    return &text[1..at];
                }
            }
        }
        self.text = "";
        text.get(1..).unwrap_or_default()
    }
}

fn name_end(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// Parses the inside of `${…}`.
fn braced(inner: &str) -> Piece<'_> {
    if let Some(inner) = inner.strip_prefix('!') {
        return Piece::Indirect(&inner[..name_end(inner)]);
    }
    if let Some(rest) = inner.strip_prefix(|c: char| c.is_ascii_digit() || matches!(c, '@' | '*')) {
        return Piece::Positional { default: default_in(rest) };
    }
    let end = name_end(inner);
    if end == 0 {
        return Piece::Unknown;
    }
    let (name, rest) = inner.split_at(end);
    let default = default_in(rest);
    let is_changed = default.is_none() && !rest.is_empty() && !rest.starts_with('[');
    Piece::Variable { name, default, change: is_changed.then_some(rest) }
}

/// Returns the default of a `${…}`, given the text after its name: `:-value`, `=value` and similar forms.
fn default_in(rest: &str) -> Option<&str> {
    rest.strip_prefix(':').unwrap_or(rest).strip_prefix(['-', '=', '+'])
}
