//! The paths that the URI of a resource may name.

/// A URI without a scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoScheme {
    /// It may be a path.
    Path,
    /// It is the address of a host.
    Host,
}

/// Returns the paths that the URI of a resource may name, as rules for files judge it (`protocol.md` P7): relative ones start
/// in the directory of the session. Empty for a URI with another scheme than `file`.
#[must_use]
pub fn resource_paths(uri: &str) -> Vec<String> {
    paths(uri, NoScheme::Path)
}

/// Returns the paths that a URI may name: none if it has another scheme than `file`. A server may or may not decode it,
/// and cut it at a `?` or `#`, so each of these is one.
pub(super) fn paths(uri: &str, no_scheme: NoScheme) -> Vec<String> {
    let uri = uri.trim();
    let path = match (uri.split_once(':'), no_scheme) {
        (Some((scheme, rest)), _) if scheme.eq_ignore_ascii_case("file") => after_authority(rest),
        (Some((scheme, _)), _) if is_scheme(scheme) => return Vec::new(),
        (_, NoScheme::Path) => uri,
        (_, NoScheme::Host) => return Vec::new(),
    };
    let cut = path.split(['?', '#']).next().unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    for text in [path.to_owned(), cut.to_owned(), decoded(path), decoded(cut)] {
        if !text.is_empty() && !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// Returns the path after `file:`, whatever the host is.
fn after_authority(rest: &str) -> &str {
    let Some(authority) = rest.strip_prefix("//") else { return rest };
    authority.find('/').and_then(|at| authority.get(at..)).unwrap_or_default()
}

fn is_scheme(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
}

/// Returns a text with its percent signs decoded; those that do not begin an escape stay.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut pieces = text.split('%');
    bytes.extend_from_slice(pieces.next().unwrap_or_default().as_bytes());
    for piece in pieces {
        let digits = piece.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(piece.get(2..).unwrap_or_default().as_bytes());
            }
            None => {
                bytes.push(b'%');
                bytes.extend_from_slice(piece.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
