//! A page of HTML as text, in Markdown as far as a reader needs it.
//!
//! One pass over the page, without recursion and without going back: the time is that of its length, whatever stands in
//! it. It knows no style sheet and runs no script; what neither shows nor says anything is left out.

use reqwest::Url;
use std::borrow::Cow;

/// Elements whose content is no markup, up to their own end. None of it is shown.
const RAW: [&str; 7] = ["script", "style", "textarea", "iframe", "noembed", "noframes", "xmp"];
/// Elements that hide what is in them.
const HIDDEN: [&str; 5] = ["svg", "math", "template", "object", "select"];
/// Elements around which there is an empty line.
const BLOCKS: [&str; 25] = [
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "footer",
    "nav",
    "aside",
    "form",
    "figure",
    "table",
    "ul",
    "ol",
    "dl",
    "blockquote",
    "address",
    "details",
    "fieldset",
    "body",
    "title",
    "hr",
    "center",
    "dialog",
    "menu",
];
/// Elements that begin a line.
const LINES: [&str; 9] = ["br", "tr", "dt", "dd", "figcaption", "summary", "caption", "legend", "option"];
/// Links that are open at the same time.
const MOST_LINKS: usize = 64;

/// The text of a page; `base` is where it was found. It ends past `most` bytes.
pub(super) fn text(html: &str, base: &Url, most: usize) -> String {
    let mut reader = Reader { out: Out::default(), base, links: Vec::new(), hidden: None };
    let mut rest = html;
    while reader.out.text.len() < most {
        let Some(at) = memchr::memchr(b'<', rest.as_bytes()) else {
            reader.text(rest);
            break;
        };
        let (before, markup) = rest.split_at(at);
        reader.text(before);
        match Markup::of(markup) {
            Markup::Text => {
                reader.text("<");
                rest = markup.get(1..).unwrap_or_default();
            }
            Markup::Nothing(after) => rest = after,
            Markup::Tag(tag, after) => {
                rest = after;
                reader.tag(&tag);
                if !tag.closes && RAW.contains(&tag.name.as_str()) {
                    rest = behind_raw(after, &tag.name);
                }
            }
        }
    }
    reader.out.text.truncate(reader.out.text.trim_end().len());
    reader.out.text
}

/// What begins with a `<`, and what follows it.
enum Markup<'a> {
    Text,
    /// A comment or a declaration.
    Nothing(&'a str),
    Tag(Tag<'a>, &'a str),
}

struct Tag<'a> {
    name: String,
    attributes: &'a str,
    closes: bool,
}

impl<'a> Markup<'a> {
    fn of(markup: &'a str) -> Self {
        let after = |end: Option<usize>, length: usize| {
            end.and_then(|end| markup.get(end + length..)).unwrap_or_default()
        };
        if markup.starts_with("<!--") {
            return Self::Nothing(after(markup.find("-->"), 3));
        }
        if markup.starts_with("<!") || markup.starts_with("<?") {
            return Self::Nothing(after(markup.find('>'), 1));
        }
        let closes = markup.starts_with("</");
        let body = markup.get(1 + usize::from(closes)..).unwrap_or_default();
        if !body.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return if closes { Self::Nothing(after(markup.find('>'), 1)) } else { Self::Text };
        }
        // A tag without an end takes the rest of the page with it, as in a browser.
        let Some(end) = tag_end(body) else { return Self::Nothing("") };
        let (inside, rest) = body.split_at(end);
        let name_end = inside.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(inside.len());
        let (name, attributes) = inside.split_at(name_end);
        let tag = Tag { name: name.to_ascii_lowercase(), attributes, closes };
        Self::Tag(tag, rest.get(1..).unwrap_or_default())
    }
}

/// Where a tag ends: at the first `>` that is in no quoted value.
fn tag_end(body: &str) -> Option<usize> {
    let (mut quote, mut is_value) = (None, false);
    for (at, byte) in body.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') if is_value => (quote, is_value) = (Some(byte), false),
            (None, b'=') => is_value = true,
            (None, byte) => is_value &= byte.is_ascii_whitespace(),
        }
    }
    None
}

/// What follows the end of an element whose content is no markup.
fn behind_raw<'a>(text: &'a str, name: &str) -> &'a str {
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(text.as_bytes().get(from..).unwrap_or_default(), b"</") {
        let begins = from + at + 2;
        let end = begins + name.len();
        let is_own =
            text.as_bytes().get(begins..end).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
        if is_own {
            return text.get(begins - 2..).unwrap_or_default();
        }
        from = begins;
    }
    ""
}

