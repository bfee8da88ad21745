//! GNU parallel (rule P6): a command line for a shell, to which arguments are appended or in which they replace a mark;
//! and without one, the arguments are command lines themselves.

use super::arg::Arg;
use super::context::Context;
use super::dialect::Dialect;
use super::filled::substitute;
use super::input::Input;
use super::limits::MAX_BRACE_WORDS;
use super::options::{Options, Syntax};
use super::quoted_word::quoted_word;
use super::refusal::UnknownReason;
use super::walk::Walk;

/// The options of parallel, which are read up to the first operand.
const SYNTAX: Syntax = Syntax {
    short: "0a:B:C:d:D:e::E:fgH:i::I:j:kl::L:mMn:N:opP:qrs:S:tTuU:vW:xX",
    long: "arg-file: arg-file-sep: arg-sep: bar basefile: bf: bg bibtex block: block-size: block-timeout: cat citation \
         cleanup colsep: color color-failed colour compress compress-program: controlmaster csv ctag ctagstring: \
         ctrlc dbr-tmpl: debug: delay: delimiter: dr dry-run dryrun embed env: eof:: eta fg fifo files filter: \
         filter-hosts gnu group group-by: halt: halt-on-error: haltonerror: header: hgrp hostgroups id: \
         ignore-case interactive jl: jobs: joblog: k keep-order keeporder latest-line lb limit: line-buffer \
         line-buffered linebuffer link linkinputsource: ll load: max-args: max-chars: max-lines:: \
         max-line-length-allowed max-procs: max-replace-args: memfree: memsuspend: nice: no-keep-order no-notice \
         no-run-if-empty nonall noswap notice null onall open-tty parens: pipe pipe-part pipepart plain plus \
         process-slot-var: profile: progress quote recend: record-env recordenv recstart: regexp \
         remove-rec-sep res: result: results: resume resume-failed retries: retry-failed return: rpl: rsync-opts: \
         semaphore semaphore-name: semaphorename: semaphoretimeout: session shard: shebang shellquote show-limits \
         shuf silent skip-first-line slf: spreadstdin sql: sql-and-worker: sql-master: sql-worker: ssh: sshdelay: \
         sshlogin: sshloginfile: st: swap: tag tagstring: tempdir: template: term-seq: tf: timeout: tmpdir: tmpl: \
         tmux tmuxpane tollef total-jobs: tr: transfer transfer-file: trc: trim: tty ungroup unquote \
         use-compress-program: use-decompress-program: use-cpus-instead-of-cores use-cores-instead-of-threads \
         use-sockets-instead-of-threads verbose wait wd: workdir: xapply xargs exit",
};

/// Marks before arguments in the line, or before files with arguments.
const SOURCES: &[&str] = &[":::", ":::+", "::::", "::::+"];

/// The maximum number of bytes of a mark with a number, its brackets aside.
const LONGEST_MARK: usize = 8;

/// The maximum number of sources whose arguments are combined.
const MOST_SOURCES: usize = 8;

/// The maximum number of bytes of the command lines that are made of all combinations.
const MOST_FILLED: usize = 1 << 17;

/// Options that put several arguments into one command line.
const JOINS: &[&str] =
    &["N", "n", "L", "l", "m", "X", "max-args", "max-lines", "max-replace-args", "xargs", "colsep", "C"];

/// Options that change which marks are replaced: any word may then be one.
const OTHER_MARKS: &[&str] =
    &["rpl", "parens", "U", "plus", "arg-sep", "arg-file-sep", "template", "tmpl", "profile"];

