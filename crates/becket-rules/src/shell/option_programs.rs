//! Programs in the value of an option: `tar --to-command='…'`, `ssh -o ProxyCommand='…'` (rule P6).
//!
//! These commands have more options than are listed here, so their arguments are searched rather than parsed: a word
//! that may be the option counts as it. Taking too much for a program does no harm, since only its text decides what
//! matches.

use super::arg::Arg;
use super::context::Context;
use super::refusal::UnknownReason;
use super::walk::Walk;

/// The way in which an option's value is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// By a shell.
    Text,
    /// Split at blanks, with more arguments behind it.
    Words,
    /// As one program, with more arguments behind it.
    Program,
    /// As one program, alone or with `-d`.
    Filter,
    /// By a shell, where it follows one of these keys and a `=` or a blank; in upper or lower case.
    Keyed(&'static [&'static str]),
    /// By a shell, where it starts with one of these marks.
    Marked(&'static [&'static str]),
}

/// Options of some commands whose value is run.
#[derive(Debug)]
struct ProgramOption {
    commands: &'static [&'static str],
    /// Letters of short options.
    short: &'static str,
    /// Long options; a beginning of one counts.
    long: &'static [&'static str],
    runs: Runs,
}

const fn option(
    commands: &'static [&'static str],
    short: &'static str,
    long: &'static [&'static str],
    runs: Runs,
) -> ProgramOption {
    ProgramOption { commands, short, long, runs }
}

const TAR: &[&str] = &["tar", "gtar", "bsdtar", "star"];
const SSH: &[&str] = &["ssh", "slogin", "scp", "sftp", "ssh-copy-id", "autossh", "sshfs", "ssh-keyscan"];
const NETCAT: &[&str] = &["nc", "ncat", "netcat", "nc.traditional", "nc.openbsd"];

const NPM: &[&str] = &["npx", "npm", "bunx", "pnpx"];
const VIM: &[&str] = &["vim", "vi", "nvim", "view", "ex", "gvim", "vimdiff"];

/// The keys of ssh's configuration that hold a program.
const SSH_KEYS: &[&str] = &["proxycommand", "localcommand", "knownhostscommand", "ssh_command"];

/// The keys of apt's configuration that hold programs end in these.
const APT_KEYS: &[&str] =
    &["invoke", "invoke::", "invoke-success", "invoke-success::", "install-pkgs", "install-pkgs::"];

const OPTIONS: &[ProgramOption] = &[
    option(
        TAR,
        "F",
        &["to-command", "info-script", "new-volume-script", "rsh-command", "rmt-command"],
        Runs::Text,
    ),
    option(TAR, "I", &["use-compress-program"], Runs::Words),
    option(TAR, "", &["checkpoint-action"], Runs::Keyed(&["exec"])),
    option(&["split", "gsplit"], "", &["filter"], Runs::Text),
    option(&["sort", "gsort"], "", &["compress-program"], Runs::Filter),
    option(&["install", "ginstall"], "", &["strip-program"], Runs::Program),
    option(&["rsync"], "e", &["rsh"], Runs::Words),
    option(&["rsync"], "", &["rsync-path"], Runs::Text),
    option(SSH, "o", &[], Runs::Keyed(SSH_KEYS)),
    option(&["scp", "sftp"], "S", &[], Runs::Program),
    option(&["sftp"], "D", &[], Runs::Words),
    option(&["mosh"], "", &["ssh", "client", "server"], Runs::Words),
    option(&["man"], "P", &["pager"], Runs::Text),
    option(&["man"], "H", &["html"], Runs::Words),
    option(&["zip"], "T", &["unzip-command"], Runs::Text),
    option(NETCAT, "c", &["sh-exec"], Runs::Text),
    option(NETCAT, "e", &["exec", "lua-exec"], Runs::Words),
    option(&["cpio", "gcpio"], "", &["rsh-command"], Runs::Words),
    option(&["wget"], "", &["use-askpass"], Runs::Program),
    option(&["tcpdump"], "z", &[], Runs::Program),
    option(&["strace"], "o", &["output"], Runs::Marked(&["|", "!"])),
    option(&["dpkg"], "", &["pre-invoke", "post-invoke", "status-logger"], Runs::Text),
    option(&["apt", "apt-get", "aptitude"], "o", &["option"], Runs::Keyed(APT_KEYS)),
    option(&["su", "runuser", "script"], "c", &["command", "session-command"], Runs::Text),
    option(&["nodemon"], "x", &["exec"], Runs::Text),
    option(NPM, "c", &["call"], Runs::Text),
    option(&["cargo", "cargo-watch"], "s", &["shell"], Runs::Text),
    option(VIM, "cS", &["cmd"], Runs::Marked(&["!", ":!", "silent !", "silent! !"])),
    option(&["psql"], "c", &["command"], Runs::Marked(&["\\!"])),
    option(&["mysql", "mariadb"], "e", &["execute"], Runs::Marked(&["\\!", "system "])),
    option(&["gdbserver"], "", &["wrapper"], Runs::Text),
    option(
        &["parallel"],
        "",
        &["ssh", "rsync-opts", "use-compress-program", "use-decompress-program"],
        Runs::Words,
    ),
];

impl Walk {
    /// The programs in a command's options.
    pub(crate) fn option_programs(&mut self, name: &str, args: &[Arg], context: &Context) {
        for option in OPTIONS.iter().filter(|option| option.commands.contains(&name)) {
            for given in option.values(args) {
                if self.is_full() {
                    return self.unknown(UnknownReason::TooComplex, true);
                }
                self.option_value(option.runs, &given.value, context);
            }
        }
    }

