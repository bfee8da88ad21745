//! Commands that start another one in an unusual way: `su`, `capsh`, `start-stop-daemon`, … (rule P6).

use super::arg::Arg;
use super::context::Context;
use super::dialect::Dialect;
use super::options::Syntax;
use super::refusal::UnknownReason;
use super::unversioned::unversioned;
use super::walk::Walk;

/// The options of `su` and `runuser`, which are read after operands, too; arguments after the user go to the shell.
const SU: Syntax = Syntax {
    short: "c:fg:G:lmpPs:Tu:w:",
    long: "command: fast group: login no-pty preserve-environment pty session-command: shell: supp-group: user: \
         whitelist-environment:",
};

/// The options of `start-stop-daemon`.
const DAEMON: Syntax = Syntax {
    short: "HKSTVa:bc:Cd:g:I:k:mn:N:oO:p:P:qr:R:s:tu:vx:",
    long: "background chdir: chroot: chuid: exec: exedir: group: iosched: make-pidfile name: nicelevel: no-close \
           notify-await notify-timeout: oknodo output: pid: pidfile: ppid: procsched: quiet remove-pidfile retry: \
           signal: start startas: status stop test umask: user: verbose",
};

/// The options of `npx` and similar commands.
const PACKAGE_RUNNER: Syntax = Syntax {
    short: "c:p:qyw:",
    long: "bun call: from: ignore-existing loglevel: no no-install package: prefer-offline quiet silent verbose with: \
           workspace: workspaces yes",
};

/// Commands that run what follows a word in their arguments.
#[derive(Debug)]
struct Verb {
    commands: &'static [&'static str],
    words: &'static [&'static str],
    before: Before,
}

/// The arguments between such a word and the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Operands,
}

const fn verb(commands: &'static [&'static str], words: &'static [&'static str], before: Before) -> Verb {
    Verb { commands, words, before }
}

const VERBS: &[Verb] = &[
    verb(&["npm", "pnpm"], &["exec", "x", "dlx"], Before::Nothing),
    // The package comes first, and the rest is text for a shell.
    verb(&["npm", "pnpm"], &["explore"], Before::Operands),
    verb(&["yarn", "yarnpkg"], &["exec", "dlx"], Before::Nothing),
    verb(&["bundle", "bundler", "pyenv", "rbenv", "nodenv", "goenv", "jenv"], &["exec"], Before::Nothing),
    verb(&["poetry", "pipenv", "uv", "pdm", "hatch", "rye", "pixi"], &["run"], Before::Nothing),
    verb(
        &["foreman", "honcho", "doppler", "infisical", "op", "dotenvx", "teller"],
        &["run"],
        Before::Nothing,
    ),
    verb(&["cmake"], &["-E"], Before::Nothing),
    verb(&["podman", "buildah"], &["unshare"], Before::Nothing),
    verb(&["libtool"], &["--mode=execute"], Before::Nothing),
    verb(&["corepack"], &["npm", "pnpm", "yarn"], Before::Operands),
    verb(&["mise", "rtx", "asdf", "nvm", "fnm"], &["exec", "x"], Before::Operands),
    verb(&["ip", "direnv", "aws-vault", "chamber"], &["exec"], Before::Operands),
    verb(&["sops"], &["exec-env", "exec-file"], Before::Operands),
    verb(
        &["rustup", "volta", "conda", "mamba", "micromamba", "toolbox", "flatpak"],
        &["run"],
        Before::Operands,
    ),
    verb(&["nix", "nix-shell"], &["-c", "--command", "--run"], Before::Operands),
    verb(&["gprofng"], &["app"], Before::Operands),
];

/// The kinds of `socat` addresses that run something.
const SOCAT: &[&str] = &["exec", "system", "shell"];

