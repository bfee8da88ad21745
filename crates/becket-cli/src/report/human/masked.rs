//! Masks the secrets in a settings file that a finding quotes (S3).
//!
//! A finding shows the lines around its position, often from a file of another author. Possible secrets are masked byte by
//! byte, so that every position in the text remains valid: user names, passwords and queries of URLs, values of headers, and
//! values of keys that are named like a secret. A reference to a variable is not a secret and remains readable.

use std::ops::Range;

/// Parts of the names of secrets, in lower case and without `-` and `_`.
const SECRET_NAMES: [&str; 11] = [
    "authorization",
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
    "cookie",
];

/// Headers whose values are public.
const PLAIN_HEADERS: [&str; 4] = ["accept", "content-type", "content-encoding", "user-agent"];

/// Returns the text with its secrets masked; its length in bytes is unchanged.
pub(crate) fn masked(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut hide = |range: Range<usize>| {
        bytes[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b'*')
    };
    urls(text).into_iter().for_each(&mut hide);
    values(text).into_iter().for_each(&mut hide);
    // Every range begins and ends at a character boundary, so the result is valid UTF-8.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the ranges of user names, passwords, queries and fragments in URLs.
fn urls(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for separator in ["://", ":\\/\\/"] {
        for (at, _) in text.match_indices(separator) {
            let start = at + separator.len();
            let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>');
            let url = &text[start..start + text[start..].find(ends).unwrap_or(text.len() - start)];
            let authority = &url[..url.find(['/', '?', '#']).unwrap_or(url.len())];
            let end = match (authority.rfind('@'), url.rfind('@')) {
                (Some(at), _) => Some(at),
                // A password may contain any of these characters.
                (None, Some(at)) if !is_host(authority) => Some(at),
                (None, _) => None,
            };
            found.extend(end.map(|end| start..start + end));
            let behind = end.unwrap_or(0);
            found.extend(
                url[behind..].find(['?', '#']).map(|query| start + behind + query + 1..start + url.len()),
            );
        }
    }
    found
}

/// Returns true if the text is a host with or without a port.
fn is_host(authority: &str) -> bool {
    match authority.rsplit_once(':') {
        Some((host, port)) => {
            port.bytes().all(|byte| byte.is_ascii_digit()) && (!host.contains(':') || host.ends_with(']'))
        }
        None => true,
    }
}

/// Returns the ranges of values that follow names, in JSON, YAML, assignments and command lines.
fn values(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut headers_end = 0;
    for (at, name) in names(text) {
        let Some(value) = value_behind(text, at + name.len()) else { continue };
        if name.eq_ignore_ascii_case("headers") && text[value.start..].starts_with('{') {
            headers_end = value.start + text[value.start..].find('}').unwrap_or(text.len() - value.start);
            continue;
        }
        let is_header =
            at < headers_end && !PLAIN_HEADERS.iter().any(|plain| name.eq_ignore_ascii_case(plain));
        if (is_header || is_secret(name)) && !is_reference(&text[value.clone()]) {
            found.push(value);
        }
    }
    found
}

/// Returns the words that may be names, with their positions.
fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_part)?;
        let length = text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        at = start + length;
        Some((start, &text[start..at]))
    })
}

fn is_secret(name: &str) -> bool {
    let name: String =
        name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// Returns the value after a name that ends at `end`: after a colon or an equals sign, in its quotes or up to the end
/// of the word.
fn value_behind(text: &str, end: usize) -> Option<Range<usize>> {
    let rest = text[end..].trim_start_matches(['"', '\'', '\\']).trim_start();
    let rest = rest.strip_prefix([':', '='])?.trim_start();
    let start = text.len() - rest.len();
    let length = match rest.strip_prefix(['"', '\'']) {
        Some(inner) => {
            let quote = rest.chars().next().unwrap_or('"');
            return Some(start + 1..start + 1 + closing(inner, quote));
        }
        None => rest.find(['"', '\'', ',', '\n', '}', ']', '\\']).unwrap_or(rest.len()),
    };
    (length > 0 || rest.starts_with('{')).then_some(start..start + length)
}

/// Returns the position of the quote that closes a string, or of the end of its line.
fn closing(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            '\n' => return at,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == quote => return at,
            _ => {}
        }
    }
    text.len()
}

/// Returns true if a value only names a variable, perhaps after a word like `Bearer`.
fn is_reference(value: &str) -> bool {
    let last = value.rsplit(' ').next().unwrap_or_default();
    let name = last.strip_prefix('$').map(|name| name.trim_start_matches('{').trim_end_matches('}'));
    let is_name = name
        .is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
    is_name && value.split(' ').count() <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    // rules: H5, S3
    #[test]
    fn secrets_are_masked_and_all_else_stays() {
        for (text, shown) in [
            (r#""url": "http://u:passw0rd@10.0.0.1/""#, r#""url": "http://**********@10.0.0.1/""#),
            (r#""url": "https:\/\/u:pass@x/""#, r#""url": "https:\/\/******@x/""#),
            (r#""url": "https://u:p/w@x/""#, r#""url": "https://*****@x/""#),
            (r#""url": "https://x/y?key=abc#d""#, r#""url": "https://x/y?*********""#),
            (r#""url": "https://x:8080/@me""#, r#""url": "https://x:8080/@me""#),
            (r#""url": "http://[::1]:1/a@b""#, r#""url": "http://[::1]:1/a@b""#),
            ("url: http://u:é@x/", "url: http://****@x/"),
            (
                r#""headers": {"X-Team": "abc", "Accept": "x/y"}"#,
                r#""headers": {"X-Team": "***", "Accept": "x/y"}"#,
            ),
            (r#""Authorization": "Bearer $TOKEN""#, r#""Authorization": "Bearer $TOKEN""#),
            (r#""Authorization": "Bearer ${TOKEN}""#, r#""Authorization": "Bearer ${TOKEN}""#),
            (r#""Authorization": "Bearer abc""#, r#""Authorization": "**********""#),
            (r#""Authorization": "abc $TOKEN x""#, r#""Authorization": "************""#),
            (r#""env": {"API_KEY": "a\"b", "LANG": "C"}"#, r#""env": {"API_KEY": "****", "LANG": "C"}"#),
            (r#""command": "curl -H 'X-Api-Key: abc' x""#, r#""command": "curl -H 'X-Api-Key: ***' x""#),
            (r#""command": "TOKEN=abc run""#, r#""command": "TOKEN=*******""#),
            (r#""allowedEnvVars": ["TOKEN"], "timeout": 5"#, r#""allowedEnvVars": ["TOKEN"], "timeout": 5"#),
            ("token:\n  \"abc\"", "token:\n  \"***\""),
            (r#""password": """#, r#""password": """#),
            ("secret:", "secret:"),
            ("https://", "https://"),
            ("", ""),
        ] {
            let masked = masked(text);
            assert_eq!(masked, shown);
            assert_eq!(masked.len(), text.len());
        }
    }

    #[test]
    fn any_text_keeps_its_length() {
        let pieces =
            ["://", "@", "é", "\"", "\\", "token", ":", "=", "{", "}", "?", "\n", "headers", "'", " "];
        for a in pieces {
            for b in pieces {
                for c in pieces {
                    for d in pieces {
                        let text = [a, b, c, d, "é\"", b].concat();
                        assert_eq!(masked(&text).len(), text.len(), "{text:?}");
                    }
                }
            }
        }
    }
}
