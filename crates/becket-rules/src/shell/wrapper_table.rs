//! Commands that run the command in their arguments, and what their options look like. Data only.

/// A wrapper's options, as far as they decide where its command starts.
#[derive(Debug)]
pub(crate) struct Wrapper {
    pub(crate) name: &'static str,
    /// Letters of options that take a value.
    pub(crate) valued: &'static str,
    /// Letters of options without one.
    pub(crate) flags: &'static str,
    /// Long options that take a value.
    pub(crate) long_valued: &'static [&'static str],
    /// Long options without one, or with one only behind `=`.
    pub(crate) long_flags: &'static [&'static str],
    /// Operands before the command.
    pub(crate) operands: usize,
    /// `NAME=value` may stand before the command.
    pub(crate) assigns: bool,
    /// Allow rules are put to what it wraps (P5).
    pub(crate) stripped: bool,
}

const PLAIN: Wrapper = Wrapper {
    name: "",
    valued: "",
    flags: "",
    long_valued: &[],
    long_flags: &[],
    operands: 0,
    assigns: false,
    stripped: false,
};

/// All wrappers whose options are known. An option that is not listed makes every later word a possible start.
pub(crate) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "timeout",
        valued: "ks",
        flags: "fpv",
        long_valued: &["kill-after", "signal"],
        long_flags: &["foreground", "preserve-status", "verbose"],
        operands: 1,
        stripped: true,
        ..PLAIN
    },
    Wrapper {
        name: "time",
        valued: "f",
        flags: "pqvV",
        // Not `-o`, which writes a file: an allow rule must not look past it.
        long_valued: &["format"],
        long_flags: &["portability", "quiet", "verbose"],
        stripped: true,
        ..PLAIN
    },
    Wrapper {
        name: "nice",
        valued: "n",
        flags: "0123456789",
        long_valued: &["adjustment"],
        stripped: true,
        ..PLAIN
    },
    Wrapper { name: "nohup", stripped: true, ..PLAIN },
    Wrapper {
        name: "stdbuf",
        valued: "ioe",
        long_valued: &["input", "output", "error"],
        stripped: true,
        ..PLAIN
    },
    Wrapper { name: "command", flags: "p", stripped: true, ..PLAIN },
    Wrapper { name: "builtin", stripped: true, ..PLAIN },
    Wrapper { name: "noglob", stripped: true, ..PLAIN },
    Wrapper { name: "exec", valued: "a", flags: "cl", ..PLAIN },
    Wrapper {
        name: "env",
        valued: "uCa",
        flags: "i0v",
        long_valued: &["unset", "chdir", "argv0"],
        long_flags: &[
            "ignore-environment",
            "null",
            "debug",
            "ignore-signal",
            "default-signal",
            "block-signal",
        ],
        assigns: true,
        ..PLAIN
    },
    Wrapper {
        name: "sudo",
        valued: "augpChrtTUDR",
        flags: "AbBEeHiKklNnPSsVv",
        long_valued: &[
            "user",
            "group",
            "prompt",
            "chdir",
            "chroot",
            "close-from",
            "host",
            "role",
            "type",
            "other-user",
            "command-timeout",
            "auth-type",
            "login-class",
        ],
        long_flags: &[
            "askpass",
            "background",
            "bell",
            "edit",
            "login",
            "shell",
            "set-home",
            "non-interactive",
            "stdin",
            "preserve-env",
            "preserve-groups",
            "reset-timestamp",
            "remove-timestamp",
            "validate",
        ],
        assigns: true,
        ..PLAIN
    },
    Wrapper { name: "doas", valued: "uCa", flags: "nsL", ..PLAIN },
    Wrapper { name: "setsid", flags: "cfw", long_flags: &["ctty", "fork", "wait"], ..PLAIN },
    Wrapper {
        name: "ionice",
        valued: "cnpPu",
        flags: "t",
        long_valued: &["class", "classdata", "pid", "pgid", "uid"],
        long_flags: &["ignore"],
        ..PLAIN
    },
    Wrapper { name: "busybox", ..PLAIN },
    Wrapper { name: "toybox", ..PLAIN },
    Wrapper {
        name: "watch",
        valued: "nq",
        flags: "bcdegprtwxC",
        long_valued: &["interval", "equexit"],
        long_flags: &[
            "beep",
            "color",
            "no-color",
            "differences",
            "errexit",
            "chgexit",
            "precise",
            "no-rerun",
            "no-title",
            "no-wrap",
            "exec",
        ],
        ..PLAIN
    },
    Wrapper {
        name: "flock",
        valued: "wE",
        flags: "eFnosux",
        long_valued: &["timeout", "wait", "getopts", "conflict-exit-code"],
        long_flags: &["shared", "exclusive", "unlock", "nonblock", "nb", "close", "no-fork", "verbose"],
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        name: "xargs",
        valued: "adEILnPs",
        flags: "0rtpxo",
        long_valued: &["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
        long_flags: &[
            "null",
            "no-run-if-empty",
            "verbose",
            "interactive",
            "exit",
            "open-tty",
            "eof",
            "replace",
            "max-lines",
        ],
        ..PLAIN
    },
];

/// Wrappers whose options are not listed: every later word is a possible start of their command.
pub(crate) const WIDE: &[&str] = &[
    "chroot",
    "chrt",
    "dbus-run-session",
    "fakeroot",
    "firejail",
    "bwrap",
    "ltrace",
    "nsenter",
    "parallel",
    "pkexec",
    "prlimit",
    "proot",
    "runcon",
    "setarch",
    "setpriv",
    "strace",
    "systemd-run",
    "taskset",
    "unbuffer",
    "unshare",
    "xvfb-run",
];

/// Shells: `-c` takes a program, no operand means the program comes from the input.
pub(crate) const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "yash", "lksh", "posh", "fish", "csh", "tcsh",
];

/// Wrappers that no allow rule with a `*` covers (P5).
pub(crate) const EXACT_ONLY: &[&str] = &["watch", "setsid", "ionice", "flock"];

/// Actions of `find` that run a command.
pub(crate) const FIND_RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

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

/// Builtins that set variables by name.
pub(crate) const SETTERS: &[&str] = &[
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "env",
    "sudo",
    "doas",
    "read",
    "printf",
    "mapfile",
    "readarray",
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
