//! Programs in the values of variables: `GIT_EDITOR='…' git commit`, `LESSOPEN='|…' less x` (rule P6).
//!
//! A variable counts wherever the line sets it, whether or not a command reads it afterwards: most of them are inherited.

use super::arg::Arg;
use super::context::Context;
use super::git_settings;
use super::refusal::UnknownReason;
use super::walk::Walk;

/// Variables whose value a shell runs, besides those whose names end in [`ENDINGS`].
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
    "HARNESS_PERL",
    "LESSCLOSE",
    "LESSOPEN",
    "PAGER",
    "RESTIC_PASSWORD_COMMAND",
    "RSYNC_CONNECT_PROG",
    "RSYNC_RSH",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "SVN_SSH",
    "VISUAL",
];

/// Ends of the names of further variables: `GIT_PAGER`, `MANPAGER`, `GIT_SEQUENCE_EDITOR`, `SSH_ASKPASS`.
const ENDINGS: &[&str] = &["PAGER", "EDITOR", "ASKPASS"];

/// Variables that contain options of a command, with the command: they are split like a line of it.
const OPTIONS: &[(&str, &str)] = &[("ZIPOPT", "zip"), ("ZIP", "zip"), ("MANOPT", "man"), ("GOFLAGS", "go")];

/// Variables that contain commands of an editor.
const EDITOR_COMMANDS: &[&str] = &["VIMINIT", "GVIMINIT", "EXINIT"];

/// Variables that name a file of settings with programs.
const SETTINGS: &[&str] = &["APT_CONFIG", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];

impl Walk {
    /// Looks for a program in `value`, which the variable `name` is set to.
    pub(crate) fn program_variable(&mut self, name: &str, value: &Arg, context: &Context) {
        let inner = context.through(name);
        let text = value.text.as_str();
        let command = |command: &str, own: Vec<Arg>| {
            std::iter::once(Arg::literal(command)).chain(own).collect::<Vec<Arg>>()
        };
        if PROGRAMS.contains(&name) || ENDINGS.iter().any(|end| name.ends_with(end)) {
            // `LESSOPEN` starts with marks for the use of the output.
            let text = text.trim_start_matches(['|', '-']);
            if !text.trim().is_empty() {
                self.shell_text(text, value.dynamic, &inner);
            }
        } else if name.starts_with("GIT_CONFIG_VALUE_") {
            // The name of the setting is in another variable.
            let text = text.strip_prefix('!').or_else(|| text.strip_prefix("ext::")).unwrap_or(text);
            self.shell_text(text, value.dynamic, &inner);
        } else if name.starts_with("GIT_CONFIG_KEY_") && text.eq_ignore_ascii_case(git_settings::CORRECTS) {
            self.unknown(UnknownReason::ProgramText(value.raw.clone()), false);
        } else if name == "GIT_CONFIG_PARAMETERS" {
            for pair in quoted_words(text).iter().filter(|pair| pair.contains('=')) {
                self.git(&command("git", vec![Arg::literal("-c"), value.part(pair)]), &inner);
            }
        } else if name == "TAR_OPTIONS" {
            let words = text.replace("\\ ", "\u{0}");
            let words = words.split_whitespace().map(|word| value.part(&word.replace('\u{0}', " ")));
            self.option_programs("tar", &command("tar", words.collect()), &inner);
        } else if let Some((_, program)) = OPTIONS.iter().find(|(known, _)| *known == name) {
            let words = quoted_words(text).into_iter().map(|word| value.part(&word));
            self.option_programs(program, &command(program, words.collect()), &inner);
        } else if let Some((_, text)) = text.split_once('+').filter(|_| name == "LESS") {
            // The rest of the value, blanks included, is a command of `less`.
            self.option_programs("less", &command("less", vec![value.part(&format!("+{text}"))]), &inner);
        } else if EDITOR_COMMANDS.contains(&name) {
            self.option_programs("vim", &command("vim", vec![Arg::literal("-c"), value.clone()]), &inner);
        } else if SETTINGS.contains(&name) {
            self.option_programs("apt", &command("apt", vec![Arg::literal("-c"), value.clone()]), &inner);
        } else if let Some(key) = npm_key(name) {
            let option = value.part(&format!("--{}={text}", key.to_ascii_lowercase().replace('_', "-")));
            self.option_programs("npm", &command("npm", vec![option]), &inner);
        }
    }

    /// Looks for programs in each `NAME=value` among arguments.
    pub(crate) fn program_variables(&mut self, args: &[Arg], context: &Context) {
        for arg in args {
            if let Some((name, value)) = arg.text.split_once('=') {
                self.program_variable(name, &arg.part(value), context);
            }
        }
    }
}

/// Returns the option of npm that a variable sets.
fn npm_key(name: &str) -> Option<&str> {
    let (prefix, key) = name.split_at_checked("npm_config_".len())?;
    prefix.eq_ignore_ascii_case("npm_config_").then_some(key)
}

/// Returns the words of a text as a shell splits them: quotes removed, nothing expanded.
fn quoted_words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None | Some(_), c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
