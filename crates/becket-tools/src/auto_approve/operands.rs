//! Operands that are more than paths, and the check that they leave a command harmless.

use becket_rules::shell::SedScript;

/// Operators of `test` that take a file.
const FILE_TESTS: [&str; 23] = [
    "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-G", "-h", "-k", "-L", "-N", "-O", "-p", "-r", "-s", "-S",
    "-u", "-w", "-x", "-ef", "-nt", "-ot",
];

/// Returns the paths that `test` examines; `None` with `-v`, which evaluates a subscript, and with `-R` and `-o`,
/// which read the shell's own state.
pub(super) fn test<'a>(args: &[&'a str]) -> Option<Vec<&'a str>> {
    if args.iter().any(|arg| matches!(*arg, "-v" | "-R" | "-o")) {
        return None;
    }
    let files = args.windows(2).filter(|pair| FILE_TESTS.contains(&pair[0])).map(|pair| pair[1]);
    let before = args.windows(2).filter(|pair| matches!(pair[1], "-ef" | "-nt" | "-ot")).map(|pair| pair[0]);
    Some(files.chain(before).collect())
}

/// Returns whether every operand of `date` is a format: any other operand sets the clock.
pub(super) fn date(operands: &[&str]) -> bool {
    operands.iter().all(|operand| operand.starts_with('+'))
}

/// Returns whether operands of `ps` are plain letters of BSD options; `e` shows environments.
pub(super) fn ps(operands: &[&str]) -> bool {
    operands.iter().all(|operand| operand.chars().all(|letter| "auxfjlwhr".contains(letter)))
}

/// Returns whether the scripts of `sed` only print.
pub(super) fn sed_scripts(scripts: &[&str]) -> bool {
    let only_prints = |script: &&str| {
        SedScript::parse(script)
            .is_some_and(|script| script.reads.is_empty() && script.writes.is_empty() && !script.runs)
    };
    scripts.iter().all(only_prints)
}

/// Returns whether a filter of `jq` reads only its input: no modules, no environment.
pub(super) fn jq(filter: &str) -> bool {
    !["import", "include", "env", "ENV", "input_filename", "getpath", "$__"]
        .iter()
        .any(|word| filter.contains(word))
}

/// Returns whether a program is only called to print its version.
pub(super) fn version(args: &[&str]) -> bool {
    matches!(args, ["--version" | "-V"])
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: P14
    #[test]
    fn operands_that_do_more_are_told_apart() {
        assert_eq!(test(&["-f", "a", "]"]), Some(vec!["a"]));
        assert_eq!(test(&["a", "-nt", "b"]), Some(vec!["b", "a"]));
        assert_eq!(test(&["a", "=", "b"]), Some(vec![]));
        assert_eq!(test(&["-v", "a[x]"]), None);
        assert!(date(&["+%F"]) && date(&[]) && !date(&["010112002026"]));
        assert!(ps(&["aux"]) && !ps(&["auxe"]));
        assert!(
            sed_scripts(&["1,5p"])
                && !sed_scripts(&["w f"])
                && !sed_scripts(&["1e ls"])
                && !sed_scripts(&["k"])
        );
        for script in [
            ":a w f",
            ":a e touch f",
            "s/a/b/ e",
            "ta w f",
            "a x\\\\\nw f",
            "s/[[:alpha:]/]/x/;e ls",
            "p w f",
        ] {
            assert!(!sed_scripts(&[script]), "{script:?}");
        }
        assert!(sed_scripts(&[":a;N;$!ba;s/\\n/ /g", "a x\\\nw f", "s/[^/]*$//"]));
        assert!(jq(".a[0]") && !jq("import \"a\" as a; .") && !jq("$ENV.HOME"));
        assert!(version(&["--version"]) && !version(&["-v", "x.js"]) && !version(&[]));
    }
}
