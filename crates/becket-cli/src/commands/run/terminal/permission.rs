//! Whether a call may run: what is asked, and what the answer means.
//!
//! INVARIANT: all of the input is shown, or the person is told how much of it is not.

use super::handle::{Said, Terminal, ToPut, Wants};
use super::markdown::Markdown;
use super::questions;
use crate::report::style::{FAINT, HEAD, SOURCE, WARNING, indented, one_line, plain, styled};
use becket_agent::tool_call::{PermissionAnswer, PermissionPrompt};
use becket_rules::{Change, Destination, PermissionUpdate, RuleList};
use serde_json::{Map, Value};

/// How many lines of a value are shown.
const LINES: usize = 30;
/// How many characters of a value are shown.
const LONG: usize = 4_000;
/// How many characters of a name are shown.
const NAME: usize = 100;

/// Asks.
pub(super) async fn asked(terminal: &Terminal, prompt: &PermissionPrompt) -> PermissionAnswer {
    if let Some(questions) = questions::of(prompt) {
        return match questions::asked(terminal, &questions).await {
            Some(answers) => PermissionAnswer::Answered { answers },
            None => no("the user does not want to answer"),
        };
    }
    let mut options = vec!["yes".to_owned()];
    if !prompt.suggestions.is_empty() {
        options.push("yes, and from now on what stands above".to_owned());
    }
    options.extend(["no".to_owned(), "no, and say what to do instead".to_owned()]);
    let (no_at, words_at) = (options.len() - 2, options.len() - 1);
    match terminal.put(ToPut::new(head(prompt), Wants::One(options))).await {
        Said::Chose(places) => match places.first() {
            Some(0) => PermissionAnswer::Allow { updates: Vec::new() },
            Some(at) if *at < no_at => PermissionAnswer::Allow { updates: prompt.suggestions.clone() },
            Some(at) if *at == words_at => instead(terminal).await,
            Some(_) | None => PermissionAnswer::Deny { message: None, interrupt: false },
        },
        Said::Words(_) | Said::Nothing => PermissionAnswer::Deny { message: None, interrupt: false },
        Said::Interrupted => PermissionAnswer::Deny { message: None, interrupt: true },
    }
}

/// What the model is told in the place of a result.
async fn instead(terminal: &Terminal) -> PermissionAnswer {
    let head = format!("{}\n", styled(HEAD, "What should be done instead?"));
    match terminal.put(ToPut::words(head)).await {
        Said::Words(words) if !words.trim().is_empty() => {
            no(&format!("the user said no, and: {}", words.trim()))
        }
        Said::Interrupted => PermissionAnswer::Deny { message: None, interrupt: true },
        Said::Words(_) | Said::Chose(_) | Said::Nothing => {
            PermissionAnswer::Deny { message: None, interrupt: false }
        }
    }
}

fn no(why: &str) -> PermissionAnswer {
    PermissionAnswer::Deny { message: Some(why.to_owned()), interrupt: false }
}

/// What would run, who wants it, and why somebody is asked.
fn head(prompt: &PermissionPrompt) -> String {
    let who = match &prompt.agent_id {
        Some(agent) => {
            format!(" {}", styled(SOURCE, &format!("for the agent {}", one_line(agent, NAME))))
        }
        None => String::new(),
    };
    let mut head = format!(
        "{} {}{who}\n{}{}",
        styled(WARNING, "permission:"),
        styled(HEAD, &one_line(&prompt.tool, NAME)),
        input(prompt),
        field("asked because", &prompt.because)
    );
    if !prompt.suggestions.is_empty() {
        head.push_str(&format!("  {}\n", styled(FAINT, "from now on, if you say so:")));
        head.extend(prompt.suggestions.iter().map(|change| indented(&on_one_line(&update(change)), 4)));
    }
    head
}

fn input(prompt: &PermissionPrompt) -> String {
    match (prompt.tool.as_str(), prompt.input.get("plan")) {
        ("ExitPlanMode", Some(Value::String(plan))) => {
            let mut markdown = Markdown::default();
            plan.lines().map(|line| format!("  {}\n", markdown.line(line))).collect()
        }
        _ => fields(&prompt.input),
    }
}

fn fields(input: &Map<String, Value>) -> String {
    let shown = |(name, value): (&String, &Value)| match value {
        Value::String(text) => field(name, text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            field(name, &serde_json::to_string_pretty(value).unwrap_or_default())
        }
    };
    input.iter().map(shown).collect()
}

/// A text by its name. Neither can begin a line as the prompt's own lines begin.
fn field(name: &str, text: &str) -> String {
    let name = styled(FAINT, &format!("{}:", one_line(name, NAME)));
    match text.contains('\n') {
        true => format!("  {name}\n{}", indented(&within(text), 4)),
        false => format!("  {name} {}\n", plain(&within(text))),
    }
}

/// All of a text on a line of its own.
fn on_one_line(text: &str) -> String {
    one_line(text, usize::MAX)
}

