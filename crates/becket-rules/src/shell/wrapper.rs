//! The commands that run the command in their arguments, and the start of that command (rules P5 and P6).

use super::arg::Arg;
use super::options::{Options, Syntax};

/// A command that runs the command in its arguments.
#[derive(Debug)]
pub(crate) struct Wrapper {
    pub(crate) name: &'static str,
    pub(crate) syntax: Syntax,
    /// Operands before the command.
    before: LeadingOperands,
    /// True if allow rules are compared with the command that it wraps (P5).
    pub(crate) stripped: bool,
    /// True if it starts a shell without a command.
    pub(crate) shell: bool,
}

/// Operands between a wrapper's name and its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeadingOperands {
    Nothing,
    /// One operand, after the options.
    Operand,
    /// One optional operand before the options.
    Leading,
    /// `NAME=value`, any number.
    Assignments,
}

/// A wrapper's options, and the start of its command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WrappedCommand {
    /// The index of the command's first word; the number of arguments if there is none.
    pub(crate) start: usize,
    pub(crate) options: Options,
}

const fn wrapper(name: &'static str, short: &'static str, long: &'static str) -> Wrapper {
    let syntax = Syntax { short, long };
    Wrapper { name, syntax, before: LeadingOperands::Nothing, stripped: false, shell: false }
}

impl Wrapper {
    const fn stripped(self) -> Self {
        Self { stripped: true, ..self }
    }

    const fn after(self, before: LeadingOperands) -> Self {
        Self { before, ..self }
    }

    const fn or_shell(self) -> Self {
        Self { shell: true, ..self }
    }

    /// Finds the command in `args`, of which the first is the wrapper's own name.
    pub(crate) fn locate(&self, args: &[Arg]) -> WrappedCommand {
        let leads = |arg: &&Arg| self.before == LeadingOperands::Leading && !arg.text.starts_with('-');
        let from = 1 + usize::from(args.get(1).filter(leads).is_some());
        let mut options = self.syntax.read(args, from);
        let mut start = options.operand;
        if self.before == LeadingOperands::Assignments {
            while let Some(text) = args.get(start).and_then(Arg::value) {
                if text.contains('=') && !text.starts_with('-') || (self.name == "env" && text == "-") {
                    start += 1;
                } else if text.starts_with('-') && text.len() > 1 && args[start - 1].text != "--" {
                    // `sudo` reads options after assignments, too.
                    let more = self.syntax.read(args, start);
                    start = more.operand;
                    options.given.extend(more.given);
                    options.certain &= more.certain;
                    if !more.certain {
                        break;
                    }
                } else {
                    break;
                }
            }
            if args.get(start).is_some_and(|arg| arg.dynamic) {
                options.certain = false;
            }
        }
        start += usize::from(self.before == LeadingOperands::Operand);
        WrappedCommand { start: start.min(args.len()), options }
    }
}

/// Returns whether the text is `NAME=value`.
pub(crate) fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && !name.starts_with('-') && name.bytes().all(super::cursor::in_name)
    })
}

/// Returns the rest of a command after the wrappers that allow rules ignore (P5), and whether `xargs` was one.
pub(crate) fn strip(args: &[Arg]) -> (&[Arg], bool) {
    let (mut left, mut open) = (args, false);
    while let Some(name) = left.first().and_then(Arg::value) {
        let Some(wrapper) = lookup(name) else { break };
        let found = wrapper.locate(left);
        let bare_xargs = name == "xargs" && found.options.given.is_empty();
        if !found.options.certain || found.start >= left.len() || !(wrapper.stripped || bare_xargs) {
            break;
        }
        open |= bare_xargs;
        left = &left[found.start..];
    }
    (left, open)
}

/// Returns the entry of a wrapper.
pub(crate) fn lookup(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.name == name)
}

const SETARCH: &str = "vRFZLXBIST3";
const SETARCH_LONG: &str = "32bit fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize whole-seconds \
     sticky-timeouts read-implies-exec mmap-page-zero 3gb 4gb uname-2.6 verbose";