impl Walk {
    /// Looks through the command if it is one of these.
    pub(crate) fn launch(&mut self, name: &str, args: &[Arg], context: &Context) -> bool {
        match name {
            "su" | "runuser" => self.su(args, context),
            "script" => self.script_recorder(args, context),
            "parallel" | "parallel.moreutils" | "env_parallel" | "sem" => self.parallel(name, args, context),
            "parset" => self.parallel(name, args.get(1..).unwrap_or_default(), context),
            "capsh" => self.capsh(args, context),
            "start-stop-daemon" => self.start_stop_daemon(args, context),
            "socat" => self.socat(args, context),
            "run-parts" => self.run_parts(args),
            "npx" | "bunx" | "pnpx" | "uvx" => self.package_runner(args, context),
            name => {
                let of_name = |verb: &&Verb| verb.commands.contains(&unversioned(name));
                let verbs: Vec<&Verb> = VERBS.iter().filter(of_name).collect();
                if verbs.is_empty() {
                    return self.git_part(args, context);
                }
                verbs.into_iter().for_each(|verb| self.after_verb(args, verb, context));
            }
        }
        true
    }

    /// Handles `su`: the program of `-c` was found among the options. Without one, the user's shell gets the arguments
    /// after the user.
    fn su(&mut self, args: &[Arg], context: &Context) {
        let context = &Context { dialect: Dialect::Posix, ..context.clone() };
        self.every_word(&args[1..], context);
        let (mut operands, mut shell, mut text) = (Vec::new(), None, false);
        let mut at = 1;
        while at < args.len() {
            let options = SU.read(args, at);
            shell = options.values(&["s", "shell"]).last().cloned().or(shell);
            text |= options.has(&["c", "command", "session-command"]) || !options.certain;
            at = options.operand;
            operands.extend(args.get(at).cloned());
            at += 1;
            if options.ended {
                operands.extend(args[at.min(args.len())..].iter().cloned());
                break;
            }
        }
        let rest = operands.iter().skip(usize::from(operands.first().is_some_and(|arg| arg.text == "-")));
        let own: Vec<Arg> = rest.skip(1).cloned().collect();
        for shell in shell.into_iter().chain([Arg::literal("sh")]) {
            let mut command = vec![shell];
            command.extend(own.iter().cloned());
            if !text || command.len() > 1 {
                self.run(&command, context);
            }
        }
    }

    /// Handles `script`: a program of `-c`, or a shell.
    fn script_recorder(&mut self, args: &[Arg], context: &Context) {
        let context = &Context { dialect: Dialect::Posix, ..context.clone() };
        self.every_word(&args[1..], context);
        let takes_text = |arg: &Arg| {
            let cluster = arg.text.starts_with('-') && !arg.text.starts_with("--") && arg.text.contains('c');
            cluster || arg.text.starts_with("--c")
        };
        if !args.iter().any(takes_text) {
            self.bare_shell("script", context);
        }
    }

    /// Handles `capsh … -- arguments of bash`, or of the shell in `--shell`.
    fn capsh(&mut self, args: &[Arg], context: &Context) {
        let starts = |arg: &Arg| matches!(arg.text.as_str(), "--" | "-+" | "==" | "=+");
        if let Some(at) = args.iter().position(starts) {
            let own = args[1..at].iter().filter_map(|arg| Some(arg.part(arg.text.strip_prefix("--shell=")?)));
            for shell in own.chain([Arg::literal("bash")]) {
                let mut command = vec![shell];
                command.extend(args[at + 1..].iter().cloned());
                self.run(&command, context);
            }
        }
        self.every_word(&args[1..], context);
    }

    /// Handles `start-stop-daemon --exec program -- arguments`. Without `--` the operands are the arguments.
    fn start_stop_daemon(&mut self, args: &[Arg], context: &Context) {
        let end = args.iter().position(|arg| arg.text == "--");
        let own = match end {
            Some(at) => args[at + 1..].to_vec(),
            None => operands(&DAEMON, args),
        };
        let names_next = |arg: &Arg| {
            let long =
                ["--exec", "--startas"].iter().any(|name| arg.text.len() > 2 && name.starts_with(&arg.text));
            long || (arg.text.starts_with('-') && arg.text.ends_with(['x', 'a']))
        };
        for (at, arg) in args.iter().enumerate().skip(1) {
            if self.is_full() {
                break;
            }
            let program = match arg.text.strip_prefix('-') {
                Some(long) if long.starts_with('-') => long.split_once('=').map(|(_, text)| arg.part(text)),
                Some(letters) => letters.split_once(['x', 'a']).map(|(_, text)| arg.part(text)),
                None => Some(arg.clone()).filter(|arg| !arg.dynamic || names_next(&args[at - 1])),
            };
            if let Some(program) = program.filter(|program| !program.text.is_empty()) {
                let mut command = vec![program];
                command.extend(own.iter().cloned());
                self.run(&command, context);
            }
        }
    }

