//! The lines that edit files, as `line-edits.txt` marks them.

use becket_rules::shell::Line;

// rules: P7, P14
#[test]
fn lines_that_edit_are_told_from_those_that_read_or_act() {
    let cases = include_str!("../cases/line-edits.txt").lines().filter_map(|line| line.split_once(' '));
    let mut wrong = Vec::new();
    for (expected, line) in cases.filter(|(mark, _)| *mark != "#") {
        let edits = Line::parse(&line.replace("\\n", "\n")).edits_files();
        if edits != (expected == "edits") {
            wrong.push(format!("not {expected}: {line}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
