//! The simple commands of a text with the quotes of their words, which decide about what a shell replaces.

use becket_rules::shell::{CommandList, Stage};

/// Returns the words of all simple commands, those in the text of `sh -c '…'` included; none if the text can't be read.
pub(super) fn of_text(text: &str) -> Vec<Vec<String>> {
    CommandList::parse(text).as_ref().map(of_list).unwrap_or_default()
}

fn of_list(list: &CommandList) -> Vec<Vec<String>> {
    let stages = list.chains.iter().flat_map(|chain| &chain.pipelines).flat_map(|pipeline| &pipeline.stages);
    stages.flat_map(of_stage).collect()
}

fn of_stage(stage: &Stage) -> Vec<Vec<String>> {
    match stage {
        Stage::Simple(words) => {
            let mut found = shell_text(words).map(of_text).unwrap_or_default();
            found.push(words.clone());
            found
        }
        Stage::Test { words, .. } => {
            vec![std::iter::once("[[".to_owned()).chain(words.iter().cloned()).collect()]
        }
        Stage::Compound(lists) => lists.iter().flat_map(of_list).collect(),
        Stage::Deferred(list) => of_list(list),
    }
}

/// Returns the text that `sh -c '…'` runs, if it is in single quotes, where the outer shell changes nothing.
pub(super) fn shell_text(words: &[String]) -> Option<&str> {
    let [shell, option, text, ..] = words else { return None };
    let name = shell.rsplit('/').next().unwrap_or(shell);
    let is_shell = matches!(name, "sh" | "bash" | "zsh" | "dash");
    let takes_text = option.starts_with('-') && !option.starts_with("--") && option.ends_with('c');
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    (is_shell && takes_text && !inner.contains('\'')).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::of_text;

    #[test]
    fn commands_keep_their_quotes_wherever_they_stand() {
        for (text, expected) in [
            ("[ -f a ] && cat 'b c' 2>/dev/null || true", "[ -f a ]|cat 'b c'|true"),
            ("if ! grep -q x f; then echo \"$(a; b)\"; fi", "grep -q x f|echo \"$(a; b)\""),
            ("a | { read f; [[ $f == x ]] && b; }", "a|read f|[[ $f == x|b"),
            ("bash -lc 'c && d' &> f", "c|d|bash -lc 'c && d'"),
            ("f() { a '$b'; }", "a '$b'"),
            ("if a", ""),
        ] {
            let found: Vec<String> = of_text(text).iter().map(|words| words.join(" ")).collect();
            assert_eq!(found.join("|"), expected, "{text}");
        }
    }
}
