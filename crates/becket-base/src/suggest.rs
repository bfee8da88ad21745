//! "Did you mean": the nearest of some known names. It only suggests; it never corrects.
//!
//! INVARIANT: what it returns is one of the candidates, and never the value itself.

/// Returns the candidate that the user most likely meant by `value`, or `None` if nothing is near.
///
/// Case and the characters `-` and `_` count for little: `pretooluse` and `pre_tool_use` are both near `PreToolUse`.
/// Otherwise about one letter in three may differ. Equally near candidates: the first one. If none is near, the only
/// candidate that begins with the value counts, and otherwise the shortest that contains it: `Start` is a part of
/// `SessionStart`.
///
/// ```
/// let events = ["PreToolUse", "PostToolUse", "Stop"];
/// assert_eq!(becket_base::suggest("PreTolUse", &events), Some("PreToolUse"));
/// assert_eq!(becket_base::suggest("Pos", &events), Some("PostToolUse"));
/// assert_eq!(becket_base::suggest("Banana", &events), None);
/// ```
#[must_use]
pub fn suggest<'a>(value: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let wanted = folded(value);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let allowed = (wanted.chars().count() / 3).max(1);
    let others = || candidates.iter().filter(|candidate| candidate.len() <= LONGEST && **candidate != value);
    let near = others()
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &folded(candidate)), *candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate);
    let is_part = |candidate: &&&str| wanted.len() >= SHORTEST_PART && folded(candidate).contains(&wanted);
    near.or_else(|| only_beginning(&wanted, others().copied()))
        .or_else(|| others().filter(is_part).min_by_key(|candidate| candidate.len()).copied())
}

/// Returns the candidate that begins with a folded value, if there is exactly one.
fn only_beginning<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut found =
        candidates.filter(|name| wanted.len() >= SHORTEST_BEGINNING && folded(name).starts_with(wanted));
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// The minimum length of the beginning of a name in bytes.
const SHORTEST_BEGINNING: usize = 3;

/// The minimum length of a part of a name in bytes: shorter ones occur in too many names.
const SHORTEST_PART: usize = 4;

/// The maximum length of a name in bytes: longer ones are not misspelt, and comparing them would be slow.
const LONGEST: usize = 100;

fn folded(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn finds_the_near_name_and_nothing_else() {
        let tools = ["Bash", "Read", "Write", "WebFetch", "NotebookEdit"];
        for (typed, meant) in [
            ("bash", Some("Bash")),
            ("Wrtie", Some("Write")),
            ("web_fetch", Some("WebFetch")),
            ("NotebokEdit", Some("NotebookEdit")),
            ("Bash", None),
            ("", None),
            ("Terraform", None),
            ("Notebook", Some("NotebookEdit")),
            ("Web", Some("WebFetch")),
            ("We", None),
            ("etch", Some("WebFetch")),
            ("tch", None),
        ] {
            assert_eq!(suggest(typed, &tools), meant, "{typed}");
        }
        for (typed, meant) in [("sta", None), ("stan", Some("standard")), ("str", Some("strict"))] {
            assert_eq!(suggest(typed, &["minimal", "standard", "strict", "status"]), meant, "{typed}");
        }
        let long = "x".repeat(1_000_000);
        assert_eq!(suggest(&long, &tools), None);
        assert_eq!(suggest("time", &["fetch", "Time", &long]), Some("Time"));
    }
}