impl Walk {
    /// Handles `parallel` and its other names.
    pub(crate) fn parallel(&mut self, name: &str, args: &[Arg], context: &Context) {
        let options = SYNTAX.read(args, 1);
        let inner = Context { input: Input::Opaque, dialect: Dialect::Posix, fills: true, ..context.clone() };
        let rest = &args[options.operand..];
        self.parallel_of_moreutils(args, &inner);
        let end = rest.iter().position(|arg| SOURCES.contains(&arg.text.as_str())).unwrap_or(rest.len());
        let (command, sources) = rest.split_at(end);
        if !options.certain || options.has(OTHER_MARKS) {
            return self.parallel_anywhere(args, &inner);
        }
        // Without any argument nothing runs.
        let mut files = options.values(&["a", "arg-file"]).peekable();
        if files.peek().is_some() && sources.is_empty() && files.all(|arg| arg.value() == Some("/dev/null")) {
            return;
        }
        if name == "sem" || options.has(&["semaphore"]) {
            return self.joined(command, &inner);
        }
        if command.is_empty() {
            return self.parallel_lines(name, &options, sources, context);
        }
        self.parallel_command(command, &options, &inner);
        self.parallel_arguments(command, sources, &options, &inner);
    }

    /// Handles the program of the same name in moreutils: `parallel [-i] command -- arguments`, `parallel -- commands`.
    fn parallel_of_moreutils(&mut self, args: &[Arg], context: &Context) {
        let Some(end) = args.iter().position(|arg| arg.text == "--") else { return };
        let mut command = substitute(&args[1..end], "{}");
        if command.iter().all(|arg| arg.text.starts_with('-')) {
            for program in &args[end + 1..] {
                self.program(&program.text, program.dynamic, context);
            }
        }
        command.push(Arg::open());
        if let Some(first) = command.iter().position(|arg| !arg.text.starts_with('-') && !arg.is_open()) {
            self.run(&command[first..], context);
        }
    }

    /// Handles the command, with its marks, or with arguments after it.
    fn parallel_command(&mut self, command: &[Arg], options: &Options, context: &Context) {
        let own = options.values(&["I", "i"]).map(|arg| arg.text.as_str()).find(|mark| !mark.is_empty());
        let text: Vec<&str> = command.iter().map(|arg| arg.text.as_str()).collect();
        let text = text.join(" ");
        let (marked, text) = marks(&text, own);
        let text = if marked { text } else { format!("{text} {{}}") };
        self.program(&text, command.iter().any(|arg| arg.dynamic || arg.glob), context);
    }

    /// Handles the command with the arguments in the line: all of each `:::`, in every combination.
    fn parallel_arguments(&mut self, command: &[Arg], sources: &[Arg], options: &Options, context: &Context) {
        let literal = |arg: &&Arg| arg.value().is_some() && !arg.glob;
        if sources.iter().any(|arg| arg.text.starts_with("::::")) || !command.iter().all(|arg| literal(&arg))
        {
            return;
        }
        let own = options.values(&["I", "i"]).map(|arg| arg.text.as_str()).find(|mark| !mark.is_empty());
        let text: Vec<&str> = command.iter().map(|arg| arg.text.as_str()).collect();
        let text = text.join(" ");
        let text = own.map_or_else(|| text.clone(), |own| text.replace(own, "{}"));
        let groups: Vec<&[Arg]> = sources
            .split(|arg| SOURCES.contains(&arg.text.as_str()))
            .skip(1)
            .take(MOST_SOURCES + 1)
            .collect();
        let mut left = MOST_FILLED;
        let complete = groups.len() <= MOST_SOURCES
            && combinations(&groups).is_some_and(|combinations| {
                combinations.iter().all(|values| {
                    let line = filled(&text, values, &mut left);
                    line.map(|line| self.program(&line, false, &Context { fills: false, ..context.clone() }))
                        .is_some()
                })
            });
        if !complete {
            self.unknown(UnknownReason::ProgramText(text), false);
        }
    }