/// The value of an attribute.
fn attribute<'a>(attributes: &'a str, wanted: &str) -> Option<Cow<'a, str>> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '=').unwrap_or(rest.len()).max(1);
        let (name, after) = rest.split_at_checked(end)?;
        let (value, after) = value(after.trim_ascii_start());
        if name.eq_ignore_ascii_case(wanted) {
            return Some(html_escape::decode_html_entities(value));
        }
        rest = after;
    }
}

/// The value behind a name, if there is one, and what follows.
fn value(text: &str) -> (&str, &str) {
    let Some(text) = text.strip_prefix('=').map(str::trim_ascii_start) else { return ("", text) };
    let quoted = ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.split_once(quote));
    quoted.unwrap_or_else(|| {
        let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
        text.split_at(end)
    })
}

/// Reads the page.
struct Reader<'a> {
    out: Out,
    base: &'a Url,
    /// Where open links lead; `None`: nowhere that is worth a word.
    links: Vec<Option<String>>,
    /// The outermost element that hides everything, and how often it is open.
    hidden: Option<(String, usize)>,
}

impl Reader<'_> {
    fn text(&mut self, text: &str) {
        if self.hidden.is_none() && !text.is_empty() {
            self.out.words(&html_escape::decode_html_entities(text));
        }
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_str();
        if self.hides(name, tag) {
            return;
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.out.breaks(2);
                let level = name.bytes().last().map_or(1, |digit| usize::from(digit - b'0'));
                if !tag.closes {
                    self.out.mark(&format!("{} ", "#".repeat(level)));
                }
            }
            "pre" => self.preformatted(tag.closes),
            "code" if self.out.verbatim == 0 => self.out.beside("`"),
            "li" => {
                self.out.breaks(1);
                if !tag.closes {
                    self.out.mark("- ");
                }
            }
            "td" | "th" if !tag.closes => self.out.cell(),
            "a" => self.link(tag),
            "img" => {
                let alt = attribute(tag.attributes, "alt").filter(|alt| !alt.trim().is_empty());
                if let Some(alt) = alt {
                    self.out.words(&format!("[image: {}]", alt.trim()));
                }
            }
            name if BLOCKS.contains(&name) => self.out.breaks(2),
            name if LINES.contains(&name) => self.out.breaks(1),
            _ => {}
        }
    }

    /// Whether the tag is in, or is, an element that hides everything.
    fn hides(&mut self, name: &str, tag: &Tag<'_>) -> bool {
        let is_empty = tag.attributes.ends_with('/');
        match &mut self.hidden {
            Some((hidden, depth)) if hidden == name && !is_empty => {
                *depth = if tag.closes { *depth - 1 } else { *depth + 1 };
                if *depth == 0 {
                    self.hidden = None;
                }
                true
            }
            Some(_) => true,
            None if HIDDEN.contains(&name) => {
                if !tag.closes && !is_empty {
                    self.hidden = Some((name.to_owned(), 1));
                }
                true
            }
            None => false,
        }
    }

    fn preformatted(&mut self, closes: bool) {
        if closes && self.out.verbatim > 0 {
            self.out.verbatim -= 1;
            self.out.breaks(1);
            self.out.mark("```");
            self.out.breaks(2);
        } else if !closes {
            self.out.breaks(2);
            self.out.mark("```\n");
            self.out.verbatim += 1;
        }
    }

    fn link(&mut self, tag: &Tag<'_>) {
        if tag.closes {
            if let Some(Some(to)) = self.links.pop() {
                self.out.beside(&format!("]({to})"));
            }
        } else if self.links.len() < MOST_LINKS {
            let to = attribute(tag.attributes, "href")
                .filter(|to| !to.trim().starts_with('#') && !to.trim().is_empty())
                .and_then(|to| self.base.join(to.trim()).ok())
                .filter(|to| matches!(to.scheme(), "http" | "https" | "mailto"));
            if to.is_some() {
                self.out.mark("[");
            }
            self.links.push(to.map(String::from));
        }
    }
}

/// The text so far. Blanks and line breaks are written once something follows them.
#[derive(Default)]
struct Out {
    text: String,
    breaks: usize,
    is_apart: bool,
    /// How many elements are open that keep blanks.
    verbatim: usize,
}

