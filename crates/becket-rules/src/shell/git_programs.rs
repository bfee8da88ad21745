//! Programs in the arguments of git: options, settings and addresses whose text git runs (rule P6).
//!
//! A subcommand counts wherever its name is a word, and a setting wherever one may be. Treating too much as a program
//! is harmless, since only its text decides what matches.

use std::borrow::Cow;

use super::arg::Arg;
use super::git_settings;
use super::options::{ParsedOption, Syntax};

/// A program in the arguments of a `git` command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GitProgram {
    /// The index of the option, or of the word, that a program follows.
    pub(crate) option: usize,
    /// The index of the argument that contains the program.
    pub(crate) at: usize,
    pub(crate) runs: Runs,
    pub(crate) text: String,
}

/// The way in which git runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runs {
    /// Run by a shell.
    Text,
    /// Split at blanks, with more arguments appended.
    Words,
    /// The address of a remote after `ext::`: split at blanks, but not at `% `.
    Address,
    /// The arguments from here on are joined, and run by a shell.
    Rest,
    /// The arguments from here on are a command.
    Command,
    /// The arguments from here on are the arguments of another `git`.
    Git,
    /// A key and the name of the variable that has its value.
    Environment,
    /// Known only at run time.
    Unknown,
}

/// Subcommands with options whose value is a program.
#[derive(Debug)]
struct Subcommand {
    names: &'static [&'static str],
    /// Its options with a value, and all that such a cluster or beginning could be read as.
    syntax: Syntax,
    /// The options whose value a shell runs.
    programs: &'static [&'static str],
    /// The options whose value is a setting.
    settings: &'static [&'static str],
}

const fn subcommand(
    names: &'static [&'static str],
    short: &'static str,
    long: &'static str,
    programs: &'static [&'static str],
) -> Subcommand {
    Subcommand { names, syntax: Syntax { short, long }, programs, settings: &[] }
}

const UPLOAD: &[&str] = &["upload-pack", "exec"];
const RECEIVE: &[&str] = &["receive-pack", "exec"];

const SUBCOMMANDS: &[Subcommand] = &[
    subcommand(&["rebase"], "C:S::X:fimnqr::s:vx:", "exec:", &["x", "exec"]),
    subcommand(&["difftool"], "G:O:S:U:dgl:t:x:y", "extcmd:", &["x", "extcmd"]),
    subcommand(
        &["grep"],
        "A:B:C:EFGHILO::PWace:f:hilm:noprqvwz",
        "open-files-in-pager::",
        &["O", "open-files-in-pager"],
    ),
    subcommand(&["fetch", "pull"], "", "upload-pack:", UPLOAD),
    subcommand(&["ls-remote", "fetch-pack", "peek-remote"], "", "upload-pack: exec:", UPLOAD),
    Subcommand {
        settings: &["c", "config"],
        ..subcommand(
            &["clone"],
            "b:c:j:lno:qsu:v",
            "upload-pack: config: template:",
            &["u", "upload-pack", "template"],
        )
    },
    subcommand(&["push", "send-pack"], "", "receive-pack: exec:", RECEIVE),
    subcommand(&["archive"], "", "exec:", &["exec"]),
    subcommand(&["filter-branch"], "", "setup:", &["setup"]),
    subcommand(&["instaweb"], "b:d:lm:p:", "browser: httpd:", &["b", "browser", "d", "httpd"]),
    subcommand(&["svn"], "", "authors-prog:", &["authors-prog"]),
    subcommand(&["daemon"], "", "access-hook:", &["access-hook"]),
];

/// Options of `send-email` whose value a shell runs, without their dashes: one dash or two, in any case.
const MAIL_OPTIONS: &[&str] = &["sendmail-cmd", "to-cmd", "cc-cmd", "header-cmd"];

/// Options of some subcommand whose value a shell runs, for subcommands that are an alias or known only at run time.
const TEXT_OPTIONS: &[&str] =
    &["--exec", "--extcmd", "--upload-pack", "--receive-pack", "--open-files-in-pager"];

/// Returns the programs in `args`, of which the first is `git`.
pub(crate) fn programs(args: &[Arg]) -> Vec<GitProgram> {
    let mut found: Vec<GitProgram> = SUBCOMMANDS.iter().flat_map(|entry| entry.programs(args)).collect();
    found.extend(in_options(args));
    found.extend(of_mail(args));
    found.extend(in_settings(args));
    found.extend(in_addresses(args));
    found.extend(command_after(args, &["submodule", "foreach"], 0, Runs::Rest));
    found.extend(command_after(args, &["submodule--helper", "foreach"], 0, Runs::Rest));
    found.extend(command_after(args, &["bisect", "run"], 0, Runs::Command));
    found.extend(command_after(args, &["merge-index"], 0, Runs::Command));
    found.extend(command_after(args, &["for-each-repo"], 0, Runs::Git));
    // Its first operand is the name of a remote.
    found.extend(command_after(args, &["remote-ext"], 1, Runs::Address));
    // An empty text only takes back what another option or setting says.
    found.retain(|program| !program.text.trim().is_empty());
    found
}