    /// Handles the form without a command: each argument, or each line of the input, is one.
    fn parallel_lines(&mut self, name: &str, options: &Options, sources: &[Arg], context: &Context) {
        let context = &Context { dialect: Dialect::Posix, ..context.clone() };
        let files: Vec<&Arg> = options.values(&["a", "arg-file"]).collect();
        for file in &files {
            self.script_file(file, name, context);
        }
        let Some((first, values)) = sources.split_first() else {
            if files.is_empty() {
                self.bare_shell(name, context);
            }
            return;
        };
        let several = values.iter().any(|arg| SOURCES.contains(&arg.text.as_str())) || !files.is_empty();
        let several = several || options.has(JOINS);
        for value in values {
            if first.text.starts_with("::::") {
                self.script_file(value, name, context);
            } else {
                self.program(&value.text, value.dynamic, context);
            }
        }
        if several {
            self.unknown(UnknownReason::ProgramFromInput(name.to_owned()), false);
        }
    }

    /// Handles unknown options: any word may start the command, or be all of it.
    fn parallel_anywhere(&mut self, args: &[Arg], context: &Context) {
        self.unknown(UnknownReason::ProgramText(args[0].raw.clone()), false);
        self.every_word(&args[1..], context);
    }
}

/// Returns one value of each source, in every combination; `None` if there are more than are followed.
fn combinations(groups: &[&[Arg]]) -> Option<Vec<Vec<String>>> {
    let mut combinations = vec![Vec::new()];
    for group in groups {
        let literal = group.iter().filter(|arg| arg.value().is_some() && !arg.glob);
        let values: Vec<String> =
            literal.map(|arg| quoted_word(&arg.text)).take(MAX_BRACE_WORDS + 1).collect();
        if combinations.len() * values.len() > MAX_BRACE_WORDS {
            return None;
        }
        let longer = |before: &Vec<String>| {
            let with = |value: &String| before.iter().chain([value]).cloned().collect();
            values.iter().map(with).collect::<Vec<Vec<String>>>()
        };
        combinations = combinations.iter().flat_map(longer).collect();
    }
    Some(combinations)
}

/// Returns the command line that parallel makes of a text and one argument of each source. Consumes its bytes of
/// `left`; `None` if there are not enough.
fn filled(text: &str, values: &[String], left: &mut usize) -> Option<String> {
    let all = values.join(" ");
    let (mut out, mut rest, mut marked) = (String::new(), text, false);
    while let Some((before, after)) = rest.split_once('{') {
        let close = after.bytes().take(LONGEST_MARK).position(|byte| byte == b'}');
        let mark =
            close.and_then(|at| Some((after.get(..at)?, after.get(at + 1..)?))).and_then(|(mark, after)| {
                let number = || values.get(mark.parse::<usize>().ok()?.checked_sub(1)?);
                let value = if mark.is_empty() { Some(&all) } else { number() };
                value.map(|value| (value, after))
            });
        let (value, after) = mark.map_or(("{", after), |(value, after)| (value.as_str(), after));
        marked |= mark.is_some();
        out.push_str(before);
        out.push_str(value);
        rest = after;
        if out.len() > *left {
            return None;
        }
    }
    out.push_str(rest);
    if !marked {
        out.push(' ');
        out.push_str(&all);
    }
    *left = left.checked_sub(out.len())?;
    Some(out)
}

/// Returns whether a text contains marks, and the text with all of them written `{}`.
fn marks(text: &str, own: Option<&str>) -> (bool, String) {
    let mut out = own.map_or_else(|| text.to_owned(), |own| text.replace(own, "{}"));
    let known = |inner: &str| {
        inner.len() <= 40 && inner.chars().all(|c| c.is_ascii_digit() || "./#%-+_:".contains(c))
    };
    let mut from = 0;
    let mut marked = false;
    while let Some(open) = out.get(from..).and_then(|rest| rest.find('{')).map(|at| at + from) {
        from = open + 1;
        let Some(close) = out[open..].find('}').map(|at| at + open) else { break };
        let inner = &out[open + 1..close];
        if known(inner) || (inner.starts_with('=') && inner.ends_with('=')) {
            out.replace_range(open..=close, "{}");
            marked = true;
            from = open + 2;
        }
    }
    (marked, out)
}
