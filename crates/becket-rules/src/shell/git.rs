//! Programs that git runs because of its arguments (rule P6): `-c core.sshCommand=…`, `rebase --exec` and similar ones.

use super::arg::Arg;
use super::context::Context;
use super::dialect::Dialect;
use super::walk::Walk;

/// Options of some subcommand whose value a shell runs.
const TEXT_OPTIONS: &[&str] =
    &["--exec", "--extcmd", "--upload-pack", "--receive-pack", "--open-files-in-pager"];

/// Short options of the same kind, and the subcommands that have them.
const SHORT_OPTIONS: &[(&str, &str)] =
    &[("rebase", "-x"), ("difftool", "-x"), ("grep", "-O"), ("clone", "-u")];

/// Last parts of the settings that hold a program.
const PROGRAM_KEYS: &[&str] = &[
    "askpass",
    "clean",
    "cmd",
    "command",
    "difffilter",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "gitproxy",
    "helper",
    "packobjectshook",
    "pager",
    "process",
    "program",
    "receivepack",
    "smudge",
    "sshcommand",
    "textconv",
    "tocmd",
    "cccmd",
    "uploadpack",
];

impl Walk {
    /// Finds the programs in the arguments of a `git` command.
    pub(crate) fn git(&mut self, args: &[Arg], context: &Context) {
        let is = |text: &str| args.iter().any(|arg| arg.text == text);
        let short: Vec<&str> = SHORT_OPTIONS
            .iter()
            .filter(|(subcommand, _)| is(subcommand))
            .map(|(_, option)| *option)
            .collect();
        for (at, arg) in args.iter().enumerate().skip(1) {
            let next = args.get(at + 1);
            let text = arg.text.as_str();
            let attached = match text.split_once('=') {
                Some((name, value)) if is_text_option(name) => Some(value),
                _ => short.iter().find_map(|option| text.strip_prefix(option)),
            };
            match (attached, next) {
                (Some(""), Some(value)) => self.shell_text(&value.text, value.dynamic, context),
                (Some(value), _) => self.shell_text(value, arg.dynamic, context),
                (None, Some(value)) if is_text_option(text) => {
                    self.shell_text(&value.text, value.dynamic, context);
                }
                (None, Some(pair)) if text == "-c" => self.git_setting(pair, context),
                (None, _) => {}
            }
            if let Some(words) = text.strip_prefix("ext::") {
                self.words_of(words, arg, context);
            }
        }
        if let (true, Some(at)) = (is("submodule"), args.iter().position(|arg| arg.text == "foreach")) {
            let rest = &args[at + 1..];
            let options = rest.iter().take_while(|arg| arg.text.starts_with('-')).count();
            let context = Context { dialect: Dialect::Posix, ..context.clone() };
            self.joined(&rest[options..], &context);
        }
    }

    /// `section.key=value`: a program of the shell's, or `alias.name`: a subcommand unless it starts with `!`.
    fn git_setting(&mut self, pair: &Arg, context: &Context) {
        let Some((key, value)) = pair.text.split_once('=') else { return };
        let key = key.to_ascii_lowercase();
        let last = key.rsplit('.').next().unwrap_or_default();
        let alias = key.starts_with("alias.");
        match value.strip_prefix('!') {
            Some(text) => self.shell_text(text, pair.dynamic, context),
            None if alias => self.words_of(&format!("git {value}"), pair, context),
            None if PROGRAM_KEYS.contains(&last) || key.starts_with("pager.") => {
                self.shell_text(value, pair.dynamic, context);
            }
            None => {}
        }
    }
}

fn is_text_option(name: &str) -> bool {
    TEXT_OPTIONS.contains(&name) || (name.starts_with("--") && name.ends_with("-filter"))
}
