//! Finds several rules in one text, so that the error can list them separately (P12).
//!
//! A specifier may contain parentheses and separators: `Bash((a) | (b))` is one rule. So a `)` ends a rule only if a
//! separator and another rule follow, and if it either closes the first `(` or is followed by the name of a known tool.

use super::name;
use crate::tools;

/// Several rules in one text.
pub(super) struct JoinedRules {
    /// The position of the first separator, in bytes.
    pub(super) at: usize,
    pub(super) separator: String,
    pub(super) rules: Vec<String>,
}

/// The separators, longest first: `||` is not two `|`.
const SEPARATORS: [&str; 10] = ["||", "&&", "|", "&", ",", ";", "or ", "and ", "OR ", "AND "];

/// Returns the rules, if there is more than one.
pub(super) fn split(text: &str) -> Option<JoinedRules> {
    let (mut rules, mut first, mut start) = (Vec::new(), None, 0);
    while let Some((end, separator)) = text.get(start..).and_then(rule_end) {
        rules.push(text.get(start..start + end)?.to_owned());
        let after = text.get(start + end..)?;
        let at = start + end + (after.len() - after.trim_start().len());
        first.get_or_insert((at, separator));
        start = at + separator.len();
        start += text.get(start..).map_or(0, |rest| rest.len() - rest.trim_start().len());
    }
    let (at, separator) = first?;
    rules.push(text.get(start..)?.trim().to_owned());
    Some(JoinedRules { at, separator: separator.trim().to_owned(), rules })
}

/// Returns the end of the first rule and the separator after it, if another rule follows.
fn rule_end(text: &str) -> Option<(usize, &'static str)> {
    let name_end = text.find(|c| !name::is_letter(c))?;
    if !text.get(name_end..)?.starts_with('(') {
        let (separator, _) = next_rule(text.get(name_end..)?)?;
        return (name_end > 0).then_some((name_end, separator));
    }
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().skip(name_end) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth = depth.saturating_sub(1);
                let end = at + 1;
                if let Some((separator, tool)) = text.get(end..).and_then(next_rule)
                    && (depth == 0 || is_surely_a_tool(tool))
                {
                    return Some((end, separator));
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns a separator and the tool's name of a rule, at the start of the text.
fn next_rule(text: &str) -> Option<(&'static str, &str)> {
    let rest = text.trim_start();
    let Some(separator) = SEPARATORS.into_iter().find(|separator| rest.starts_with(separator)) else {
        return blank_before_rule(text);
    };
    let rest = rest.get(separator.len()..)?.trim_start();
    let name_end = rest.find(|c| !name::is_letter(c)).unwrap_or(rest.len());
    let (tool, after) = rest.split_at(name_end);
    let after = after.trim_start();
    let ends = after.is_empty() || after.starts_with('(') || SEPARATORS.iter().any(|s| after.starts_with(s));
    (!tool.is_empty() && ends).then_some((separator, tool))
}

/// Returns blanks as the separator if a rule of a known tool with its parentheses follows them.
fn blank_before_rule(text: &str) -> Option<(&'static str, &str)> {
    let rest = text.trim_start();
    let (tool, after) = rest.split_at(rest.find(|c| !name::is_letter(c))?);
    let is_rule = rest.len() < text.len() && after.starts_with('(');
    (is_rule && is_surely_a_tool(tool)).then_some(("", tool))
}

fn is_surely_a_tool(name: &str) -> bool {
    tools::find(name).is_some() || name.starts_with("mcp__")
}
