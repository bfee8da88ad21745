//! "Did you mean": the nearest of some known names. It proposes; it never corrects.

/// Limit on a name's length, in bytes: longer ones are not misspellings, and comparing them would be slow.
const LONGEST: usize = 100;

/// Returns the candidate that was most likely meant by `name`; about one letter in three may differ, case is ignored.
pub(crate) fn suggest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    if name.is_empty() || name.len() > LONGEST {
        return None;
    }
    let wanted = name.to_lowercase();
    let allowed = (wanted.chars().count() / 3).max(1);
    candidates
        .iter()
        .filter(|candidate| candidate.len() <= LONGEST && **candidate != name)
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase()), *candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn near_names_are_proposed_and_far_ones_are_not() {
        assert_eq!(suggest("tiem", &["fetch", "time"]), Some("time"));
        assert_eq!(suggest("Time", &["time"]), Some("time"));
        assert_eq!(suggest("banana", &["fetch", "time"]), None);
        assert_eq!(suggest("time", &["time"]), None);
        assert_eq!(suggest("", &["a"]), None);
    }
}
