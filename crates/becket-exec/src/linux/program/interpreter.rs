//! The script that an interpreter runs.

const SHELLS: [&str; 9] = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "hush", "fish"];

/// Other programs whose first operand is a script that they run.
const LANGUAGES: [&str; 9] = ["perl", "ruby", "node", "nodejs", "php", "lua", "luajit", "python", "pypy"];

/// Programs whose first operand may be a subcommand, followed by the script.
const WITH_SUBCOMMANDS: [&str; 2] = ["deno", "bun"];

/// Returns the positions of arguments that may be the script which an interpreter with this name runs. An argument
/// after an option may be the value of the option, so the next one counts, too.
pub(super) fn scripts(name: &str, arguments: &[&str]) -> Vec<usize> {
    let is_version = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-';
    let plain = name.strip_prefix('-').unwrap_or(name).trim_end_matches(is_version);
    let is_shell = SHELLS.contains(&plain);
    let mut operands = match plain {
        _ if is_shell || LANGUAGES.contains(&plain) || name.starts_with("python") => 1,
        _ if WITH_SUBCOMMANDS.contains(&plain) => 2,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let (mut after_option, mut runs_text) = (false, false);
    for (at, argument) in arguments.iter().enumerate().skip(1) {
        if argument.starts_with('-') || (is_shell && argument.starts_with('+')) {
            after_option = !matches!(*argument, "-" | "--");
            runs_text |= is_shell && after_option && !argument.starts_with("--") && argument.contains('c');
            continue;
        }
        found.push(at);
        operands -= u8::from(!after_option);
        // What follows the text of `sh -c` are its arguments.
        if operands == 0 || runs_text {
            break;
        }
        after_option = false;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: E1
    #[test]
    fn options_do_not_hide_a_script() {
        for (line, expected) in [
            ("bash x y", &["x"][..]),
            ("bash -e x y", &["x", "y"]),
            ("bash -o errexit x y", &["errexit", "x"]),
            ("bash +o posix x y", &["posix", "x"]),
            ("bash -o errexit -O extglob -- x y", &["errexit", "extglob", "x"]),
            ("bash -c text x", &["text"]),
            ("bash -eco errexit x", &["errexit"]),
            ("-bash -l x", &["x"]),
            ("python3.11 -W ignore x y", &["ignore", "x"]),
            ("ruby3.1 -I lib x y", &["lib", "x"]),
            ("node -r a --import b x y", &["a", "b", "x"]),
            ("perl -I lib -w x y", &["lib", "x", "y"]),
            ("php8.2 -c ini x y", &["ini", "x"]),
            ("deno run -A x y", &["run", "x", "y"]),
            ("bun x y z", &["x", "y"]),
            ("cat x", &[]),
            ("bash", &[]),
        ] {
            let arguments: Vec<&str> = line.split(' ').collect();
            let found: Vec<&str> =
                scripts(arguments[0], &arguments).iter().map(|at| arguments[*at]).collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}
