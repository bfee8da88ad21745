//! Conversion of an HTML page to text, in Markdown as far as a reader needs it.
//!
//! One pass over the page, without recursion and without backtracking: the time is linear in its length, whatever it
//! contains. It knows no style sheet and runs no script; elements without visible text are left out.

use super::lines::Lines;
use super::markup::{Markup, Tag, attribute, behind_raw};
use reqwest::Url;

/// Elements whose content is not markup, up to their own end tag. None of it is shown.
const RAW: [&str; 7] = ["script", "style", "textarea", "iframe", "noembed", "noframes", "xmp"];
/// Elements that hide their content.
const HIDDEN: [&str; 5] = ["svg", "math", "template", "object", "select"];
/// Elements that are surrounded by empty lines.
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
/// The maximum number of links that are open at the same time.
const MOST_LINKS: usize = 64;

/// Returns the text of a page; `base` is its URL. The text ends past `most` bytes.
pub(super) fn text(html: &str, base: &Url, most: usize) -> String {
    let mut reader = Reader { out: Lines::default(), base, links: Vec::new(), hidden: None };
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

/// The reader of a page.
struct Reader<'a> {
    out: Lines,
    base: &'a Url,
    /// The targets of open links; `None` for one that is not worth showing.
    links: Vec<Option<String>>,
    /// The outermost element that hides everything, and its nesting depth.
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

    /// Returns whether the tag is in, or is, an element that hides everything.
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
        // A second or two if the time is linear in the length; hours if it is quadratic.
        assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn nothing_breaks_it(html in "(<|>|/|\"|'|=|&|;|#|!|-|a|p|pre|svg|script|href|é| |\n){0,60}") {
            read(&html);
        }
    }
}
