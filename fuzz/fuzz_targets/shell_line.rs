//! Arbitrary text as a shell line and as a pattern: every question is answered, soon and without a panic.

#![no_main]

use becket_rules::powershell;
use becket_rules::shell::{CommandPattern, Coverage, Line};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (pattern, line) = text.split_once('\u{1}').unwrap_or(("git push *", &text));
    let pattern = CommandPattern::new(pattern);
    let _ = pattern.matches(line);
    let parsed = Line::parse(line);
    let _ = parsed.condition(&pattern);
    let covered = parsed.uncovered(&[&pattern]) == Coverage::Covered;
    // What an allow rule covers, a condition with the same pattern finds.
    assert!(!covered || parsed.condition(&pattern).runs());
    let _ = (parsed.hit(&pattern), parsed.file_uses(), parsed.redirections().len());
    let parsed = powershell::Line::parse(line);
    let _ = (parsed.condition(&pattern), parsed.hit(&pattern), parsed.uncovered(&[&pattern]));
});
