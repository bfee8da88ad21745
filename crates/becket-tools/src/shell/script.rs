//! The script that runs a line and then reports the directory of its shell.
//!
//! The line is evaluated unchanged, as one argument: nothing in it can end the text around it. If it ends its own
//! shell (`exit`, `set -e`, an unset variable under `set -u`, a signal), a trap writes the report; if it reaches its
//! end, the text itself does, so that a line may have an EXIT trap of its own. The report prints nothing, is not
//! affected by an alias, option, trap or closed stream of the line, and goes to a file that no child of the line has
//! open.
//!
//! The report ends with a line that marks it as complete.
//!
//! Not reported, so that the session stays in its directory: the directory of a shell that was replaced (`exec`),
//! killed, or left by `exit` with an EXIT trap of the line's own.
//!
//! The report is not a proof: a line can write to it, too. It gains nothing beyond the effect of `cd`:
//! [`super::whereabouts`] judges every directory in the same way.

use becket_rules::shell::quoted_word;
use std::ffi::OsString;

/// Returns the arguments of a shell that evaluates `line` and writes its directory to `report`.
pub(super) fn tracked(shell: OsString, line: &str, report: &str) -> Vec<OsString> {
    vec!["-c".into(), text(report).into(), shell, line.into()]
}

fn text(report: &str) -> String {
    // A line may have limited the size of files: the signal for that must not turn success into failure.
    let write = format!(
        "\\builtin set +vxeu; \\trap '' XFSZ; {{ \\builtin pwd -P; \\builtin echo .; }} >|{}",
        quoted_word(report)
    );
    let trap = quoted_word(&format!("{{ {write}; }} >/dev/null 2>&1"));
    format!(
        "trap {trap} EXIT; becket_line=$1; shift; eval \"$becket_line\"; \
         {{ becket_code=$?; \\trap - DEBUG; \\unset -f builtin exit; {write}; }} >/dev/null 2>&1; \
         \\builtin exit \"$becket_code\""
    )
}
