//! `$'…'`: the escapes of ANSI C. Bytes that are not UTF-8, and NUL, are *unknown* text, not wrong text.

use std::iter::Peekable;
use std::str::CharIndices;

/// Decodes up to the closing quote; `rest` is the text after the opening one. Returns `None` if it never closes. The
/// decoded text is `None` if it can't be known; the number is the length in bytes with the closing quote.
pub(crate) fn decode(rest: &str) -> Option<(Option<String>, usize)> {
    let mut bytes = Some(Vec::new());
    let mut chars = rest.char_indices().peekable();
    while let Some((at, next)) = chars.next() {
        let decoded = match next {
            '\'' => {
                let text = bytes.and_then(|bytes: Vec<u8>| String::from_utf8(bytes).ok());
                return Some((text, at + 1));
            }
            '\\' => escape(&mut chars)?,
            '\0' => None,
            other => Some(other.to_string().into_bytes()),
        };
        bytes = match (bytes, decoded) {
            (Some(mut bytes), Some(more)) => {
                bytes.extend(more);
                Some(bytes)
            }
            (Some(_) | None, _) => None,
        };
    }
    None
}

/// Decodes one escape. The outer `None` is the end of the text, the inner one an unknown value.
fn escape(chars: &mut Peekable<CharIndices<'_>>) -> Option<Option<Vec<u8>>> {
    let (_, kind) = chars.next()?;
    let byte = match kind {
        'a' => 7,
        'b' => 8,
        'e' | 'E' => 27,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' | '\'' | '"' | '?' => u8::try_from(kind).unwrap_or(b'?'),
        '0'..='7' => return Some(octal(kind, chars)),
        'x' => return Some(hex(chars, 2).and_then(|code| u8::try_from(code).ok()).and_then(known)),
        'u' => return Some(unicode(chars, 4)),
        'U' => return Some(unicode(chars, 8)),
        // A control character: no pattern names one, and its rules differ by version.
        'c' => return chars.next().map(|_| None),
        other => return Some(Some(format!("\\{other}").into_bytes())),
    };
    Some(Some(vec![byte]))
}

fn octal(first: char, chars: &mut Peekable<CharIndices<'_>>) -> Option<Vec<u8>> {
    let mut code = first.to_digit(8)?;
    for _ in 0..2 {
        let Some(digit) = chars.peek().and_then(|(_, next)| next.to_digit(8)) else { break };
        code = code * 8 + digit;
        chars.next();
    }
    u8::try_from(code & 0xff).ok().and_then(known)
}

fn hex(chars: &mut Peekable<CharIndices<'_>>, most: usize) -> Option<u32> {
    let mut code = None;
    for _ in 0..most {
        let Some(digit) = chars.peek().and_then(|(_, next)| next.to_digit(16)) else { break };
        code = Some(code.unwrap_or(0) * 16 + digit);
        chars.next();
    }
    code
}

fn unicode(chars: &mut Peekable<CharIndices<'_>>, most: usize) -> Option<Vec<u8>> {
    let decoded = char::from_u32(hex(chars, most)?)?;
    if decoded == '\0' { None } else { Some(decoded.to_string().into_bytes()) }
}

/// Returns a known byte; NUL ends the quoted text early in bash.
fn known(byte: u8) -> Option<Vec<u8>> {
    if byte == 0 { None } else { Some(vec![byte]) }
}