impl Out {
    fn words(&mut self, text: &str) {
        if self.verbatim > 0 {
            self.flush();
            self.text.push_str(text);
            return;
        }
        let mut words = text.split(|c: char| c.is_ascii_whitespace());
        self.word(words.next().unwrap_or_default());
        for word in words {
            self.is_apart = true;
            self.word(word);
        }
    }

    fn word(&mut self, word: &str) {
        if !word.is_empty() {
            self.flush();
            self.text.push_str(word);
        }
    }

    /// A mark before what follows, which then has no blank between.
    fn mark(&mut self, mark: &str) {
        self.word(mark);
    }

    /// A mark right behind what is there.
    fn beside(&mut self, mark: &str) {
        if self.breaks == 0 && !self.is_apart {
            self.text.push_str(mark);
        } else {
            self.word(mark);
        }
    }

    fn breaks(&mut self, lines: usize) {
        self.breaks = self.breaks.max(lines);
    }

    fn cell(&mut self) {
        if self.breaks == 0 && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.is_apart = true;
            self.word("|");
            self.is_apart = true;
        }
    }

    fn flush(&mut self) {
        let is_line_start = self.text.is_empty() || self.text.ends_with('\n');
        if self.breaks > 0 && !self.text.is_empty() {
            let there = self.text.len() - self.text.trim_end_matches('\n').len();
            self.text.extend(std::iter::repeat_n('\n', self.breaks.saturating_sub(there)));
        } else if self.is_apart && !is_line_start && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
        (self.breaks, self.is_apart) = (0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(html: &str) -> String {
        text(html, &Url::parse("https://a.example/dir/page").unwrap(), usize::MAX)
    }

    #[test]
    fn a_page_is_read_as_a_person_would_read_it() {
        for (html, text) in [
            (
                "<title>T &amp; T</title><h1>One</h1><p>two  <b>three</b>\n four</p>five",
                "T & T\n\n# One\n\ntwo three four\n\nfive",
            ),
            ("<ul><li>a<li>b</ul><ol><li>c</li></ol>", "- a\n- b\n\n- c"),
            (
                "<p>see <a href=\"../x?a=1&amp;b=2\">this <i>one</i></a>.</p>",
                "see [this one](https://a.example/x?a=1&b=2).",
            ),
            ("<a href='javascript:alert(1)'>x</a> <a href='#top'>y</a> <a>z</a>", "x y z"),
            (
                "<pre><code>fn <span class=\"k\">main</span>() {\n    1 &lt; 2\n}</code></pre>after",
                "```\nfn main() {\n    1 < 2\n}\n```\n\nafter",
            ),
            ("use <code>ls -l</code> now", "use `ls -l` now"),
            ("<table><tr><th>a<th>b<tr><td>1</td><td>2</td></table>", "a | b\n1 | 2"),
            ("a<br>b<hr>c", "a\nb\n\nc"),
            ("a<script>if (a<b) { x('</p>') }</script>b<style>p{}</style>c", "abc"),
            ("a<svg><title>no</title><svg></svg>no</svg>b<template>no</template>c", "abc"),
            ("<!-- <p>no --><!DOCTYPE html><?xml?>yes<!>!", "yes!"),
            ("5 < 6 && 7 > 3 </ >x", "5 < 6 && 7 > 3 x"),
            ("<img src=x alt=\"a > b\"><img alt=''>", "[image: a > b]"),
            ("a<b title='x>y' data-x=\"<p>\">c</b>", "ac"),
            ("a <p title=\"no end", "a"),
            ("a<script>no end", "a"),
            ("&nbsp;&eacute;&#233;&#x1F600;&nope;", "\u{a0}éé😀&nope;"),
            ("", ""),
        ] {
            assert_eq!(read(html), text, "{html}");
        }
    }

    #[test]
    fn a_hostile_page_is_read_as_fast_as_another() {
        let start = std::time::Instant::now();
        for part in [
            "<a href=x>",
            "<div>",
            "<b>",
            "<script>",
            "<pre>",
            "<",
            "<!--",
            "<a b=\"",
            "</",
            "<table><tr><td>",
            "<ul><li>",
            "<svg>",
            "<svg></b>",
            "&#x",
            "&",
            "<p a='\"",
            "</script",
            "<script></scrip",
            "<img alt='a",
        ] {
            read(&part.repeat((1 << 19) / part.len()));
        }
        // A second or two where time is that of the length; hours where it is that of its square.
        assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn nothing_breaks_it(html in "(<|>|/|\"|'|=|&|;|#|!|-|a|p|pre|svg|script|href|é| |\n){0,60}") {
            read(&html);
        }
    }
}
