//! Removals that need an approval even if a rule allows them (D3): `rm` or `rmdir` of the root and its children, the
//! home directory, the cwd and their parents, and of a glob or slash straight after a variable, which is the root if
//! the variable is empty.
//!
//! It errs on the side of a prompt. The content of a directory (`dir/*`) counts as the directory, wherever in the
//! command `rm` is; a variable counts as each value that the line may give it; and a line that can't be read but names
//! `rm` is critical.

mod found;
mod places;
mod values;

use self::places::Places;
use self::values::{Values, Variables, is_unguarded};
use super::call::{Call, CommandLine, Scope};
use crate::matcher::Renames;
use crate::path::Normal;
use crate::shell::{self, Arg, Command, CommandPattern};
use crate::tools::{self, Primary};
use serde_json::{Map, Value};

/// The maximum number of paths that one line may remove, relative to each directory that it may be in.
const MOST_PATHS: usize = 8_192;

/// The maximum number of directories that one operand of `rmdir -p` may name.
const MOST_PARENTS: usize = 64;

/// Returns why a call removes a critical path, if it does.
#[must_use]
pub fn critical_removal(call: &Call<'_>, scope: &Scope<'_>) -> Option<String> {
    critical_removal_in(call, scope, &|_| None)
}

/// Returns why a call removes a critical path in an environment whose variables `variables` returns, if it does.
///
/// ```
/// # use becket_rules::{Call, NoLinks, Scope, critical_removal, critical_removal_in};
/// # use std::path::Path;
/// # let (cwd, home) = (Path::new("/work/app"), Some(Path::new("/home/ann")));
/// # let scope = Scope { cwd, home, anchor: cwd, links: &NoLinks };
/// let input = serde_json::json!({"command": "rm -rf \"$BACKUP\""});
/// let call = Call::new("Bash", input.as_object().unwrap());
/// assert_eq!(critical_removal(&call, &scope), None);
/// let why = critical_removal_in(&call, &scope, &|name| (name == "BACKUP").then(|| "/home/ann".to_owned()));
/// assert_eq!(why.as_deref(), Some("`$BACKUP` is the home directory"));
/// ```
#[must_use]
pub fn critical_removal_in(
    call: &Call<'_>,
    scope: &Scope<'_>,
    variables: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    if let Primary::Bash(field) = call.primary()
        && call.text(field).is_some_and(names_no_removal)
    {
        return None;
    }
    match call.line()? {
        CommandLine::Bash(line) => in_bash(line, scope, variables),
        CommandLine::PowerShell(line) => {
            let places = Places::new(scope, vec![Normal::of(scope.cwd)]);
            line.commands().find_map(|command| in_power_shell(command, &places))
        }
    }
}

/// Returns whether a call may remove something at all, without the analysis of its line, which most calls don't need:
/// false only for tools that run no lines, and for plain lines without `rm`.
#[must_use]
pub fn may_remove(tool: &str, input: &Map<String, Value>, renames: &Renames) -> bool {
    match tools::find(renames.current(tool)).map(|tool| tool.primary) {
        Some(Primary::Bash(field)) => !input.get(field).and_then(Value::as_str).is_some_and(names_no_removal),
        Some(Primary::PowerShell(_)) => true,
        Some(
            Primary::Path(..) | Primary::Domain(_) | Primary::Name(_) | Primary::Skill(_) | Primary::None,
        )
        | None => false,
    }
}

/// Returns whether a line can't run `rm`, without the analysis, which most lines don't need. In a text of only these
/// characters each word is literal: nothing is quoted, expanded or read from elsewhere.
fn names_no_removal(line: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" \t\n./-_,:=@%+;|&".contains(&byte);
    line.bytes().all(is_plain) && !line.contains("rm")
}

fn in_bash(line: &shell::Line, scope: &Scope<'_>, variables: Variables<'_>) -> Option<String> {
    let (places, values, is_cut) = Places::of(line, scope, variables);
    let mut left = MOST_PATHS;
    let found = line.commands().iter().find_map(|command| {
        let paths = Removal::of(command, &values)?.path_count();
        left = left.saturating_sub(paths * places.count());
        if is_cut || left == 0 {
            return Some("the line removes more paths than can be checked".to_owned());
        }
        in_command(command, &places, &values)
    });
    let found = found.or_else(|| {
        let hidden = ["rm *", "rmdir *"].into_iter().find(|text| {
            let pattern = CommandPattern::new(text);
            // No command matches, so the match is from the scan of an unreadable line.
            line.hit(&pattern).is_some() && line.find(&pattern).is_none()
        })?;
        let why = line.unknowns().next().map(ToString::to_string).unwrap_or_default();
        Some(format!("the line may run `{}`, and {why}", hidden.trim_end_matches(" *")))
    });
    let found = found.or_else(|| {
        let reason = line.unread_reason().filter(|_| line.unread_words().is_some_and(may_hold_removal))?;
        Some(format!("the line may remove directories by a name that only run time knows, and {reason}"))
    });
    found.or_else(|| {
        values
            .is_too_complex()
            .then(|| "the line removes more than can be followed in its variables".to_owned())
    })
}

