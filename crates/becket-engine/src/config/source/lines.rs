//! From a byte of a text to its line and column.

/// Where the lines of a text begin.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines { starts: std::iter::once(0).chain(after).collect() }
    }

    /// Line and column of a byte, both from 1, the column in characters; a byte-order mark takes no column.
    pub(crate) fn position(&self, text: &str, byte: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= byte);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        let before = text.get(start..byte.min(text.len())).unwrap_or_default();
        let column = before.trim_start_matches('\u{feff}').chars().count() + 1;
        (small(line), small(column))
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
