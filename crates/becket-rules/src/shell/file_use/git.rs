//! The directories that `git` writes in (rule P7).

use super::super::arg::Arg;
use super::FileAccess;
use super::collector::Collector;

/// The directories that `git` writes in: that of `-C`, and what `init` and `clone` make.
pub(super) fn collect(args: &[Arg], uses: &mut Collector<'_>) {
    let (mut rest, mut directory) = (args.iter(), None);
    let subcommand = loop {
        let Some(arg) = rest.next() else { return };
        match arg.text.as_str() {
            "-C" => directory = rest.next(),
            "-c" | "--git-dir" | "--work-tree" | "--namespace" => _ = rest.next(),
            option if option.starts_with('-') => {}
            name => break name,
        }
    };
    if args.iter().any(|arg| arg.text == "--no-index") {
        uses.all(rest.clone().filter(|arg| !arg.text.starts_with('-')), FileAccess::Read);
    }
    if GIT_READS.contains(&subcommand) {
        return;
    }
    let operands: Vec<&Arg> = rest.filter(|arg| !arg.text.starts_with('-')).collect();
    let made = match subcommand {
        "init" => operands.first(),
        "clone" => operands.get(1),
        _ => None,
    };
    match (directory, made) {
        (Some(directory), Some(made)) if !made.text.starts_with('/') => {
            let text = format!("{}/{}", directory.text, made.text);
            let dynamic = directory.dynamic || made.dynamic;
            uses.add(&Arg { raw: text.clone(), text, dynamic, ..(*directory).clone() }, FileAccess::Edit);
        }
        (_, Some(made)) => uses.add(made, FileAccess::Edit),
        (Some(directory), None) => uses.add(directory, FileAccess::Edit),
        (None, None) => {}
    }
}

/// Subcommands of `git` that leave the directory as it is.
const GIT_READS: [&str; 18] = [
    "status",
    "log",
    "diff",
    "show",
    "blame",
    "grep",
    "ls-files",
    "ls-tree",
    "rev-parse",
    "describe",
    "shortlog",
    "cat-file",
    "branch",
    "tag",
    "remote",
    "config",
    "reflog",
    "help",
];