/// The arguments of an `rm` or `rmdir`.
struct Removal<'a> {
    args: &'a [Arg],
    /// True if it removes directories.
    is_recursive: bool,
    /// True if it also removes the directories that an operand names before its last part (`rmdir -p`).
    with_parents: bool,
}

/// Programs that print or search their arguments and run none of them.
const RUN_NOTHING: [&str; 18] = [
    "echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "ack", "which", "whereis", "type", "hash", "man",
    "whatis", "apropos", "tldr", "info", "ls",
];

impl<'a> Removal<'a> {
    /// Returns the removal that a command is, or that the program it starts runs.
    fn of(command: &'a Command, values: &Values<'_>) -> Option<Self> {
        let (first, rest) = command.args.split_first()?;
        let after = |args: &'a [Arg], name: &str| Self {
            args,
            is_recursive: name == "rmdir" || args.iter().any(may_be_recursive),
            with_parents: name == "rmdir" && args.iter().any(may_name_parents),
        };
        let unnamed = |args| Self { args, is_recursive: true, with_parents: false };
        match first.command_name() {
            Some(name) if is_removal(name) => Some(after(rest, name)),
            Some(name) if RUN_NOTHING.contains(&name) => None,
            Some(_) => {
                let at = rest.iter().position(|arg| arg.command_name().is_some_and(is_removal))?;
                Some(after(rest.get(at + 1..)?, rest.get(at)?.command_name()?))
            }
            None if values.may_be(&first.text, is_removal) => Some(unnamed(rest)),
            // The name is known only at run time. With an option that makes `rm` remove directories it may be `rm`.
            None => rest.iter().any(is_recursive).then_some(unnamed(rest)),
        }
    }
}

impl Removal<'_> {
    /// Returns the number of paths that it removes; a text that only run time knows counts as the longest that is followed.
    fn path_count(&self) -> usize {
        let of = |arg: &Arg| match (self.with_parents, arg.dynamic) {
            (false, _) => 1,
            (true, true) => MOST_PARENTS,
            (true, false) => part_count(&arg.text),
        };
        self.args.iter().map(of).sum()
    }
}

fn part_count(path: &str) -> usize {
    path.matches('/').count() + 1
}

fn is_removal(name: &str) -> bool {
    matches!(name, "rm" | "rmdir")
}

/// Returns whether the words of a line that can't be read contain an option that makes `rm` remove directories, a few
/// words after one that may become `rm` at run time.
fn may_hold_removal<'l>(words: impl Iterator<Item = &'l str>) -> bool {
    const FEW: usize = 16;
    let mut left = 0_usize;
    for word in words {
        if left > 0 && is_recursive_option(word) {
            return true;
        }
        left = if word.contains(['$', '*', '?', '[']) { FEW } else { left.saturating_sub(1) };
    }
    false
}

/// Returns whether the argument is `-r`, `-fR`, `--recursive` or a prefix of it.
fn is_recursive(arg: &Arg) -> bool {
    is_recursive_option(&arg.text)
}

fn is_recursive_option(text: &str) -> bool {
    match text.strip_prefix("--") {
        Some(long) => !long.is_empty() && "recursive".starts_with(long),
        None => text.strip_prefix('-').is_some_and(|cluster| {
            cluster.contains(['r', 'R']) && cluster.chars().all(|option| "rRfivId".contains(option))
        }),
    }
}

/// Returns whether the argument may be such an option, or is a word known only at run time, which may be one.
fn may_be_recursive(arg: &Arg) -> bool {
    is_recursive(arg) || (arg.open && arg.text.starts_with(['$', '`']) && !arg.text.contains('/'))
}

/// Returns whether the argument may be `rmdir`'s `-p`, `-pv`, `--parents` or a prefix of it.
fn may_name_parents(arg: &Arg) -> bool {
    let is_option = match arg.text.strip_prefix("--") {
        Some(long) => !long.is_empty() && "parents".starts_with(long),
        None => arg.text.strip_prefix('-').is_some_and(|cluster| cluster.contains('p')),
    };
    is_option || arg.open
}

/// Returns the paths that the removal of one removes: itself, and the directories that it names before its last part.
fn with_parents(path: &str, all: bool) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), move |path| {
        let (parent, _) = path.trim_end_matches('/').rsplit_once('/').filter(|_| all)?;
        Some(parent).filter(|parent| !parent.is_empty())
    })
}

fn in_command(command: &Command, places: &Places<'_>, values: &Values<'_>) -> Option<String> {
    let removal = Removal::of(command, values)?;
    let (mut ended, mut is_filled) = (false, false);
    for arg in removal.args {
        if !ended && arg.text.starts_with('-') {
            ended |= arg.text == "--";
            continue;
        }
        if let Some(why) = unexpanded(arg, places) {
            return Some(why);
        }
        if is_filled_in(arg) {
            is_filled = true;
        } else if let Some(why) = operand(arg, &removal, places, values) {
            return Some(why);
        }
    }
    if let Some(why) = in_name(command, places, values) {
        return Some(why);
    }
    if !is_filled {
        return None;
    }
    // `xargs rm -rf`: the output of the line is removed.
    let mut printed = values.printed().into_iter();
    printed
        .find_map(|text| places.critical_path(&text, true).map(|what| format!("`{text}` is {what}")))
        .or_else(|| {
            // `find -exec rm -rf {}`: its starting points are found, too.
            let mut starts =
                values.commands().iter().filter(|_| removal.is_recursive).flat_map(found::starts);
            starts.find_map(|start| match start {
                Some(start) => operand(start, &removal, places, values),
                None => places.critical_path(".", false).map(|what| format!("`find` starts from {what}")),
            })
        })
}

