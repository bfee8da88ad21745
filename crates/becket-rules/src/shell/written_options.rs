//! Options that make a command write which otherwise only reads (rule P5): `sort -o file`, `git log --output=file`. A
//! rule for the command covers them only if it spells them out.

use super::arg::Arg;
use super::positions::Positions;

/// Options of some commands that name a file to write.
#[derive(Debug)]
struct WritingOption {
    commands: &'static [&'static str],
    /// The words of which one comes first, if the command has subcommands.
    subcommands: &'static [&'static str],
    /// Letters of short options.
    short: &'static str,
    /// Long options; a prefix of one counts.
    long: &'static [&'static str],
}

const fn option(
    commands: &'static [&'static str],
    subcommands: &'static [&'static str],
    short: &'static str,
    long: &'static [&'static str],
) -> WritingOption {
    WritingOption { commands, subcommands, short, long }
}

/// Subcommands of git that show something, and share the options of `git diff`.
const GIT_SHOWS: &[&str] = &[
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "log",
    "range-diff",
    "reflog",
    "shortlog",
    "show",
    "stash",
    "whatchanged",
];

const NPM_SHOWS: &[&str] = &[
    "audit", "bin", "explain", "find", "help", "info", "la", "list", "ll", "ls", "outdated", "ping",
    "prefix", "query", "root", "s", "search", "show", "v", "view", "why", "whoami",
];

const PIP_SHOWS: &[&str] =
    &["check", "debug", "freeze", "help", "index", "inspect", "list", "search", "show"];

const OPTIONS: &[WritingOption] = &[
    option(&["git"], GIT_SHOWS, "", &["output"]),
    option(&["sort", "gsort", "shuf", "gshuf", "iconv", "sdiff", "tree"], &[], "o", &["output"]),
    option(&["less"], &[], "oO", &["log-file", "LOG-FILE"]),
    option(&["history"], &[], "aw", &[]),
    option(&["ssh", "slogin"], &[], "E", &[]),
    option(&["file"], &[], "C", &["compile"]),
    option(&["yq"], &[], "i", &["inplace", "in-place"]),
    option(&["npm", "pnpm"], NPM_SHOWS, "", &["cache", "logs-dir"]),
    option(&["pip", "pip3"], PIP_SHOWS, "", &["log", "log-file", "local-log", "cache-dir"]),
    option(&["tar", "gtar"], &[], "g", &["index-file", "listed-incremental", "volno-file"]),
];

/// Commands whose second operand is a file that they write.
const IN_AND_OUT: &[&str] = &["uniq", "guniq", "xxd"];

/// Returns the index of the last argument that makes a command write which otherwise only reads.
pub(crate) fn writes_at(name: &str, args: &[Arg]) -> Option<usize> {
    let options = OPTIONS.iter().filter(|option| option.means(name, args));
    let by_option = options.filter_map(|option| option.last(name, args)).max();
    let operands = || Positions::of(name, args).map(|positions| positions.operands);
    let second = IN_AND_OUT.contains(&name).then(operands).flatten().and_then(|at| at.get(1).copied());
    by_option.max(second)
}

/// Returns whether a command has such options.
pub(crate) fn has_any(name: &str, args: &[Arg]) -> bool {
    OPTIONS.iter().any(|option| option.means(name, args))
}

impl WritingOption {
    fn means(&self, name: &str, args: &[Arg]) -> bool {
        let first = || args.iter().skip(1).find(|arg| !arg.text.starts_with('-'));
        // The rule is for reading if it lists an archive; all other rules for tar write.
        let lists = |mode: &str| {
            let letters = mode.strip_prefix('-').unwrap_or(mode);
            matches!(mode, "--list") || (!letters.starts_with('-') && letters.contains('t'))
        };
        let of_tar = !self.commands.contains(&"tar") || args.get(1).is_some_and(|arg| lists(&arg.text));
        self.commands.contains(&name)
            && of_tar
            && (self.subcommands.is_empty()
                || args.iter().any(|arg| self.subcommands.contains(&arg.text.as_str()))
                || first().is_some_and(|arg| arg.dynamic))
    }

    /// Returns the index of the last argument that is the option: as the table of files reads them, or else by its
    /// text.
    fn last(&self, name: &str, args: &[Arg]) -> Option<usize> {
        if let Some(positions) = Positions::of(name, args).filter(|positions| positions.certain) {
            let named = |(option, _): &&(String, usize)| {
                self.long.contains(&option.as_str())
                    || (option.len() == 1 && self.short.contains(option.as_str()))
            };
            return positions.options.iter().filter(named).map(|(_, at)| *at).max();
        }
        let end = args.iter().position(|arg| arg.text == "--").unwrap_or(args.len());
        args.get(..end)?.iter().rposition(|arg| match arg.text.strip_prefix("--") {
            Some(long) => {
                let typed = long.split('=').next().unwrap_or_default();
                typed.len() > 2 && self.long.iter().any(|long| long.starts_with(typed))
            }
            None => arg.text.starts_with('-') && arg.text.contains(|letter| self.short.contains(letter)),
        })
    }
}
