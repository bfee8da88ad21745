//! Fenced code in a Markdown text, line by line.
//!
//! It does not handle lists and quotes: a fence may be indented by any amount, so that one in a list also counts.

/// Follows the fences through the lines of a text.
#[derive(Debug, Default)]
pub(super) struct Fences {
    /// The character of the open fence, and its length.
    open: Option<(char, usize)>,
}

impl Fences {
    /// Returns whether the next line is code: inside a fence, or its first or last line.
    pub(super) fn take(&mut self, line: &str) -> bool {
        let found = fence(line);
        match (self.open, found) {
            (None, Some(fence)) => {
                // Text after a fence of backticks must not contain backticks; otherwise it is a code span.
                let opens = fence.mark != '`' || !fence.info.contains('`');
                self.open = opens.then_some((fence.mark, fence.length));
                opens
            }
            (None, None) => false,
            (Some((mark, length)), found) => {
                let closes = |fence: &Fence<'_>| {
                    fence.mark == mark && fence.length >= length && fence.info.trim().is_empty()
                };
                if found.as_ref().is_some_and(closes) {
                    self.open = None;
                }
                true
            }
        }
    }

    /// Returns whether the next line is inside a fence.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }
}

/// A line that may open or close a fence.
struct Fence<'l> {
    mark: char,
    length: usize,
    info: &'l str,
}

fn fence(line: &str) -> Option<Fence<'_>> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let length = line.len() - info.len();
    (length >= 3).then_some(Fence { mark, length, info })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_closed_by_one_as_long_of_its_own_kind() {
        for (text, code) in [
            ("a\n```\nb\n```\nc", "01110"),
            ("````\n```\nx\n````\ny", "11110"),
            ("~~~ rust\n```\n~~~\nz", "1110"),
            ("```js\nx\n``` no end\ny", "1111"),
            ("- item\n      ```\n      x\n      ```\n- next", "01110"),
            ("``` a `b` ```\nx", "00"),
            ("``\nx", "00"),
        ] {
            let mut fences = Fences::default();
            let found: String = text.lines().map(|line| if fences.take(line) { '1' } else { '0' }).collect();
            assert_eq!(found, code, "{text}");
        }
    }
}
