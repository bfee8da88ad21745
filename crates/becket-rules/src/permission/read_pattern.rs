//! The paths that a pattern of a tool which reads several files may mean. Tools differ in their patterns: dots at the
//! start, the case of letters and alternatives count as whatever covers most.

use super::call::Scope;
use crate::path::{ANY, FOLDED, Normal, lexical};

/// The maximum number of directories that a `**` stands for. A rule that names a deeper one does not match.
const DEPTH: usize = 16;

/// Returns paths that together cover all files which the pattern may mean, for a comparison that reads [`ANY`] and
/// [`FOLDED`]. `None` if they may be in any directory.
pub(super) fn paths(pattern: &str, scope: &Scope<'_>) -> Option<Vec<Normal>> {
    let special = pattern.find(SPECIAL).unwrap_or(pattern.len());
    let (before, varying) = pattern.split_at_checked(special)?;
    // The part with the first special character begins after the last slash before it.
    let directory = before.rfind('/').map_or("", |at| before.get(..=at).unwrap_or_default());
    let varying = format!("{}{varying}", before.get(directory.len()..).unwrap_or_default());
    if varying.split('/').any(|part| part == "..") || varying.starts_with('!') {
        return None;
    }
    let cwd = Normal::of(scope.cwd);
    let start = lexical(directory, &cwd, scope.home_path().as_ref())?;
    let (base, below) = match start.below(&cwd) {
        Some(below) => (&cwd, below.to_owned()),
        None => (&start, String::new()),
    };
    let fixed = below.split('/').filter(|part| !part.is_empty()).map(folded).collect::<Vec<_>>();
    let of = |parts: Vec<String>| base.join(&format!("./{}", [fixed.clone(), parts].concat().join("/")));
    Some(alternatives(&varying).into_iter().map(of).collect())
}

/// Characters that some tool does not take literally.
const SPECIAL: [char; 9] = ['*', '?', '[', '{', '(', '!', '+', '@', '\\'];

fn folded(part: &str) -> String {
    format!("{FOLDED}{part}")
}

/// Returns the lists of parts that the varying part of a pattern stands for.
fn alternatives(varying: &str) -> Vec<Vec<String>> {
    let parts: Vec<&str> = varying.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    // Alternatives may contain slashes.
    let is_nested = varying.contains(['{', '(']) && varying.contains('/');
    let deep = if is_nested { Some(0) } else { parts.iter().position(|part| part.contains("**")) };
    let Some(deep) = deep else { return vec![parts.into_iter().map(one).collect()] };
    let before: Vec<String> = parts.iter().take(deep).map(|part| one(part)).collect();
    let last = parts.last().filter(|part| !part.contains("**") && !is_nested);
    let last = last.map_or_else(|| ANY.to_owned(), |part| one(part));
    (0..DEPTH)
        .map(|count| {
            let between = std::iter::repeat_n(ANY.to_owned(), count);
            before.iter().cloned().chain(between).chain([last.clone()]).collect()
        })
        .collect()
}

/// Returns the part for the names that a part of a pattern stands for.
fn one(part: &str) -> String {
    let ends = |c: char| SPECIAL.contains(&c) || matches!(c, ']' | '}' | ')');
    match part.contains(SPECIAL) {
        true => format!("{ANY}{}", part.rsplit(ends).next().unwrap_or_default()),
        false => folded(part),
    }
}