/// The beginning of a text that is too long to be looked at here, and how much is missing.
fn within(text: &str) -> String {
    let mut shown: String = text.split_inclusive('\n').take(LINES).collect();
    if let Some((end, _)) = shown.char_indices().nth(LONG) {
        shown.truncate(end);
    }
    let missing = text[shown.len()..].chars().count();
    match missing {
        0 => shown,
        _ => format!("{}\n… and {missing} more characters that are not shown", shown.trim_end_matches('\n')),
    }
}

/// What would hold from now on, and where.
fn update(update: &PermissionUpdate) -> String {
    let rules = |list: &RuleList, rules: &[becket_rules::Rule]| {
        let rules: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
        let list = match list {
            RuleList::Deny => "deny",
            RuleList::Ask => "ask for",
            RuleList::Allow => "allow",
        };
        format!("{list} {}", rules.join(", "))
    };
    let what = match &update.change {
        Change::AddRules(list, added) => rules(list, added),
        Change::ReplaceRules(list, only) => format!("only {}", rules(list, only)),
        Change::RemoveRules(list, removed) => format!("no longer {}", rules(list, removed)),
        Change::SetMode(mode) => format!("the mode `{}`", mode.name()),
        Change::AddDirectories(directories) => format!("work in `{}` too", directories.join("`, `")),
        Change::RemoveDirectories(directories) => format!("do not work in `{}`", directories.join("`, `")),
    };
    let place = match update.destination {
        Destination::Session => "this session",
        Destination::LocalSettings => "here, for you",
        Destination::ProjectSettings => "here, for all",
        Destination::UserSettings => "everywhere, for you",
    };
    format!("{what} ({place})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn prompt(input: &Value) -> PermissionPrompt {
        PermissionPrompt {
            tool: "Bash".to_owned(),
            tool_use_id: "t1".to_owned(),
            agent_id: Some("helper-1".to_owned()),
            input: input.as_object().cloned().unwrap_or_default(),
            because: "a hook of the project: \u{1b}[2Jcareful".to_owned(),
            suggestions: Vec::new(),
        }
    }

    #[test]
    fn a_prompt_shows_all_and_commands_no_terminal() {
        let input = json!({"command": "ls\u{1b}[2J -a\u{202e}", "timeout": 5, "lines": "a\nb"});
        let shown = anstream::adapter::strip_str(&head(&prompt(&input))).to_string();
        let expected = "permission: Bash for the agent helper-1\n  command: ls\\u{1b}[2J -a\\u{202e}\n  timeout: 5\n  \
                        lines:\n    a\n    b\n  asked because: a hook of the project: \\u{1b}[2Jcareful\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn no_text_of_others_looks_like_a_line_of_the_prompt() {
        let forged = "x\n  asked because: all is well\npermission: Read";
        let mut prompt = prompt(&json!({forged: forged}));
        forged.clone_into(&mut prompt.because);
        forged.clone_into(&mut prompt.tool);
        prompt.agent_id = Some(forged.to_owned());
        let rule = json!({"tool": "Bash(ls\npermission: Read)", "behavior": "allow"});
        prompt.suggestions = PermissionUpdate::parse(&rule).into_iter().collect();
        assert_eq!(prompt.suggestions.len(), 1);
        let shown = anstream::adapter::strip_str(&head(&prompt)).to_string();
        let begins = |with: &str| shown.lines().filter(|line| line.starts_with(with)).count();
        assert_eq!((begins("permission:"), begins("  asked because:")), (1, 1), "{shown}");
    }

    // rule: P13
    #[test]
    fn all_that_would_be_remembered_stands_there_however_long() {
        let rules: Vec<Value> =
            (0..40).map(|n| json!({"toolName": "Bash", "ruleContent": format!("make target-{n}")})).collect();
        let rule =
            json!({"type": "addRules", "rules": rules, "behavior": "allow", "destination": "userSettings"});
        let mut prompt = prompt(&json!({"command": "make"}));
        prompt.suggestions = PermissionUpdate::parse(&rule).into_iter().collect();
        let shown = anstream::adapter::strip_str(&head(&prompt)).to_string();
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        for n in 0..40 {
            assert!(shown.contains(&format!("`Bash(make target-{n})`")), "{n}: {shown}");
        }
    }

    #[test]
    fn what_is_too_long_says_how_much_is_missing() {
        let shown = within(&"x".repeat(LONG + 7));
        assert!(shown.ends_with("… and 7 more characters that are not shown"), "{shown}");
        let shown = within(&"ab\n".repeat(LINES + 2));
        assert!(shown.ends_with("ab\n… and 6 more characters that are not shown"), "{shown}");
        assert_eq!(within("a\nb"), "a\nb");
    }

    // rule: P13
    #[test]
    fn what_would_be_remembered_is_said_in_words() {
        for (update, expected) in [
            (json!({"tool": "Bash(ls)", "behavior": "allow"}), "allow `Bash(ls)` (this session)"),
            (
                json!({"type": "setMode", "mode": "acceptEdits", "destination": "localSettings"}),
                "the mode `acceptEdits` (here, for you)",
            ),
            (
                json!({"type": "addDirectories", "directories": ["/a", "/b"], "destination": "userSettings"}),
                "work in `/a`, `/b` too (everywhere, for you)",
            ),
        ] {
            let update = PermissionUpdate::parse(&update).expect("it can be read");
            assert_eq!(super::update(&update), expected);
        }
    }
}
