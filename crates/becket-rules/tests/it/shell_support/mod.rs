//! Reads `cases/shell-lines.txt` and similar files; the format is described at the top of that file.

#![expect(clippy::panic, reason = "a broken case file fails the test")]

/// One case with its expectations.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) at: usize,
    pub(crate) line: String,
    pub(crate) condition: String,
    pub(crate) deny: String,
    pub(crate) allow: String,
    pub(crate) pattern: String,
    pub(crate) allows: Vec<String>,
    /// True if the line is valid in its shell.
    pub(crate) valid: bool,
}

/// Returns all cases of a file.
pub(crate) fn read(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let (mut pattern, mut allows, mut expected) = (String::new(), Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        if let Some(text) = line.strip_prefix("@if-deny ") {
            pattern = text.to_owned();
        } else if let Some(text) = line.strip_prefix("@allow ") {
            allows = text.split(", ").map(str::to_owned).collect();
        } else if let Some(text) = line.strip_prefix("= ") {
            expected = text.split_whitespace().map(str::to_owned).collect();
        } else if !line.is_empty() && !line.starts_with("##") {
            let [condition, deny, allow] = expected.as_slice() else {
                panic!("line {}: no expectation", index + 1)
            };
            let body = line.strip_prefix('✗');
            cases.push(Case {
                at: index + 1,
                line: body.unwrap_or(line).replace('⏎', "\n").replace('⇥', "\t"),
                condition: condition.clone(),
                deny: deny.clone(),
                allow: allow.clone(),
                pattern: pattern.clone(),
                allows: allows.clone(),
                valid: body.is_none(),
            });
        }
    }
    cases
}
