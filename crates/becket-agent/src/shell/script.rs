//! The text that runs a line and then writes down where its shell is.
//!
//! The line is evaluated as it is, as one argument: nothing in it can end the text around it. Where it ends its own shell
//! (`exit`, `set -e`, an unset variable under `set -u`, a signal), a trap writes; where it comes to its end, the text
//! itself does, so that a line may have an EXIT trap of its own. What writes prints nothing, is moved by no alias, option,
//! trap or closed stream of the line, and is not a file that a child of the line holds open.
//!
//! What is written ends with a line that says that it is whole.
//!
//! Not written down, so that the session stays where it was: the directory of a shell that was replaced (`exec`), killed,
//! or left by `exit` behind an EXIT trap of the line's own.
//!
//! What is written is no proof: a line that wants to can write there, too. It gains nothing that `cd` does not give it:
//! [`super::whereabouts`] judges every directory in the same way.

use std::ffi::OsString;

/// The arguments of a shell that evaluates `line` and writes its directory to `report`.
pub(super) fn tracked(shell: OsString, line: &str, report: &str) -> Vec<OsString> {
    vec!["-c".into(), text(report).into(), shell, line.into()]
}

fn text(report: &str) -> String {
    // A line may have limited the size of files: a signal for it must not turn success into failure.
    let write = format!(
        "\\builtin set +vxeu; \\trap '' XFSZ; {{ \\builtin pwd -P; \\builtin echo .; }} >|{}",
        quoted(report)
    );
    let trap = quoted(&format!("{{ {write}; }} >/dev/null 2>&1"));
    format!(
        "trap {trap} EXIT; becket_line=$1; shift; eval \"$becket_line\"; \
         {{ becket_code=$?; \\trap - DEBUG; \\unset -f builtin exit; {write}; }} >/dev/null 2>&1; \
         \\builtin exit \"$becket_code\""
    )
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
