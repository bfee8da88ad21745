//! Applies the limits: the shown part of an answer, and its files.

use std::path::Path;

use super::block::Part;
use super::media::{decoded, encoded, ending, image};
use super::spill::{Spill, SpillError};
use super::{CallResult, LimitedResult, OutputCaps, ShownPart};
use becket_base::text::cut;

/// Returns an answer as shown to a model; blocks while files are written.
pub(super) fn limited(result: &CallResult, caps: &OutputCaps, dir: &Path) -> LimitedResult {
    let mut cut = Cut {
        caps,
        spill: Spill::new(dir, caps.files.get()),
        images_left: caps.images.get(),
        blocks: 0,
        left_out: 0,
        limited: LimitedResult::default(),
    };
    let parts: Vec<Part> = match result.instead_of_text() {
        Some(structured) => std::iter::once(Part::Text(structured.to_string()))
            .chain(result.content.iter().map(Part::of))
            .collect(),
        None => result.content.iter().map(Part::of).collect(),
    };
    cut.parts(parts);
    cut.finish()
}

struct Cut<'a> {
    caps: &'a OutputCaps,
    spill: Spill<'a>,
    images_left: usize,
    /// The number of parts other than text that were processed, and the number that were not.
    blocks: usize,
    left_out: usize,
    limited: LimitedResult,
}

impl Cut<'_> {
    fn parts(&mut self, parts: Vec<Part>) {
        // Includes the newlines between them.
        let length =
            parts.iter().filter_map(Part::characters).reduce(|sum, more| sum + 1 + more).unwrap_or(0);
        let mut long = (length > self.caps.text).then(|| joined(&parts));
        let is_long = long.is_some();
        for part in parts {
            match part {
                Part::Text(text) if !is_long => self.limited.shown.push(ShownPart::Text(text)),
                // All texts are joined at the position of the first one.
                Part::Text(_) => {
                    if let Some(whole) = long.take() {
                        self.long_text(&whole, length);
                    }
                }
                Part::Bytes { .. } if self.blocks >= self.caps.blocks => self.left_out += 1,
                Part::Bytes { what, media_type, data } => {
                    self.blocks += 1;
                    self.bytes(&what, &media_type, &data);
                }
            }
        }
    }

    fn long_text(&mut self, whole: &str, length: usize) {
        let shown = match self.spill.keep("the text", "txt", whole.as_bytes()) {
            Ok(path) => format!(
                "{}\n\n[This is the beginning of {length} characters. All of them are in the file `{}`.]",
                cut(whole, self.caps.beginning),
                path.display()
            ),
            Err(problem) => {
                let shown = cut(whole, self.caps.text);
                let note = format!(
                    "{shown}\n\n[This is the beginning of {length} characters. The rest is lost: {problem}.]"
                );
                self.limited.problems.push(problem);
                note
            }
        };
        self.limited.shown.push(ShownPart::Text(shown));
    }

    fn bytes(&mut self, what: &str, media_type: &str, data: &str) {
        let Some(bytes) = decoded(data) else {
            return self.lost(SpillError::NotBase64 { what: what.to_owned() });
        };
        let kind = image(&bytes);
        if let Some(media_type) = kind
            && bytes.len() <= self.caps.image.get()
            && bytes.len() <= self.images_left
        {
            self.images_left -= bytes.len();
            return self.limited.shown.push(ShownPart::Image { media_type, data: encoded(&bytes) });
        }
        // A block that falsely claims to be an image does not get an image's file name.
        let claimed = ending(media_type);
        let ending = match kind {
            Some(kind) => ending(kind),
            None if matches!(claimed, "png" | "jpg" | "gif" | "webp") => "bin",
            None => claimed,
        };
        match self.spill.keep(what, ending, &bytes) {
            Ok(path) => {
                let note = format!("[{what}, {} bytes: in the file `{}`]", bytes.len(), path.display());
                self.limited.shown.push(ShownPart::Text(note));
            }
            Err(problem) => self.lost(problem),
        }
    }

    fn lost(&mut self, problem: SpillError) {
        self.limited.shown.push(ShownPart::Text(format!("[left out: {problem}]")));
        self.limited.problems.push(problem);
    }

    fn finish(mut self) -> LimitedResult {
        if self.left_out > 0 {
            self.lost(SpillError::TooMany { left_out: self.left_out, most: self.caps.blocks });
        }
        self.limited.files = self.spill.files;
        self.limited
    }
}

impl Part {
    fn characters(&self) -> Option<usize> {
        match self {
            Self::Text(text) => Some(text.chars().count()),
            Self::Bytes { .. } => None,
        }
    }
}

fn joined(parts: &[Part]) -> String {
    let text = |part: &Part| match part {
        Part::Text(text) => Some(text.clone()),
        Part::Bytes { .. } => None,
    };
    parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}
