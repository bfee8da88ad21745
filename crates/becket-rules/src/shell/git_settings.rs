//! Settings of git whose value is a program: `core.sshCommand`, `alias.x`, `remote.o.url=ext::…` (rule P6).

use super::git_programs::Runs;

/// Ends of the last part of settings that contain a program.
const PROGRAM_KEYS: &[&str] = &[
    "askpass",
    "authorsprog",
    "browser",
    "clean",
    "cmd",
    "command",
    "difffilter",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "gitproxy",
    "helper",
    "httpd",
    "packobjectshook",
    "pager",
    "process",
    "program",
    "receivepack",
    "smudge",
    "textconv",
    "tunnel",
    "uploadpack",
];

/// Last parts of settings that contain the path of a program, or of a directory or file with programs.
const PATH_KEYS: &[&str] = &["path", "hookspath", "templatedir"];

/// The setting that makes git run the nearest subcommand for a misspelled one.
pub(crate) const CORRECTS: &str = "help.autocorrect";

/// Returns the program in `section.key=value`: a shell command, or for `alias.name` a subcommand unless it starts with
/// `!`. Which subcommand a corrected word means is unknown.
pub(crate) fn setting(pair: &str) -> Option<(Runs, String)> {
    let (key, value) = match pair.split_once('=') {
        Some(pair) => pair,
        None if pair.eq_ignore_ascii_case(CORRECTS) => (pair, "true"),
        None => return None,
    };
    let key = key.to_ascii_lowercase();
    if key == CORRECTS {
        let is_off = ["0", "false", "off", "no", "never", "show"].contains(&value);
        return (!is_off).then(|| (Runs::Unknown, CORRECTS.to_owned()));
    }
    if let Some(text) = value.strip_prefix('!') {
        return Some((Runs::Text, text.to_owned()));
    }
    if key.starts_with("alias.") {
        return Some((Runs::Words, format!("git {value}")));
    }
    let last = key.rsplit('.').next().unwrap_or_default();
    let switch = matches!(value.to_ascii_lowercase().as_str(), "" | "true" | "false" | "/dev/null");
    let program = names_program(&key, last) || (last == "smtpserver" && value.starts_with('/'));
    (program && !switch).then(|| (Runs::Text, value.to_owned()))
}

/// Returns the subcommand that a setting makes an alias for.
pub(crate) fn alias(pair: &str) -> Option<&str> {
    let (key, value) = pair.split_once('=')?;
    let is_alias = key.to_ascii_lowercase().starts_with("alias.");
    value.split_whitespace().next().filter(|_| is_alias)
}

/// Returns whether a value of the setting may be a program, or the address of one.
pub(crate) fn may_run(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let last = key.rsplit('.').next().unwrap_or_default();
    let address = last.ends_with("url") || last.ends_with("insteadof") || last == "vcs";
    key.starts_with("alias.")
        || key == CORRECTS
        || names_program(&key, last)
        || address
        || matches!(last, "smtpserver" | "update")
}

fn names_program(key: &str, last: &str) -> bool {
    PROGRAM_KEYS.iter().any(|end| last.ends_with(end) && !key.starts_with("color."))
        || (PATH_KEYS.contains(&last) && !key.starts_with("submodule."))
        || key.starts_with("pager.")
}

/// Returns whether the text is a setting by which a program is the address of a remote (`remote.o.vcs=ext`).
pub(crate) fn is_transport(text: &str) -> bool {
    text.split_once('=').is_some_and(|(key, value)| value == "ext" && has_last_part(key, "vcs"))
}

/// Returns the address in a setting of one (`remote.o.url`).
pub(crate) fn url(pair: &str) -> Option<&str> {
    let (key, value) = pair.split_once('=')?;
    (has_last_part(key, "url") || has_last_part(key, "pushurl")).then_some(value)
}

/// Returns base and start of a setting that replaces the start of addresses (`url.base.insteadOf=start`).
pub(crate) fn insertion(pair: &str) -> Option<(&str, &str)> {
    let (key, start) = pair.split_once('=')?;
    let inserts = has_last_part(key, "insteadof") || has_last_part(key, "pushinsteadof");
    let (key, _) = key.rsplit_once('.').filter(|_| inserts)?;
    // The word may be `--config=url.…`.
    let base = key.to_ascii_lowercase().find("url.")? + "url.".len();
    Some((&key[base..], start))
}

fn has_last_part(key: &str, part: &str) -> bool {
    key.rsplit_once('.').is_some_and(|(_, last)| last.eq_ignore_ascii_case(part))
}
