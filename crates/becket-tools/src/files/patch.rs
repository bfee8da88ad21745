//! The difference of two texts, in hunks as hooks see them (`structuredPatch`).

use becket_base::line_diff::{self, DiffHunk};
use serde_json::{Value, json};

/// The number of lines of context around a change.
const AROUND: usize = 3;

/// Returns the hunks from one text to the other; none if they are equal.
pub(crate) fn hunks(old: &str, new: &str) -> Value {
    line_diff::hunks(old, new, AROUND).iter().map(hunk).collect()
}

fn hunk(hunk: &DiffHunk<'_>) -> Value {
    let lines = hunk.lines.iter().flat_map(|line| [Some(line.marked()), line.note().map(str::to_owned)]);
    json!({
        "oldStart": hunk.old_start + 1,
        "oldLines": hunk.old_lines,
        "newStart": hunk.new_start + 1,
        "newLines": hunk.new_lines,
        "lines": lines.flatten().collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_has_the_shape_that_hooks_know() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let hunk = json!([{
            "oldStart": 2, "oldLines": 7, "newStart": 2, "newLines": 8,
            "lines": [" 2", " 3", " 4", "-5", "+five", "+and a half", " 6", " 7", " 8"],
        }]);
        assert_eq!(hunks(old, &old.replace("5\n", "five\nand a half\n")).to_string(), hunk.to_string());
        assert_eq!(hunks(old, old), json!([]));
        let last = hunks("a\n", "a\nb");
        assert_eq!(last[0]["lines"], json!([" a", "+b", "\\ No newline at end of file"]));
        assert_eq!(hunks("", "a\n")[0]["lines"], json!(["+a"]));
    }
}
