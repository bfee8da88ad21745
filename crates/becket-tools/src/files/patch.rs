//! The difference of two texts, in hunks as hooks see them (`structuredPatch`).
//!
//! INVARIANT: it ends soon for all texts: past its time the hunks get longer than they need be, never wrong.

use serde_json::{Value, json};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, group_diff_ops};
use std::time::{Duration, Instant};

/// Lines around a change.
const AROUND: usize = 3;
/// Time limit for finding the shortest hunks.
const LIMIT: Duration = Duration::from_millis(500);
/// Marks a last line without a newline.
const NO_NEWLINE: &str = "\\ No newline at end of file";

/// The hunks from one text to the other; none if they are the same.
pub(crate) fn hunks(old: &str, new: &str) -> Value {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let until = Instant::now() + LIMIT;
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(until));
    let groups = group_diff_ops(ops, AROUND);
    groups.iter().filter(|ops| !ops.is_empty()).map(|ops| hunk(ops, &old, &new)).collect()
}

fn hunk(ops: &[DiffOp], old: &[&str], new: &[&str]) -> Value {
    let start = ops.first().map_or((0, 0), |op| (op.old_range().start, op.new_range().start));
    let end = ops.last().map_or((0, 0), |op| (op.old_range().end, op.new_range().end));
    let mut lines = Vec::new();
    for op in ops {
        let gone = old.get(op.old_range()).unwrap_or_default();
        let come = new.get(op.new_range()).unwrap_or_default();
        match op {
            DiffOp::Equal { .. } => push(&mut lines, ' ', gone),
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                push(&mut lines, '-', gone);
                push(&mut lines, '+', come);
            }
        }
    }
    json!({
        "oldStart": start.0 + 1,
        "oldLines": end.0 - start.0,
        "newStart": start.1 + 1,
        "newLines": end.1 - start.1,
        "lines": lines,
    })
}

fn push(to: &mut Vec<String>, sign: char, lines: &[&str]) {
    for line in lines {
        to.push(format!("{sign}{}", line.strip_suffix('\n').unwrap_or(line)));
        if !line.ends_with('\n') {
            to.push(NO_NEWLINE.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    #[test]
    fn far_changes_are_hunks_of_their_own() {
        let old: String = (0..40).map(|n| format!("{n}\n")).collect();
        let found = hunks(&old, &old.replace("\n3\n", "\nx\n").replace("\n30\n", "\n"));
        assert_eq!(found.as_array().unwrap().len(), 2);
        assert_eq!(found[1]["newLines"], 6);
    }

    /// Applies the hunks to a text.
    fn patched(old: &str, hunks: &Value) -> String {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut out, mut done) = (String::new(), 0);
        for hunk in hunks.as_array().unwrap() {
            let start = usize::try_from(hunk["oldStart"].as_u64().unwrap()).unwrap() - 1;
            out.extend(old[done..start].iter().copied());
            for line in hunk["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()) {
                match line.split_at(1) {
                    ("-", _) => {}
                    (_, line) => out.push_str(&format!("{line}\n")),
                }
            }
            done = start + usize::try_from(hunk["oldLines"].as_u64().unwrap()).unwrap();
        }
        out.extend(old[done..].iter().copied());
        out
    }

    proptest! {
        #[test]
        fn the_hunks_lead_from_one_to_the_other(old in "([ab]{0,2}\n){0,20}", new in "([ab]{0,2}\n){0,20}") {
            prop_assert_eq!(patched(&old, &hunks(&old, &new)), new);
        }
    }
}