/// All wrappers whose options are known. An option that is not listed makes every later word a possible start. Options
/// that end the program (`--help`) are left out.
const WRAPPERS: &[Wrapper] = &[
    wrapper("timeout", "fk:ps:v", "foreground kill-after: preserve-status signal: verbose")
        .after(LeadingOperands::Operand)
        .stripped(),
    // Not `-o`, which writes a file: an allow rule must not ignore it.
    wrapper("time", "f:pqvV", "format: portability quiet verbose").stripped(),
    wrapper("nice", "n:0123456789", "adjustment:").stripped(),
    wrapper("nohup", "", "").stripped(),
    wrapper("stdbuf", "i:o:e:", "input: output: error:").stripped(),
    wrapper("command", "p", "").stripped(),
    wrapper("builtin", "", "").stripped(),
    wrapper("noglob", "", "").stripped(),
    wrapper("exec", "a:cl", ""),
    wrapper(
        "env",
        "a:C:iS:u:v0",
        "argv0: block-signal:: chdir: debug default-signal:: ignore-environment ignore-signal:: \
         list-signal-handling null split-string: unset:",
    )
    .after(LeadingOperands::Assignments),
    wrapper(
        "sudo",
        "Aa:BbC:c:D:Eeg:Hh:iKklNnPp:R:r:SsT:t:U:u:Vv",
        "askpass auth-type: background bell chdir: chroot: close-from: command-timeout: edit group: host: list \
         login login-class: no-update non-interactive other-user: preserve-env:: preserve-groups prompt: \
         remove-timestamp reset-timestamp role: set-home shell stdin type: user: validate",
    )
    .after(LeadingOperands::Assignments),
    wrapper("doas", "a:C:Lnsu:", ""),
    wrapper("setsid", "cfw", "ctty fork wait"),
    wrapper("ionice", "c:n:p:P:u:t", "class: classdata: pid: pgid: uid: ignore"),
    wrapper("busybox", "", ""),
    wrapper("toybox", "", ""),
    wrapper(
        "watch",
        "bcCd::egn:pq:rtwx",
        "beep color no-color differences:: errexit chgexit equexit: exec interval: precise no-rerun no-title no-wrap",
    ),
    wrapper(
        "flock",
        "c:eE:Fnosuw:x",
        "close command: conflict-exit-code: exclusive nb no-fork nonblock shared timeout: unlock verbose wait:",
    )
    .after(LeadingOperands::Operand),
    wrapper(
        "xargs",
        "0a:d:e::E:i::I:l::L:n:oprP:s:tx",
        "arg-file: delimiter: eof:: exit interactive max-args: max-chars: max-lines:: max-procs: \
         no-run-if-empty null open-tty process-slot-var: replace:: show-limits verbose",
    ),
    wrapper("chroot", "", "groups: userspec: skip-chdir").after(LeadingOperands::Operand).or_shell(),
    wrapper(
        "unshare",
        "cCfG:imnprR:S:TuUVw:",
        "boottime: cgroup:: fork ipc:: keep-caps kill-child:: load-interp: map-auto map-current-user map-group: \
         map-groups: map-root-user map-user: map-users: monotonic: mount:: mount-proc:: net:: pid:: propagation: \
         root: setgid: setgroups: setuid: time:: user:: uts:: wd:",
    )
    .or_shell(),
    wrapper(
        "nsenter",
        "aC::eFG:i::m::n::p::r::S:t:T::u::U::w::W::Z",
        "all cgroup:: env follow-context ipc:: keep-caps mount:: net:: no-fork pid:: preserve-credentials root:: \
         setgid: setuid: target: time:: user:: uts:: wd:: wdns::",
    )
    .or_shell(),
    wrapper("setarch", SETARCH, SETARCH_LONG).after(LeadingOperands::Leading).or_shell(),
    wrapper("linux32", SETARCH, SETARCH_LONG).or_shell(),
    wrapper("linux64", SETARCH, SETARCH_LONG).or_shell(),
    wrapper("i386", SETARCH, SETARCH_LONG).or_shell(),
    wrapper("i486", SETARCH, SETARCH_LONG).or_shell(),
    wrapper("i586", SETARCH, SETARCH_LONG).or_shell(),
    wrapper("i686", SETARCH, SETARCH_LONG).or_shell(),
    wrapper("x86_64", SETARCH, SETARCH_LONG).or_shell(),
    wrapper("uname26", SETARCH, SETARCH_LONG).or_shell(),
    wrapper("fakeroot", "b:f:hi:l:s:uv", "faked: fd-base: lib: unknown-is-real").or_shell(),
    wrapper("pkexec", "", "disable-internal-agent keep-cwd user:").or_shell(),
    wrapper("choom", "n:p:", "adjust: pid:"),
    wrapper("jobs", "x", ""),
];
