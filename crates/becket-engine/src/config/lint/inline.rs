//! Programs inside the command itself: `node -e "…"`, `python3 -c "…"`.

use becket_rules::shell::Command;

/// Interpreters, and the options in front of a program.
const INTERPRETERS: [(&str, &[&str]); 6] = [
    ("node", &["-e", "--eval", "-p", "--print"]),
    ("bun", &["-e", "--eval", "-p", "--print"]),
    ("deno", &["eval"]),
    ("python", &["-c"]),
    ("python3", &["-c"]),
    ("ruby", &["-e"]),
];

/// Returns the text of a command that contains a program; `None` if it contains none.
pub(super) fn program(command: &Command) -> Option<&str> {
    let mut words = command.words();
    let name = words.next()??;
    let (_, options) = INTERPRETERS.iter().find(|(interpreter, _)| *interpreter == name)?;
    let option = words.next()??;
    // A variable in the program makes its word unknown, so the text of the command is used instead.
    options.contains(&option).then(|| command.raw())
}

/// Returns the text of a program for Node.js or Bun, as the shell hands it over; `None` if a variable is in it.
pub(super) fn program_word(command: &Command) -> Option<&str> {
    let mut words = command.words();
    let name = words.next()??;
    let option = words.next()??;
    let is_javascript = matches!(name, "node" | "bun") && ["-e", "--eval", "-p", "--print"].contains(&option);
    words.next()?.filter(|_| is_javascript)
}

/// Returns the code other than 0 and 2 with which a program ends itself, unless it can also end with 2.
pub(super) fn exit_code(command: &Command) -> Option<u8> {
    let text = program(command)?;
    let calls = || text.match_indices("exit(");
    let code = |(at, call): (usize, &str)| Some(text.get(at + call.len()..)?.split_once(')')?.0.trim());
    // A code that is computed, such as that of a program that was started, may be 2.
    let may_be_2 = |code: &str| code == "2" || !code.chars().all(|c| c.is_ascii_digit());
    if text.contains("exitCode") || calls().filter_map(code).any(may_be_2) {
        return None;
    }
    calls()
        .filter(|(at, _)| !is_of_catch(text, *at))
        .find_map(|call| code(call)?.parse().ok().filter(|code| !matches!(code, 0 | 2)))
}

/// Returns whether a position is at the beginning of a block that handles an error.
fn is_of_catch(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let Some((front, _)) = before.rsplit_once(['{', ':']) else { return false };
    let front = front.trim_end();
    let front =
        front.strip_suffix(')').and_then(|front| front.rsplit_once('(')).map_or(front, |(front, _)| front);
    front.trim_end().ends_with("catch")
        || front.rsplit([';', '\n']).next().is_some_and(|last| last.contains("except"))
}
