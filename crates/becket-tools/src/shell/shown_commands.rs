//! The commands that the text of a line shows literally.

use becket_rules::shell::{Command, Line};

/// Programs that need the setuid bit of their file, which has no effect under a supervisor.
const NEED_SETUID: [&str; 4] = ["sudo", "su", "doas", "pkexec"];

/// Programs that trace others, which is impossible under a supervisor: a process has one tracer.
const TRACERS: [&str; 7] = ["strace", "ltrace", "gdb", "lldb", "lldb-server", "gdbserver", "rr"];

/// Returns the commands that the text of a line shows, each a name and arguments joined by blanks. A command with a
/// word that only the shell knows is not included.
#[must_use]
pub fn shown_commands(line: &str) -> Vec<String> {
    let line = Line::parse(line);
    line.commands().iter().filter_map(whole).map(|words| words.join(" ")).collect()
}

/// Returns the reason why a line can't run under a supervisor, if its text shows one (E1).
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has a supervisor"))]
pub(super) fn unsupported(line: &str, is_root: bool) -> Option<String> {
    let line = Line::parse(line);
    let name = |command: &Command| {
        let word = command.words().next().flatten()?;
        Some(word.rsplit('/').next().unwrap_or(word).to_owned())
    };
    let found = line.commands().iter().filter_map(name).find_map(|name| {
        let needs = match name.as_str() {
            name if NEED_SETUID.contains(&name) && !is_root => "the setuid bit of its file",
            name if TRACERS.contains(&name) => "ptrace",
            _ => return None,
        };
        Some((name, needs))
    });
    found.map(|(name, needs)| {
        format!(
            "`{name}` needs {needs}, which programs under the permission rules do not have. The line was not run. \
             With `\"exec\": \"text-only\"` in managed or user settings, or those of the command line, the rules hold \
             for the text of a line alone, and such programs work"
        )
    })
}

fn whole(command: &Command) -> Option<Vec<&str>> {
    command.words().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: E4
    #[test]
    fn only_commands_without_expansions_are_shown() {
        let shown = shown_commands("git push origin 'a b' && make X=$Y; ls *; echo done");
        assert!(shown.contains(&"git push origin a b".to_owned()), "{shown:?}");
        assert!(shown.contains(&"echo done".to_owned()), "{shown:?}");
        assert!(
            !shown.iter().any(|command| command.starts_with("make") || command.starts_with("ls")),
            "{shown:?}"
        );
    }

    // rule: E1
    #[test]
    fn lines_that_need_setuid_or_tracing_are_found() {
        for (line, as_user, as_root) in [
            ("sudo apt install x", true, false),
            ("cd /tmp && /usr/bin/strace -f make", true, true),
            ("env A=1 gdb ./a.out", true, true),
            ("echo sudo gdb", false, false),
            ("make", false, false),
        ] {
            assert_eq!(unsupported(line, false).is_some(), as_user, "{line}");
            assert_eq!(unsupported(line, true).is_some(), as_root, "{line}");
        }
        assert!(unsupported("strace ls", true).unwrap().contains("text-only"));
    }
}
