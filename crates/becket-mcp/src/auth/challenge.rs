//! The parts of a `WWW-Authenticate` header that decide the next step.
//!
//! The header is not trusted: an invalid one counts as empty, and only the beginning of a long one is read. The
//! address of the metadata is parsed again at the fetch, with the rules for addresses.

use crate::challenge::Challenge;

/// The maximum number of bytes of a header that are read.
const LONGEST: usize = 8 << 10;

impl Challenge {
    /// Returns whether the token is valid but lacks a scope (RFC 6750, `insufficient_scope`). Renewing it does not
    /// help; only a login does.
    #[must_use]
    pub fn is_insufficient_scope(&self) -> bool {
        self.bearer("error").as_deref() == Some("insufficient_scope")
    }

    /// Returns the scopes that the server wants, if it names any.
    #[must_use]
    pub fn scopes(&self) -> Vec<String> {
        let named = self.bearer("scope").unwrap_or_default();
        let mut scopes: Vec<String> = Vec::new();
        for scope in named.split_ascii_whitespace() {
            // RFC 6749: printable ASCII without `"` and `\`.
            let is_scope = scope.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\'));
            if is_scope && !scopes.iter().any(|known| known == scope) {
                scopes.push(scope.to_owned());
            }
        }
        scopes
    }

    /// Returns whether it names the address of the metadata, as servers do since the revision of 2025-06-18.
    pub(crate) fn names_metadata(&self) -> bool {
        self.bearer("resource_metadata").is_some()
    }

    /// Returns a parameter of the first challenge of the scheme `Bearer` that has it.
    fn bearer(&self, wanted: &str) -> Option<String> {
        let header = self.header.as_deref()?;
        let header = &header[..header.floor_char_boundary(LONGEST)];
        let (mut rest, mut is_bearer) = (header, false);
        while let Some((part, tail)) = next(rest) {
            rest = tail;
            match part {
                Part::Scheme(scheme) => is_bearer = scheme.eq_ignore_ascii_case("bearer"),
                Part::Parameter(name, value) if is_bearer && name.eq_ignore_ascii_case(wanted) => {
                    return Some(value);
                }
                Part::Parameter(..) => {}
            }
        }
        None
    }
}

enum Part<'a> {
    Scheme(&'a str),
    Parameter(&'a str, String),
}

/// Returns the next scheme or parameter, and the rest of the text.
fn next(text: &str) -> Option<(Part<'_>, &str)> {
    let text = text.trim_start_matches(|c: char| !is_token(c));
    let end = text.find(|c| !is_token(c)).unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    if name.is_empty() {
        return None;
    }
    let Some(value) = after.trim_start().strip_prefix('=') else { return Some((Part::Scheme(name), after)) };
    let (value, rest) = value_of(value.trim_start());
    Some((Part::Parameter(name, value), rest))
}

/// Returns a value, quoted or bare, and the rest of the text. A quote that is never closed extends to the end.
fn value_of(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ' ', '\t']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let (mut value, mut chars) = (String::new(), quoted.char_indices());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            _ => value.push(c),
        }
    }
    (value, "")
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: X3
    #[test]
    fn a_challenge_says_what_it_says_and_nonsense_says_nothing() {
        for (header, short, scopes) in [
            (None, false, ""),
            (Some(""), false, ""),
            (Some("Bearer"), false, ""),
            (Some(r#"Bearer error="insufficient_scope", scope="a b  a""#), true, "a b"),
            (Some(r#"bearer ERROR=insufficient_scope,scope=a"#), true, "a"),
            (Some(r#"Bearer realm="x, error=\"insufficient_scope\"", error="invalid_token""#), false, ""),
            (Some(r#"Basic error="insufficient_scope", scope="a""#), false, ""),
            (Some(r#"Basic realm="x", Bearer scope="a", error="insufficient_scope""#), true, "a"),
            (Some(r#"Bearer xerror="insufficient_scope", xscope="a""#), false, ""),
            (Some(r#"Bearer scope="a\"b c\\d e" "#), false, "e"),
            (Some(r#"Bearer scope="never closed"#), false, "never closed"),
            (Some("Bearer scope="), false, ""),
            (Some(r#"Bearer scope="a\"#), false, "a"),
            (Some("=,=\"\\\u{7f}ä===,,,\"Bearer"), false, ""),
            (Some("Bearer scope=\"ä \u{1} ok\""), false, "ok"),
        ] {
            let challenge = Challenge { header: header.map(str::to_owned) };
            assert_eq!(challenge.is_insufficient_scope(), short, "{header:?}");
            assert_eq!(challenge.scopes().join(" "), scopes, "{header:?}");
        }
    }

    #[test]
    fn a_long_header_is_not_read_to_its_end() {
        let header = format!("Bearer realm=\"{}\", scope=\"a\"", "ä".repeat(LONGEST));
        assert!(Challenge { header: Some(header) }.scopes().is_empty());
    }
}