/// Returns why an operand in the same word as the name (`rm$IFS-rf$IFS/`) is critical, if one is.
fn in_name(command: &Command, places: &Places<'_>, values: &Values<'_>) -> Option<String> {
    let first = command.args.first().filter(|arg| arg.dynamic)?;
    values.readings(&first.text).into_iter().find_map(|reading| {
        let mut words = reading.text.split_whitespace();
        words.next().filter(|name| is_removal(name.rsplit('/').next().unwrap_or(name)))?;
        let mut operands = words.filter(|word| !word.starts_with('-'));
        operands.find_map(|word| places.critical_path(word, true).map(|what| format!("`{word}` is {what}")))
    })
}

/// Returns whether another program fills in or appends an argument from its input.
fn is_filled_in(arg: &Arg) -> bool {
    arg.is_open() || (arg.dynamic && !arg.text.contains(['$', '`']))
}

/// Returns why a word may be critical whose braces contain more than is followed (`/{a..z}{a..z}*`), if it may: the words
/// that it becomes match a pattern.
fn unexpanded(arg: &Arg, places: &Places<'_>) -> Option<String> {
    let text = arg.text.as_str();
    let (head, rest) = text.split_once('{').filter(|_| arg.dynamic)?;
    let (inner, tail) = rest.rsplit_once('}')?;
    if !inner.contains(',') && !inner.contains("..") {
        return None;
    }
    let what = places.critical_path(&format!("{head}*{tail}"), true)?;
    Some(format!("`{text}` may be {what}"))
}

/// Returns why an operand is critical, if it is.
fn operand(arg: &Arg, removal: &Removal<'_>, places: &Places<'_>, values: &Values<'_>) -> Option<String> {
    let text = &arg.text;
    let is_too_long = |path: &str| removal.with_parents && part_count(path) > MOST_PARENTS;
    let too_long = || {
        let start: String = text.chars().take(60).collect();
        format!("`{start}…` names more directories than can be checked")
    };
    let critical = |path: &str, may_glob| {
        with_parents(path, removal.with_parents).find_map(|path| places.critical_path(path, may_glob))
    };
    if !arg.dynamic {
        if is_too_long(text) {
            return Some(too_long());
        }
        return critical(text, arg.glob).map(|what| format!("`{text}` is {what}"));
    }
    if is_unguarded(text) {
        return Some(format!(
            "`{text}` is the root, or all that is in a directory, where the variable is empty"
        ));
    }
    values.readings(text).into_iter().find_map(|reading| {
        let assumed = if reading.is_assumed { ", where a variable in it is empty" } else { "" };
        if reading.is_assumed && !removal.is_recursive {
            return None;
        }
        // An expansion outside of quotes is several words, and inside of them one.
        let whole = Some(reading.text.trim()).filter(|text| text.contains(char::is_whitespace));
        let mut words = whole.into_iter().chain(reading.text.split_whitespace());
        words.find_map(|word| {
            if is_too_long(word) {
                return Some(too_long());
            }
            critical(word, true).map(|what| format!("`{text}` is {what}{assumed}"))
        })
    })
}

fn in_power_shell(command: &str, places: &Places<'_>) -> Option<String> {
    let mut words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'', '(', ')', '{', '}']));
    words.find(|word| is_power_shell_removal(word))?;
    words.find_map(|word| {
        let lower = word.to_ascii_lowercase();
        let known = ["$home", "$env:userprofile", "$env:home", "${home}"];
        let home = known.into_iter().find_map(|name| lower.strip_prefix(name));
        let here = ["$pwd.path", "$pwd", "${pwd}", "$psscriptroot"]
            .into_iter()
            .find_map(|name| lower.strip_prefix(name));
        let text = match (home, here) {
            (Some(rest), _) => format!("~{}", &word[word.len() - rest.len()..]).replace('\\', "/"),
            (None, Some(rest)) => format!(".{}", &word[word.len() - rest.len()..]).replace('\\', "/"),
            (None, None) if is_unguarded(word) => {
                return Some(format!("`{word}` is all that is in a directory, where the variable is empty"));
            }
            (None, None) if word.contains('$') => return None,
            (None, None) => word.to_owned(),
        };
        places.critical_path(&text, text.contains('*')).map(|what| format!("`{word}` is {what}"))
    })
}

fn is_power_shell_removal(name: &str) -> bool {
    ["rm", "rmdir", "ri", "rd", "del", "erase", "remove-item"]
        .iter()
        .any(|own| name.eq_ignore_ascii_case(own))
}

#[cfg(test)]
mod tests;
