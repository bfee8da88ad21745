//! Names that the analysis knows: commands that run another one, and variables that steer the shell. Data only.

/// Wrappers whose options are not listed: every later word is a possible start of their command.
pub(crate) const WIDE: &[&str] = &[
    "arch",
    "bwrap",
    "caffeinate",
    "capsh",
    "catchsegv",
    "cgexec",
    "chpst",
    "chronic",
    "chrt",
    "cpulimit",
    "cttyhack",
    "daemon",
    "daemonize",
    "dbus-launch",
    "dbus-run-session",
    "dpkg-architecture",
    "dumb-init",
    "eatmydata",
    "entr",
    "fakechroot",
    "faketime",
    "firejail",
    "flatpak-spawn",
    "gdbserver",
    "gosu",
    "heaptrack",
    "hyperfine",
    "ifne",
    "lckdo",
    "ltrace",
    "machinectl",
    "minijail0",
    "mispipe",
    "niceload",
    "nocache",
    "nsjail",
    "numactl",
    "pee",
    "perf",
    "prlimit",
    "proot",
    "proxychains",
    "proxychains4",
    "reflex",
    "rlwrap",
    "rr",
    "run0",
    "runcon",
    "sandbox-exec",
    "schroot",
    "screen",
    "setlock",
    "setpriv",
    "setuidgid",
    "sg",
    "ssh-agent",
    "start-stop-daemon",
    "strace",
    "stress",
    "su-exec",
    "systemd-cat",
    "systemd-inhibit",
    "systemd-run",
    "taskset",
    "tini",
    "tmux",
    "torify",
    "torsocks",
    "trickle",
    "tsocks",
    "unbuffer",
    "uftrace",
    "valgrind",
    "watchexec",
    "xterm",
    "xvfb-run",
    "zrun",
];

/// Those of [`WIDE`] that hand an argument to a shell as a program.
pub(crate) const WIDE_TEXT: &[&str] = &[
    "dpkg-architecture",
    "entr",
    "hyperfine",
    "machinectl",
    "mispipe",
    "pee",
    "reflex",
    "screen",
    "sg",
    "tmux",
    "watchexec",
    "xterm",
];

/// Those of [`WIDE`] that start a shell if no command is given.
pub(crate) const WIDE_SHELL: &[&str] = &[
    "dbus-run-session",
    "firejail",
    "machinectl",
    "proot",
    "run0",
    "schroot",
    "screen",
    "sg",
    "systemd-run",
    "tmux",
    "xterm",
];

/// Programs of GNU that some systems install with a `g` in front.
pub(crate) const PREFIXED: &[&str] = &[
    "chroot", "env", "find", "install", "nice", "nohup", "sort", "split", "stdbuf", "tar", "time", "timeout",
    "xargs",
];

/// Commands that take a program from their input, or run it later.
pub(crate) const TAKES_INPUT: &[&str] = &["at", "batch", "crontab"];

/// Wrappers that no allow rule with a `*` covers (P5).
pub(crate) const EXACT_ONLY: &[&str] = &["watch", "setsid", "ionice", "flock"];

/// Actions of `find` that run a command.
pub(crate) const FIND_RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// Actions of `find` that remove or write files.
pub(crate) const FIND_WRITES: &[&str] = &["-delete", "-fprint", "-fprint0", "-fprintf", "-fls"];

/// Variables whose value a shell runs or reads programs from.
pub(crate) const STARTUP_VARIABLES: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_ALIASES",
    "BASH_CMDS",
];

/// Assignments that an allow rule looks past (P5); `LC_*` beside them.
pub(crate) const HARMLESS_VARIABLES: &[&str] = &[
    "NODE_ENV",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TZ",
    "CI",
    "NO_COLOR",
    "FORCE_COLOR",
    "COLORTERM",
    "RUST_LOG",
    "RUST_BACKTRACE",
    "PYTHONUNBUFFERED",
];

/// Returns whether an allow rule ignores an assignment to the variable (P5).
pub(crate) fn is_harmless_variable(name: &str) -> bool {
    HARMLESS_VARIABLES.contains(&name) || name.starts_with("LC_")
}

/// Returns whether a variable that a loop or `${x:=…}` sets surely belongs to the line. Variables that programs read
/// have long names in capitals, except those of proxies and of npm: set here, they would reach every program that
/// follows, if they were exported before.
pub(crate) fn is_plain_variable(name: &str) -> bool {
    let lower = name.contains(|c: char| c.is_ascii_lowercase());
    let known = name.to_ascii_lowercase().ends_with("_proxy") || name.starts_with("npm_");
    is_harmless_variable(name) || PLAIN.contains(&name) || name.len() == 1 || (lower && !known)
}

/// Names in capitals that people give to loops, and that no program reads.
const PLAIN: &[&str] = &[
    "COMMIT", "CRATE", "DIR", "DIRS", "FILE", "FILES", "FOLDER", "INDEX", "ITEM", "LINE", "MODULE",
    "PATTERN", "PKG", "WORD",
];

/// Loop variables that change what later commands mean.
pub(crate) const STEERING_VARIABLES: &[&str] = &[
    "PATH",
    "IFS",
    "CDPATH",
    "HOME",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "GLOBIGNORE",
    "EXECIGNORE",
    "BASH_CMDS",
    "BASH_ALIASES",
];

/// Builtins that evaluate an argument as arithmetic, or a subscript in it.
pub(crate) const EVALUATORS: &[&str] = &[
    "let",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "printf",
    "read",
    "unset",
    "test",
    "[",
    "mapfile",
    "readarray",
    "wait",
    "shift",
    "return",
    "exit",
];
