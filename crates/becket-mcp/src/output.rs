//! The part of an answer that a model is shown, and files for the rest (`protocol.md` X5).
//!
//! A server may answer with a whole database. Text over a cap goes to a file that only the user may read, and is
//! replaced by its beginning and the file's path; bytes that a model can't read go to files of their own kind. Hooks
//! receive the whole answer, unchanged: [`CallResult::tool_response`](crate::CallResult::tool_response).
//!
//! A server does not choose the name of a file, or its type; no file is overwritten; and bytes that are not what they
//! claim to be are neither shown nor written.
//!
//! INVARIANT: nothing is omitted silently: a block is shown, or a text in its place names its file, or the reason why
//! there is none.
//! INVARIANT: a file that is named is complete.

mod block;
mod call_result;
mod limit;
mod media;
mod replace;
mod spill;

use std::path::PathBuf;

use becket_process::ByteCap;

pub use call_result::CallResult;
pub use replace::ReplaceError;
pub use spill::SpillError;

/// Limits on the part of an answer that a model is shown, and on its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputCaps {
    /// The limit on text that is shown in full, in characters.
    pub text: usize,
    /// The limit on the shown beginning of longer text, in characters.
    pub beginning: usize,
    /// The limit on a shown image.
    pub image: ByteCap,
    /// The limit on all shown images together.
    pub images: ByteCap,
    /// The limit on the number of images, sounds and other blobs that are shown or stored.
    pub blocks: usize,
    /// The limit on the bytes in files.
    pub files: ByteCap,
}

/// Creates caps of 200,000 characters of text, or else the first 10,000; images of 3.75 MB each and 16 MiB in total;
/// 32 blocks; 64 MiB of files.
impl Default for OutputCaps {
    fn default() -> Self {
        Self {
            text: 200_000,
            beginning: 10_000,
            image: ByteCap::bytes(3_750_000),
            images: ByteCap::bytes(16 << 20),
            blocks: 32,
            files: ByteCap::bytes(64 << 20),
        }
    }
}

/// An answer as shown to a model.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct LimitedResult {
    /// The parts for the model, in order.
    pub shown: Vec<ShownPart>,
    /// The files with the rest, complete; the caller has to remove them.
    pub files: Vec<PathBuf>,
    /// The parts that could neither be shown nor stored. The texts say so too.
    pub problems: Vec<SpillError>,
}

/// A part of an answer as shown to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownPart {
    /// Text.
    Text(String),
    /// An image that models can read.
    Image {
        /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`: the type of the bytes, whatever the server
        /// declared.
        media_type: &'static str,
        /// The image in base64.
        data: String,
    },
}

impl LimitedResult {
    /// Returns the texts, joined by newlines.
    #[must_use]
    pub fn text(&self) -> String {
        let text = |shown: &ShownPart| match shown {
            ShownPart::Text(text) => Some(text.clone()),
            ShownPart::Image { .. } => None,
        };
        self.shown.iter().filter_map(text).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests;
