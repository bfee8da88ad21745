//! A response as text: its kind, its characters, its markup.

use super::html;
use encoding_rs::{Encoding, UTF_8};
use reqwest::Url;

/// The maximum length of the text of a page, in bytes.
const MOST: usize = 1 << 20;
/// The length of the part of an HTML page that may declare its encoding, in bytes.
const HEAD: usize = 1_024;

/// The kind of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageKind {
    Html,
    Text,
}

/// Returns the kind of a response; `None` if it is not text.
pub(super) fn kind(content_type: Option<&str>, content: &[u8]) -> Option<PageKind> {
    let essence =
        content_type.map(|text| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    match essence.as_deref() {
        Some("text/html" | "application/xhtml+xml") => Some(PageKind::Html),
        Some(essence) if is_text(essence) => Some(PageKind::Text),
        None | Some("" | "application/octet-stream") if !is_binary(content) => {
            let start = String::from_utf8_lossy(content.get(..HEAD).unwrap_or(content)).to_ascii_lowercase();
            let is_html = ["<!doctype html", "<html"].iter().any(|mark| start.trim_start().starts_with(mark));
            Some(if is_html { PageKind::Html } else { PageKind::Text })
        }
        Some(_) | None => None,
    }
}

fn is_text(essence: &str) -> bool {
    let of_application = [
        "json",
        "xml",
        "javascript",
        "ecmascript",
        "x-javascript",
        "yaml",
        "x-yaml",
        "toml",
        "x-ndjson",
        "sql",
        "x-sh",
        "graphql",
        "rtf",
        "x-www-form-urlencoded",
    ];
    essence.starts_with("text/")
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
        || essence.ends_with("+yaml")
        || essence.strip_prefix("application/").is_some_and(|kind| of_application.contains(&kind))
}

fn is_binary(content: &[u8]) -> bool {
    memchr::memchr(0, content.get(..HEAD).unwrap_or(content)).is_some()
}

/// Returns the text of a response.
pub(super) fn text(kind: PageKind, content_type: Option<&str>, content: &[u8], url: &Url) -> String {
    let named = content_type.and_then(charset);
    let encoding = named.or_else(|| (kind == PageKind::Html).then(|| of_head(content)).flatten());
    // A byte-order mark takes precedence over both.
    let (decoded, ..) = encoding.unwrap_or(UTF_8).decode(content);
    match kind {
        PageKind::Html => html::text(&decoded, url, MOST),
        PageKind::Text => cut(&decoded, MOST).0.to_owned(),
    }
}

/// Returns at most so many bytes of a text, and whether it was cut.
pub(super) fn cut(text: &str, most: usize) -> (&str, bool) {
    if text.len() <= most {
        return (text, false);
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    (text.get(..end).unwrap_or_default(), true)
}

/// Returns the encoding that a content type names.
fn charset(content_type: &str) -> Option<&'static Encoding> {
    let mut parameters = content_type.split(';').skip(1);
    let value = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
    })?;
    Encoding::for_label(value.as_bytes())
}

/// Returns the encoding that an HTML page declares itself.
fn of_head(content: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(content.get(..HEAD).unwrap_or(content)).to_ascii_lowercase();
    let (_, after) = head.split_once("charset=")?;
    let label = after.trim_start_matches(['"', '\'']);
    let end =
        label.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(label.len());
    let found = Encoding::for_label(label.get(..end)?.as_bytes())?;
    // A page whose declaration could be read is not in one of these encodings, whatever it declares.
    let is_wide = found == encoding_rs::UTF_16LE || found == encoding_rs::UTF_16BE;
    Some(if is_wide { UTF_8 } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_told_from_what_is_none() {
        for (content_type, content, found) in [
            (Some("text/html; charset=utf-8"), "x", Some(PageKind::Html)),
            (Some("Application/XHTML+XML"), "x", Some(PageKind::Html)),
            (Some("text/markdown"), "x", Some(PageKind::Text)),
            (Some("application/problem+json"), "x", Some(PageKind::Text)),
            (Some("image/png"), "x", None),
            (Some("image/svg+xml"), "x", Some(PageKind::Text)),
            (Some("application/pdf"), "x", None),
            (None, " <!DOCTYPE HTML>", Some(PageKind::Html)),
            (None, "plain", Some(PageKind::Text)),
            (None, "PK\0", None),
            (Some("application/octet-stream"), "PK\0", None),
        ] {
            assert_eq!(kind(content_type, content.as_bytes()), found, "{content_type:?} {content:?}");
        }
    }

    #[test]
    fn characters_are_what_somebody_says_they_are() {
        let url = Url::parse("https://a.example/").unwrap();
        for (content_type, content, read) in [
            (Some("text/plain; Charset=\"iso-8859-1\""), &b"gr\xfc\xdf"[..], "grüß"),
            (Some("text/plain"), "grüß".as_bytes(), "grüß"),
            (Some("text/html"), &b"<meta charset='windows-1252'>gr\xfc\xdf"[..], "grüß"),
            (Some("text/html"), &b"<meta charset=utf-16>a"[..], "a"),
            (Some("text/html; charset=none"), "<p>ä".as_bytes(), "ä"),
            (Some("text/plain; charset=latin1"), "\u{feff}ä".as_bytes(), "ä"),
        ] {
            let kind = kind(content_type, content).unwrap();
            assert_eq!(text(kind, content_type, content, &url), read, "{content_type:?}");
        }
    }
}