/// Returns the subcommand's index, if one of the words is its name.
fn word(args: &[Arg], names: &[&str]) -> Option<usize> {
    args.iter().skip(1).position(|arg| names.contains(&arg.text.as_str())).map(|at| at + 1)
}

impl Subcommand {
    /// Returns the index of its name, or of a setting that makes another name an alias for it.
    fn word(&self, args: &[Arg]) -> Option<usize> {
        let means = |arg: &Arg| git_settings::alias(&arg.text).is_some_and(|name| self.names.contains(&name));
        word(args, self.names).or_else(|| args.iter().position(means))
    }

    /// Returns the options after its name.
    fn options(&self, args: &[Arg]) -> Vec<ParsedOption> {
        let mut found = Vec::new();
        let mut from = self.word(args).map_or(args.len(), |at| at + 1);
        while from < args.len() {
            let options = self.syntax.read(args, from);
            found.extend(options.given);
            // Options may follow operands, but not `--`.
            if options.ended {
                break;
            }
            from = options.operand + 1;
        }
        found
    }

    fn programs(&self, args: &[Arg]) -> Vec<GitProgram> {
        let mut found = Vec::new();
        for given in self.options(args) {
            let Some(value) = given.value else { continue };
            let (option, at) = (given.at, given.value_at);
            let program = |(runs, text)| GitProgram { option, at, runs, text };
            if self.programs.contains(&given.name.as_str()) {
                found.push(program((Runs::Text, value.text)));
            } else if self.settings.contains(&given.name.as_str()) {
                found.extend(git_settings::setting(&value.text).map(program));
            }
        }
        found
    }
}

/// Returns the indexes of arguments that are the value of the option before them.
pub(crate) fn option_values(args: &[Arg]) -> Vec<usize> {
    let given = SUBCOMMANDS.iter().flat_map(|entry| entry.options(args));
    given.filter(|given| given.value_at > given.at).map(|given| given.value_at).collect()
}

/// Returns the programs of options that some subcommand has, written out far enough to be no other option.
fn in_options(args: &[Arg]) -> impl Iterator<Item = GitProgram> {
    args.iter().enumerate().skip(1).filter_map(|(option, arg)| {
        let (name, at, text) = value_of(&arg.text, args, option)?;
        is_text_option(name).then(|| GitProgram { option, at, runs: Runs::Text, text: text.to_owned() })
    })
}

/// Returns the name of the option `typed`, and the index and the text of its value: attached, or the argument after the
/// one at `option`.
fn value_of<'a>(typed: &'a str, args: &'a [Arg], option: usize) -> Option<(&'a str, usize, &'a str)> {
    match typed.split_once('=') {
        Some((name, text)) => Some((name, option, text)),
        None => Some((typed, option + 1, args.get(option + 1)?.text.as_str())),
    }
}

/// Returns whether the name is one of the options, or a prefix of one.
fn is_text_option(name: &str) -> bool {
    let begins = |option: &&str| name.len() > "--exe".len() && option.starts_with(name);
    TEXT_OPTIONS.iter().any(begins) || (name.starts_with("--") && name.ends_with("-filter"))
}

/// Returns the programs in the options of `git send-email`.
fn of_mail(args: &[Arg]) -> impl Iterator<Item = GitProgram> {
    let from = word(args, &["send-email"]).map_or(args.len(), |at| at + 1);
    args.iter().enumerate().skip(from).filter_map(|(option, arg)| {
        let typed = arg.text.strip_prefix('-')?;
        let typed = typed.strip_prefix('-').unwrap_or(typed);
        let (name, at, text) = value_of(typed, args, option)?;
        let name = name.to_ascii_lowercase();
        // `--to` and `--cc` are options of their own.
        let runs = name.len() > 2 && MAIL_OPTIONS.iter().any(|known| known.starts_with(&name));
        let server = name == "smtp-server" && text.starts_with('/');
        (runs || server).then(|| GitProgram { option, at, runs: Runs::Text, text: text.to_owned() })
    })
}