    fn option_value(&mut self, runs: Runs, value: &Arg, context: &Context) {
        match runs {
            Runs::Text => self.shell_text(&value.text, value.dynamic, context),
            Runs::Words => self.words_of(&value.text, value, context),
            Runs::Program => self.run(&[value.clone(), Arg::open()], context),
            Runs::Filter => {
                self.run(std::slice::from_ref(value), context);
                self.run(&[value.clone(), Arg::literal("-d")], context);
            }
            Runs::Keyed(_) | Runs::Marked(_) => match runs.text(&value.text) {
                Some(text) => self.shell_text(text, value.dynamic, context),
                None if value.dynamic
                    && matches!(runs, Runs::Keyed(_))
                    && !value.text.contains(['=', ' ']) =>
                {
                    self.unknown(UnknownReason::ProgramText(value.raw.clone()), false);
                }
                None => {}
            },
        }
    }

    /// A text that a program splits at blanks, and to which it appends arguments.
    pub(crate) fn words_of(&mut self, text: &str, value: &Arg, context: &Context) {
        let mut words: Vec<Arg> = text.split_whitespace().map(|word| value.part(word)).collect();
        words.push(Arg::open());
        self.run(&words, context);
    }
}

impl Runs {
    /// The program in an option's value, if it holds one.
    fn text(self, value: &str) -> Option<&str> {
        match self {
            Self::Text | Self::Words | Self::Program | Self::Filter => Some(value),
            // `key=value`, `key value` and `key = value` are the same to ssh.
            Self::Keyed(keys) => {
                let (key, text) = value.trim_start().split_once(['=', ' ', '\t'])?;
                let key = key.to_ascii_lowercase();
                let text = text.trim_start();
                keys.iter().any(|known| key.ends_with(known)).then(|| text.strip_prefix('=').unwrap_or(text))
            }
            Self::Marked(marks) => marks.iter().find_map(|mark| value.strip_prefix(mark)),
        }
    }
}

/// Something that may be the value of an option.
#[derive(Debug)]
struct GivenValue {
    /// The index of the argument that is the option.
    at: usize,
    value: Arg,
}

/// Returns the index of the last argument that an allow rule must spell out, since a program is named there.
pub(crate) fn named_at(name: &str, args: &[Arg]) -> Option<usize> {
    let options = OPTIONS.iter().filter(|option| option.commands.contains(&name) && !option.is_launcher());
    let named = |option: &ProgramOption| {
        let runs = |given: &GivenValue| {
            given.value.dynamic || option.runs.text(&given.value.text).is_some_and(|text| !is_filter(text))
        };
        option.values(args).into_iter().rfind(runs).map(|given| given.at)
    };
    options.filter_map(named).max()
}

/// Programs that only turn their input into their output, or connect, as these options are mostly used.
const FILTERS: &[&str] = &[
    "brotli", "bzip2", "cat", "compress", "gzip", "lbzip2", "less", "lz4", "lzip", "lzma", "lzop", "more",
    "most", "pbzip2", "pigz", "pixz", "plzip", "ssh", "true", "xz", "zstd", "zstdmt",
];

/// Returns whether a text is one of the [`FILTERS`], alone or with a level (`zstd -19`, `ssh -p 22`).
pub(crate) fn is_filter(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let level =
        |word: &str| word.trim_start_matches(['-', 'T', 'p', 'e']).bytes().all(|byte| byte.is_ascii_digit());
    words.next().is_some_and(|name| FILTERS.contains(&name)) && words.all(level)
}

impl ProgramOption {
    /// Returns whether the command is there to run another one: a rule that allows it allows that, too.
    fn is_launcher(&self) -> bool {
        self.commands
            .iter()
            .any(|name| matches!(*name, "su" | "nodemon" | "gdbserver" | "parallel" | "npx" | "cargo"))
    }

    /// Everything in `args` that may be the option's value.
    fn values(&self, args: &[Arg]) -> Vec<GivenValue> {
        let mut values = Vec::new();
        for (at, arg) in args.iter().enumerate().skip(1) {
            let text = arg.text.as_str();
            let next = || args.get(at + 1).map(|value| GivenValue { at, value: value.clone() });
            let attached = match text.strip_prefix("--") {
                Some(long) => self.in_long(long),
                None => text.strip_prefix('-').and_then(|letters| self.in_cluster(letters)),
            };
            match attached {
                Some("") => values.extend(next()),
                Some(value) => {
                    let value = arg.part(value.strip_prefix('=').unwrap_or(value));
                    values.push(GivenValue { at, value });
                }
                None => {}
            }
            // `tar cIf program archive`: the values of a first argument without a dash follow in its order.
            let bundled = at == 1 && self.commands == TAR && text.contains(|c| self.short.contains(c));
            if bundled && !text.starts_with('-') {
                let given = |(at, value): (usize, &Arg)| GivenValue { at, value: value.clone() };
                values.extend(args.iter().enumerate().skip(2).map(given));
            }
        }
        values
    }

    /// The text after the option's name and `=`; empty if the value is the next argument.
    fn in_long<'a>(&self, text: &'a str) -> Option<&'a str> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        (name.len() > 1 && self.long.iter().any(|long| long.starts_with(name))).then_some(value)
    }

    /// The text after the option's letter in a cluster; empty if the value is the next argument.
    fn in_cluster<'a>(&self, letters: &'a str) -> Option<&'a str> {
        let at = letters.find(|letter| self.short.contains(letter))?;
        let letter = letters[at..].chars().next()?;
        // `zip -TT program`
        Some(letters[at..].trim_start_matches(letter))
    }
}
