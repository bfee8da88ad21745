//! Media types by their first bytes, and file names for them.
//!
//! INVARIANT: the extension of a file comes from the list here, never from a server: no file becomes a program by its
//! name.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// A base64 engine that accepts input with and without padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Decodes base64; blanks and newlines in it are ignored.
pub(super) fn decoded(data: &str) -> Option<Vec<u8>> {
    if data.bytes().any(|byte| byte.is_ascii_whitespace()) {
        let data: Vec<u8> = data.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        return LENIENT.decode(data).ok();
    }
    LENIENT.decode(data).ok()
}

/// Encodes bytes in standard base64.
pub(super) fn encoded(bytes: &[u8]) -> String {
    LENIENT.encode(bytes)
}

/// Returns the media type of an image that models can read.
pub(super) fn image(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// The extensions of common types; others get `bin`.
const ENDINGS: [(&str, &str); 27] = [
    ("application/gzip", "gz"),
    ("application/json", "json"),
    ("application/pdf", "pdf"),
    ("application/xml", "xml"),
    ("application/yaml", "yaml"),
    ("application/zip", "zip"),
    ("audio/aac", "aac"),
    ("audio/flac", "flac"),
    ("audio/mp4", "m4a"),
    ("audio/mpeg", "mp3"),
    ("audio/ogg", "ogg"),
    ("audio/wav", "wav"),
    ("audio/webm", "weba"),
    ("audio/x-wav", "wav"),
    ("image/avif", "avif"),
    ("image/bmp", "bmp"),
    ("image/gif", "gif"),
    ("image/jpeg", "jpg"),
    ("image/png", "png"),
    ("image/svg+xml", "svg"),
    ("image/tiff", "tiff"),
    ("image/webp", "webp"),
    ("text/csv", "csv"),
    ("text/markdown", "md"),
    ("text/plain", "txt"),
    ("video/mp4", "mp4"),
    ("video/webm", "webm"),
];

/// Returns the extension for this type.
pub(super) fn ending(media_type: &str) -> &'static str {
    let plain = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    ENDINGS.iter().find(|(kind, _)| *kind == plain).map_or("bin", |(_, ending)| ending)
}
