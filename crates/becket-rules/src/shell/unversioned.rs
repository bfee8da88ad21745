//! Names of commands without the version that some systems append: `gcc-12`, `gem3.1`.

/// Returns the name without a version at its end.
pub(crate) fn unversioned(name: &str) -> &str {
    let short = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if short.len() == name.len() { name } else { short.strip_suffix('-').unwrap_or(short) }
}

#[cfg(test)]
mod tests {
    use super::unversioned;

    #[test]
    fn a_version_at_the_end_is_left_out() {
        // rule: P6
        for (name, short) in
            [("gcc-12", "gcc"), ("gem3.1", "gem"), ("git-", "git-"), ("g++", "g++"), ("7", "")]
        {
            assert_eq!(unversioned(name), short);
        }
    }
}