/// Returns the programs in settings: of `-c`, `--config`, `--config-env`, and those that `git config` writes.
fn in_settings(args: &[Arg]) -> Vec<GitProgram> {
    let mut found = Vec::new();
    for (option, arg) in args.iter().enumerate().skip(1) {
        let next = args.get(option + 1);
        let text = arg.text.as_str();
        let pair = matches!(text, "-c" | "--config") || (arg.dynamic && arg.could_be(&["-c"]));
        let attached = text.strip_prefix("--config=").map(|pair| (option, pair));
        let following = next.filter(|_| pair).map(|next| (option + 1, next.text.as_str()));
        for (at, pair) in attached.into_iter().chain(following) {
            let program = |(runs, text)| GitProgram { option, at, runs, text };
            found.extend(git_settings::setting(pair).map(program));
        }
        let attached = text.strip_prefix("--config-env=").map(|pair| (option, pair));
        let following = next.filter(|_| text == "--config-env").map(|next| (option + 1, next.text.as_str()));
        for (at, pair) in attached.into_iter().chain(following) {
            if pair.rsplit_once('=').is_some_and(|(key, _)| git_settings::may_run(key)) {
                found.push(GitProgram { option, at, runs: Runs::Environment, text: pair.to_owned() });
            }
        }
    }
    for (at, pair) in written(args) {
        let program = |(runs, text)| GitProgram { option: at - 1, at, runs, text };
        found.extend(git_settings::setting(&pair).map(program));
    }
    found
}

/// Returns the programs in addresses of remotes: `ext::program`, also if a setting puts `ext::` in front, or if one
/// names the transport.
fn in_addresses(args: &[Arg]) -> Vec<GitProgram> {
    let mut found = Vec::new();
    let settings = settings(args);
    let insertions: Vec<(&str, &str)> =
        settings.iter().filter_map(|(_, pair)| git_settings::insertion(pair)).collect();
    let transport = settings.iter().find(|(_, pair)| git_settings::is_transport(pair));
    let texts = args.iter().enumerate().skip(1).map(|(at, arg)| (at, arg.text.as_str()));
    let values = settings.iter().filter_map(|(at, pair)| Some((*at, pair.split_once('=')?.1)));
    for (at, text) in texts.chain(values) {
        let mut add = |text: &str| {
            found.push(GitProgram { option: at, at, runs: Runs::Address, text: text.to_owned() });
        };
        text.strip_prefix("ext::").into_iter().for_each(&mut add);
        for (base, start) in insertions.iter().take(MOST_INSERTIONS) {
            let address = text.strip_prefix(start).map(|rest| format!("{base}{rest}"));
            address.as_deref().and_then(|text| text.strip_prefix("ext::")).into_iter().for_each(&mut add);
        }
    }
    if transport.is_some() {
        let url = |(at, pair): &(usize, Cow<'_, str>)| Some((*at, git_settings::url(pair)?.to_owned()));
        let urls = settings.iter().filter_map(url);
        found.extend(urls.map(|(at, text)| GitProgram { option: at, at, runs: Runs::Address, text }));
    }
    let hides =
        insertions.len() > MOST_INSERTIONS || insertions.iter().any(|(base, _)| base.starts_with("ext::"));
    let last = settings.last().filter(|_| hides);
    if let Some((at, pair)) = transport.or(last) {
        found.push(GitProgram { option: *at, at: *at, runs: Runs::Unknown, text: pair.to_string() });
    }
    found
}

/// The maximum number of settings that replace the start of addresses, before the addresses are unknown.
const MOST_INSERTIONS: usize = 8;

/// Returns everything that may be a setting, with the index of its value: words with a `=`, and of `git config` each
/// word with the one before it.
fn settings(args: &[Arg]) -> Vec<(usize, Cow<'_, str>)> {
    let words = args.iter().enumerate().skip(1).filter(|(_, arg)| arg.text.contains('='));
    let mut settings: Vec<(usize, Cow<'_, str>)> =
        words.map(|(at, arg)| (at, Cow::Borrowed(arg.text.as_str()))).collect();
    settings.extend(written(args).map(|(at, pair)| (at, Cow::Owned(pair))));
    settings
}

/// Returns the settings that `git config` may write, with the index of the value.
fn written(args: &[Arg]) -> impl Iterator<Item = (usize, String)> {
    let from = word(args, &["config"]).map_or(args.len(), |at| at + 1);
    let pairs = args.get(from..).unwrap_or_default().windows(2).enumerate();
    let keys = pairs.filter(|(_, pair)| pair[0].text.contains('.') && !pair[0].text.contains('='));
    keys.map(move |(at, pair)| (from + at + 1, format!("{}={}", pair[0].text, pair[1].text)))
}

/// Returns the command after words in this order, its options and `skipped` operands: `git bisect run command`.
fn command_after(args: &[Arg], words: &[&str], skipped: usize, runs: Runs) -> Option<GitProgram> {
    let mut at = 1;
    for word in words {
        at += args.get(at..)?.iter().position(|arg| arg.text == *word)? + 1;
    }
    let is_option = |arg: &&Arg| arg.text.starts_with('-');
    let options = args.get(at..)?.iter().take_while(is_option).count();
    let first = args.get(at + options + skipped)?;
    Some(GitProgram { option: at - 1, at: at + options + skipped, runs, text: first.text.clone() })
}
