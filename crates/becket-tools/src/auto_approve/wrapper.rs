//! `timeout` and `xargs` with options that only run a command that reads.

/// Options of `timeout` with a value.
const TIMEOUT_VALUED: [&str; 4] = ["-k", "-s", "--kill-after", "--signal"];
/// Options of `xargs` with a value: numbers and delimiters, none of them a file or a placeholder that could replace
/// the name of the command.
const XARGS_VALUED: [&str; 8] = ["-n", "-L", "-P", "-s", "-d", "--max-args", "--max-procs", "--delimiter"];

/// Returns the command that `timeout` runs; `None` if that is uncertain.
pub(super) fn timeout<'s, 'a>(mut args: &'s [&'a str]) -> Option<&'s [&'a str]> {
    loop {
        args = match args {
            ["-v" | "--verbose" | "--foreground" | "--preserve-status", rest @ ..] => rest,
            [option, _, rest @ ..] if TIMEOUT_VALUED.contains(option) => rest,
            [option, rest @ ..] if is_attached(option, &TIMEOUT_VALUED) => rest,
            [duration, command @ ..] => {
                let digits = duration.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(duration);
                let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
                    && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
                return (is_number && !command.is_empty()).then_some(command);
            }
            [] => return None,
        };
    }
}

/// Returns the command to which `xargs` appends its input, `echo` if there is none; `None` if that is uncertain.
pub(super) fn xargs<'s, 'a>(mut args: &'s [&'a str]) -> Option<&'s [&'a str]> {
    loop {
        args = match args {
            [
                "-0" | "-r" | "-t" | "-x" | "--null" | "--no-run-if-empty" | "--verbose" | "--exit",
                rest @ ..,
            ] => rest,
            [option, _, rest @ ..] if XARGS_VALUED.contains(option) => rest,
            [option, rest @ ..] if is_attached(option, &XARGS_VALUED) => rest,
            [] => return Some(&["echo"]),
            [name, ..] => return (!name.starts_with('-')).then_some(args),
        };
    }
}

/// Returns whether a value is attached: `-k5`, `--kill-after=5`.
fn is_attached(option: &str, valued: &[&str]) -> bool {
    let long = option.starts_with("--");
    valued.iter().any(|name| match option.strip_prefix(name) {
        Some(rest) if long => name.starts_with("--") && rest.starts_with('='),
        Some(rest) => !rest.is_empty(),
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: P14
    #[test]
    fn a_wrapper_is_looked_through_where_its_options_are_known() {
        for (args, command) in [
            (&["5", "ls"][..], Some(&["ls"][..])),
            (&["-k", "5", "--signal=KILL", "1.5m", "ls", "-la"], Some(&["ls", "-la"])),
            (&["-k5", "--foreground", "5", "ls"], Some(&["ls"])),
            (&["ls"], None),
            (&["5"], None),
            (&["--unknown", "5", "ls"], None),
            (&["-kx", "x", "ls"], None),
            (&["--", "5", "ls"], None),
            (&["-k", "5"], None),
            (&[], None),
        ] {
            assert_eq!(timeout(args), command, "timeout {args:?}");
        }
        for (args, command) in [
            (&[][..], Some(&["echo"][..])),
            (&["-0", "-n", "1", "echo", "a"], Some(&["echo", "a"])),
            (&["-n1", "-d,", "--max-args=1", "echo"], Some(&["echo"])),
            (&["-I", "echo", "echo", "x"], None),
            (&["-I{}", "echo", "{}"], None),
            (&["-i", "echo", "{}"], None),
            (&["-a", "f", "echo"], None),
            (&["--arg-file=f", "echo"], None),
            (&["-0I", "echo", "x"], None),
            (&["-p", "echo"], None),
            (&["--", "echo"], None),
        ] {
            assert_eq!(xargs(args), command, "xargs {args:?}");
        }
    }
}
