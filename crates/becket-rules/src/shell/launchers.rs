//! Commands that start another one in a way of their own: `su`, `capsh`, `start-stop-daemon`, … (rule P6).

use super::arg::Arg;
use super::context::Context;
use super::dialect::Dialect;
use super::options::Syntax;
use super::walk::Walk;

/// `su` and `runuser` read options after operands, too; what follows the user goes to the shell.
const SU: Syntax = Syntax {
    short: "c:fg:G:lmpPs:Tu:w:",
    long: "command: fast group: login no-pty preserve-environment pty session-command: shell: supp-group: user: \
         whitelist-environment:",
};

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
            "gcc" | "g++" | "cc" | "c++" => self.compiler(args, context),
            "ip" | "cmake" | "direnv" => {
                let runs = |arg: &Arg| matches!(arg.text.as_str(), "exec" | "-E");
                let from = args.iter().position(runs).unwrap_or(args.len() - 1);
                self.every_word(&args[from + 1..], context);
            }
            _ => return false,
        }
        true
    }

    /// `su`: the program of `-c` was found among the options. Without one, the user's shell gets what follows the user.
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
            let ended = at > 0 && args[at - 1].text == "--";
            at += 1;
            if ended {
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

    /// `script`: a program of `-c`, or a shell.
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

    /// `capsh … -- arguments of bash`.
    fn capsh(&mut self, args: &[Arg], context: &Context) {
        if let Some(at) = args.iter().position(|arg| arg.text == "--") {
            let mut command = vec![Arg::literal("bash")];
            command.extend(args[at + 1..].iter().cloned());
            self.run(&command, context);
        }
        self.every_word(&args[1..], context);
    }

    /// `start-stop-daemon --exec program -- arguments`.
    fn start_stop_daemon(&mut self, args: &[Arg], context: &Context) {
        let end = args.iter().position(|arg| arg.text == "--");
        let own = end.map_or(&args[..0], |at| &args[at + 1..]);
        let names_next = |arg: &Arg| {
            let long =
                ["--exec", "--startas"].iter().any(|name| arg.text.len() > 2 && name.starts_with(&arg.text));
            long || (arg.text.starts_with('-') && arg.text.ends_with(['x', 'a']))
        };
        for (at, arg) in args.iter().enumerate().skip(1) {
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

    /// `socat EXEC:'program'`: up to a comma, which starts options.
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

    /// `gcc -wrapper program,arguments`.
    fn compiler(&mut self, args: &[Arg], context: &Context) {
        for (at, _) in args.iter().enumerate().filter(|(_, arg)| arg.text == "-wrapper") {
            if let Some(value) = args.get(at + 1) {
                self.words_of(&value.text.replace(',', " "), value, context);
            }
        }
    }
}