    /// Handles `socat EXEC:'program'`: up to a comma, which starts options.
    fn socat(&mut self, args: &[Arg], context: &Context) {
        for arg in args.iter().skip(1) {
            for address in arg.text.split("!!") {
                let Some((kind, text)) = address.split_once(':') else { continue };
                if SOCAT.contains(&kind.to_ascii_lowercase().as_str()) {
                    let text = text.split(',').next().unwrap_or_default();
                    self.shell_text(text, arg.dynamic, context);
                }
            }
        }
    }

    /// Handles `run-parts --arg=argument directory`, which runs every program there.
    fn run_parts(&mut self, args: &[Arg]) {
        let gives = |arg: &&Arg| arg.text.starts_with("--a") || arg.text.starts_with("-a");
        if let Some(arg) = args.iter().find(gives) {
            self.unknown(UnknownReason::CommandWord(arg.raw.clone()), false);
        }
    }

    /// Handles `npx command`.
    fn package_runner(&mut self, args: &[Arg], context: &Context) {
        let options = PACKAGE_RUNNER.read(args, 1);
        if options.certain {
            self.run(&args[options.operand..], context);
        } else {
            self.every_part(&args[1..], context);
        }
    }

    /// Handles `npm exec command`, `rustup run toolchain command` and similar ones.
    fn after_verb(&mut self, args: &[Arg], verb: &Verb, context: &Context) {
        let is_verb = |arg: &Arg| verb.words.contains(&arg.text.as_str());
        if let Some(at) = args.iter().position(is_verb) {
            let rest = &args[at + 1..];
            let rest = rest.strip_prefix(&[Arg::literal("--")]).unwrap_or(rest);
            let starts = rest.first().and_then(Arg::value).is_some_and(|text| !text.starts_with('-'));
            if starts && verb.before == Before::Nothing {
                self.run(rest, context);
            } else {
                self.every_part(rest, context);
            }
        }
    }

    /// Tries each word as the start of a command, and each that has blanks as a text for a shell.
    pub(crate) fn every_part(&mut self, args: &[Arg], context: &Context) {
        self.every_word(args, context);
        for arg in args {
            let text = option_value(&arg.text).unwrap_or(&arg.text);
            if text.contains(char::is_whitespace) {
                self.shell_text(text, arg.dynamic, context);
            }
        }
    }

    /// Handles a part of git that is called by its path: `/usr/lib/git-core/git-push`.
    fn git_part(&mut self, args: &[Arg], context: &Context) -> bool {
        let path = args[0].value().filter(|path| path.contains("git-core/"));
        let part = path.and_then(|path| path.rsplit_once("/git-")).filter(|(_, name)| !name.contains('/'));
        if let Some((_, name)) = part {
            let own = [Arg::literal("git"), Arg::literal(name)];
            let command: Vec<Arg> = own.into_iter().chain(args[1..].iter().cloned()).collect();
            self.run(&command, context);
        }
        part.is_some()
    }
}

/// Returns the arguments that are neither options nor their values.
fn operands(syntax: &Syntax, args: &[Arg]) -> Vec<Arg> {
    let (mut at, mut operands) = (1, Vec::new());
    while at < args.len() {
        let options = syntax.read(args, at);
        operands.extend(args.get(options.operand).cloned());
        at = options.operand + 1;
    }
    operands
}

/// Returns the value in `--option=value`.
pub(crate) fn option_value(text: &str) -> Option<&str> {
    text.strip_prefix("--")?.split_once('=').map(|(_, value)| value)
}
