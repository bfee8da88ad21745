//! Names of hooks that identify them without showing possible secrets: commands have tokens in their arguments.

use becket_base::text::one_line;
use becket_engine::handler::{Action, Command, Handler};

/// The maximum length of a name, in characters.
const LONGEST: usize = 60;
/// The programs whose next words name what they run.
const RUNNERS: [&str; 18] = [
    "npm", "npx", "pnpm", "yarn", "bun", "bunx", "deno", "uv", "uvx", "poetry", "cargo", "make", "just",
    "task", "mise", "go", "git", "becket",
];
/// The endings of the names of scripts and programs.
const SCRIPT_ENDINGS: [&str; 22] = [
    "sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "ts", "mts", "cts", "rb", "pl", "php", "lua",
    "awk", "jq", "ps1", "bat", "cmd", "exe", "jar",
];

/// Returns the name of a handler: the script that its command runs, otherwise its program; the host of an HTTP handler.
#[must_use]
pub fn of(handler: &Handler) -> String {
    let label = &handler.place.label;
    let name = match &handler.action {
        Action::Command(Command::Shell { script, .. }) => of_command(script),
        Action::Command(Command::Exec { program, args }) => {
            let words: Vec<String> =
                std::iter::once(program.to_string()).chain(args.iter().cloned()).collect();
            of_words(&words)
        }
        Action::Http(_) => Some(host(label).to_owned()),
        Action::McpTool(_) | Action::Callback(_) => Some(label.to_string()),
        Action::Prompt(_) | Action::Agent(_) => None,
    };
    let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| handler.action.name().to_owned());
    one_line(&name, LONGEST)
}

/// Returns the place of a handler: the name of the file and the line.
#[must_use]
pub fn place(handler: &Handler) -> String {
    let file = handler.location.file.file_name().map(|name| name.to_string_lossy().into_owned());
    format!("{}:{}", file.unwrap_or_default(), handler.location.line)
}

/// Returns the name of a command line; `None` if it has no words.
#[must_use]
pub fn of_command(line: &str) -> Option<String> {
    of_words(&words(line)).map(|name| one_line(&name, LONGEST))
}

fn of_words(words: &[String]) -> Option<String> {
    let files = words.iter().filter(|word| !word.contains("://")).map(|word| base(word));
    if let Some(script) = files.filter(|word| is_file_name(word)).find(|word| is_script(word)) {
        return Some(script.to_owned());
    }
    let mut words = words.iter().map(String::as_str).skip_while(|word| word.contains('='));
    let program = base(words.next()?);
    let arguments = words.take_while(|word| is_plain(word)).take(2);
    let arguments: Vec<&str> = arguments.take_while(|_| RUNNERS.contains(&program)).collect();
    Some(std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" "))
}

/// Returns true for the names of scripts and programs: any other word with a dot may be a token.
fn is_script(name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    SCRIPT_ENDINGS.iter().any(|script| ending.eq_ignore_ascii_case(script))
}

fn is_plain(word: &str) -> bool {
    word.len() <= 24
        && !word.starts_with('-')
        && word.bytes().all(|b| matches!(b, b'a'..=b'z' | b'-' | b'_' | b':'))
}

/// Returns the words of a command line, without quotes.
#[must_use]
pub fn words(line: &str) -> Vec<String> {
    let unquoted: String = line.chars().filter(|c| !matches!(c, '"' | '\'')).collect();
    let breaks = |c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')' | '<' | '>');
    unquoted.split(breaks).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns the first word that is the name of a file, without its directories.
#[must_use]
pub fn file(words: &[String]) -> Option<&str> {
    words.iter().filter(|word| !word.contains("://")).map(|word| base(word)).find(|word| is_file_name(word))
}

/// Returns the last part of a path.
#[must_use]
pub fn base(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

fn is_file_name(word: &str) -> bool {
    let Some((stem, ending)) = word.rsplit_once('.') else { return false };
    !stem.is_empty()
        && !stem.starts_with('-')
        // Assignments, addresses and user names are not files.
        && !stem.contains(['=', '@', ':', '?', '%'])
        && (1..=4).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the host of a URL, without its user and password.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit('@').next().unwrap_or(authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_shows_the_program_and_no_argument_that_may_be_secret() {
        for (line, name) in [
            ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/lint.sh --token hunter2hunter2", "lint.sh"),
            ("python3 C:\\hooks\\guard.py", "guard.py"),
            ("curl -H 'Authorization: Bearer abc.def' https://u:abc@hooks.example.com", "curl"),
            ("TOKEN=abc.def npm run lint -- --key=abc", "npm run lint"),
            ("notify hunter2", "notify"),
            ("npx eslint --fix", "npx eslint"),
            ("git push https://x", "git push"),
            ("/usr/bin/jq .x", "jq"),
            ("true", "true"),
            ("sh -c 'exit 2'", "sh"),
        ] {
            assert_eq!(of_command(line).as_deref(), Some(name), "{line}");
        }
        assert_eq!(of_command("  "), None);
        assert_eq!(host("https://u:p@hooks.example.com:8080/x?key=abc"), "hooks.example.com:8080");
        assert_eq!(
            of_command(&"x".repeat(500)).map(|name| name.chars().count()),
            Some(LONGEST + 1),
            "and a mark"
        );
    }
}
