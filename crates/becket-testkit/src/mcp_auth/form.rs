//! Forms and queries.

use std::fmt::Write;

/// Parses the pairs of a form.
pub(super) fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    };
    text.split('&').filter(|part| !part.is_empty()).map(pair).collect()
}

/// Returns the value of a name that occurs once.
pub(super) fn value(pairs: &[(String, String)], name: &str) -> Option<String> {
    let mut found = pairs.iter().filter(|(known, _)| known == name);
    let (_, value) = found.next()?;
    found.next().is_none().then(|| value.clone())
}

pub(super) fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        let hex = || u8::from_str_radix(std::str::from_utf8(after.get(..2)?).ok()?, 16).ok();
        (rest, _) = match (first, hex()) {
            (b'%', Some(byte)) => (&after[2..], bytes.push(byte)),
            (b'+', _) => (after, bytes.push(b' ')),
            (other, _) => (after, bytes.push(*other)),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn encoded(text: &str) -> String {
    let mut all = String::new();
    for byte in text.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        // Writing to a string can't fail.
        let _ = if is_plain { write!(all, "{}", char::from(byte)) } else { write!(all, "%{byte:02X}") };
    }
    all
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Encodes base64 for URLs, without padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let part = |at: usize| u32::from(three.get(at).copied().unwrap_or_default());
        let all = part(0) << 16 | part(1) << 8 | part(2);
        for at in 0..=three.len() {
            text.push(char::from(DIGITS[(all >> (18 - 6 * at)) as usize & 63]));
        }
    }
    text
}

/// Decodes base64 of either alphabet.
pub(super) fn from_base64(text: &str) -> Vec<u8> {
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for c in text.bytes() {
        let c = match c {
            b'+' => b'-',
            b'/' => b'_',
            other => other,
        };
        let Some(digit) = DIGITS.iter().position(|known| *known == c) else { break };
        (held, bits) = (held << 6 | digit as u32, bits + 6);
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 255) as u8);
        }
    }
    bytes
}
