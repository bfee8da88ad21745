//! Programs in the values of variables: `GIT_EDITOR='…' git commit`, `LESSOPEN='|…' less x` (rule P6).
//!
//! A variable counts wherever the line sets it, whether or not a command reads it afterwards: most of them are inherited.

use super::arg::Arg;
use super::context::Context;
use super::walk::Walk;

/// Variables whose value a shell runs, beside those whose names end in [`ENDINGS`].
const PROGRAMS: &[&str] = &[
    "BORG_PASSCOMMAND",
    "BORG_RSH",
    "BROWSER",
    "CVS_RSH",
    "EDITOR",
    "FCEDIT",
    "FZF_DEFAULT_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "LESSCLOSE",
    "LESSOPEN",
    "PAGER",
    "RESTIC_PASSWORD_COMMAND",
    "RSYNC_CONNECT_PROG",
    "RSYNC_RSH",
    "SVN_SSH",
    "VISUAL",
];

/// Ends of the names of further ones: `GIT_PAGER`, `MANPAGER`, `GIT_SEQUENCE_EDITOR`, `SSH_ASKPASS`.
const ENDINGS: &[&str] = &["PAGER", "EDITOR", "ASKPASS"];

impl Walk {
    /// Looks for a program in `value`, which the variable `name` is set to.
    pub(crate) fn program_variable(&mut self, name: &str, value: &Arg, context: &Context) {
        let inner = context.through(name);
        let text = value.text.as_str();
        if PROGRAMS.contains(&name) || ENDINGS.iter().any(|end| name.ends_with(end)) {
            // `LESSOPEN` says with marks in front what becomes of the output.
            let text = text.trim_start_matches(['|', '-']);
            if !text.trim().is_empty() {
                self.shell_text(text, value.dynamic, &inner);
            }
        } else if name.starts_with("GIT_CONFIG_VALUE_") {
            // The name of the setting is in another variable.
            let text = text.strip_prefix('!').unwrap_or(text);
            self.shell_text(text, value.dynamic, &inner);
        } else if name == "GIT_CONFIG_PARAMETERS" {
            let pairs = text.split('\'').filter(|pair| pair.contains('='));
            for pair in pairs {
                let command = [Arg::literal("git"), Arg::literal("-c"), value.part(pair)];
                self.git(&command, &inner);
            }
        } else if name == "TAR_OPTIONS" {
            let words = text.replace("\\ ", "\u{0}");
            let words = words.split_whitespace().map(|word| value.part(&word.replace('\u{0}', " ")));
            let command: Vec<Arg> = std::iter::once(Arg::literal("tar")).chain(words).collect();
            self.option_programs("tar", &command, &inner);
        }
    }

    /// The same for each `NAME=value` among arguments.
    pub(crate) fn program_variables(&mut self, args: &[Arg], context: &Context) {
        for arg in args {
            if let Some((name, value)) = arg.text.split_once('=') {
                self.program_variable(name, &arg.part(value), context);
            }
        }
    }
}
