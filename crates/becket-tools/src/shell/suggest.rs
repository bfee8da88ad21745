//! The rule that the user is offered beside yes and no (`protocol.md` P13): for one plain command of a program that is
//! known to do the same with any further arguments, all calls that begin alike; for anything else, these exact
//! commands.
//!
//! INVARIANT: the offered rule would have covered the line, and an exact rule covers nothing else. If that is not
//! possible, nothing is offered: for a line with a `*`, which rules read as any text, or with a redirection to a file,
//! which needs a question whatever rule covers the command (P4).

use becket_rules::shell::{Command, CommandPattern, Coverage, Line, RedirectionKind};
use becket_rules::{Change, Destination, PermissionUpdate, Rule, RuleList};

/// The maximum number of rules that are offered.
const MOST: usize = 5;

/// Programs whose first argument determines what they do.
const TWO_WORDS: [&str; 30] = [
    "git",
    "gh",
    "glab",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "cargo",
    "rustup",
    "go",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "bundle",
    "gem",
    "mix",
    "dotnet",
    "mvn",
    "gradle",
    "docker",
    "podman",
    "kubectl",
    "helm",
    "terraform",
    "brew",
    "swift",
    "flutter",
    "composer",
];

/// Programs whose first two arguments determine what they do, if this is the first one.
const THREE_WORDS: [[&str; 2]; 8] = [
    ["npm", "run"],
    ["pnpm", "run"],
    ["yarn", "run"],
    ["bun", "run"],
    ["docker", "compose"],
    ["git", "remote"],
    ["git", "stash"],
    ["gh", "pr"],
];

/// First arguments that name another program to run, or change what the first one runs.
const RUNS: [&str; 25] = [
    "exec",
    "run",
    "x",
    "dlx",
    "create",
    "init",
    "eval",
    "repl",
    "task",
    "config",
    "alias",
    "bisect",
    "submodule",
    "filter-branch",
    "filter-repo",
    "rebase",
    "difftool",
    "mergetool",
    "worktree",
    "hook",
    "extension",
    "install",
    "plugin",
    "debug",
    "cp",
];

/// Programs that do one thing, whatever their arguments are.
const ONE_WORD: [&str; 12] =
    ["ls", "cat", "head", "tail", "wc", "grep", "stat", "du", "df", "pwd", "which", "jq"];

/// Returns the rule that the user is offered for a line.
pub(super) fn for_line(text: &str) -> Option<PermissionUpdate> {
    let line = Line::parse(text);
    let writes = line.redirections().iter().any(|at| at.kind == RedirectionKind::Output);
    if text.contains('*') || writes {
        return None;
    }
    let commands: Vec<&Command> = line.commands().iter().filter(|command| command.is_subcommand()).collect();
    let mut specifiers: Vec<String> = match commands.as_slice() {
        [only] => vec![prefix(only).map_or_else(|| only.raw().to_owned(), |prefix| format!("{prefix} *"))],
        all => all.iter().map(|command| command.raw().to_owned()).collect(),
    };
    specifiers.dedup();
    let patterns: Vec<CommandPattern> = specifiers.iter().map(|text| CommandPattern::new(text)).collect();
    let covered = line.uncovered(&patterns.iter().collect::<Vec<_>>()) == Coverage::Covered;
    if !covered || specifiers.len() > MOST {
        return None;
    }
    let rules = specifiers.iter().map(|text| Rule::from_parts("Bash", Some(text)));
    let rules: Vec<Rule> = rules.collect::<Result<_, _>>().ok()?;
    let change = Change::AddRules(RuleList::Allow, rules);
    Some(PermissionUpdate { destination: Destination::LocalSettings, change })
}

/// Returns the prefix of a program's calls that do the same as this one.
fn prefix(command: &Command) -> Option<String> {
    let words: Vec<&str> = command.words().map_while(|word| word).collect();
    let (name, rest) = words.split_first()?;
    let count = match rest.first() {
        _ if ONE_WORD.contains(name) => 1,
        Some(first) if THREE_WORDS.contains(&[name, first]) && rest.get(1).is_some_and(is_name) => 3,
        Some(first) if TWO_WORDS.contains(name) && is_name(first) && !RUNS.contains(first) => 2,
        Some(_) | None => return None,
    };
    let prefix = words.get(..count)?.join(" ");
    // Written plainly: nothing before the name, no quotes, and no options between the words.
    let plain = command.raw().strip_prefix(prefix.as_str());
    plain.filter(|rest| rest.is_empty() || rest.starts_with(' ')).map(|_| prefix)
}

/// Returns whether a word names a subcommand or a script, not an option, a path or a text.
fn is_name(word: &&str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.chars().all(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(line: &str) -> Vec<String> {
        match for_line(line) {
            Some(PermissionUpdate { destination, change: Change::AddRules(RuleList::Allow, rules) }) => {
                assert_eq!(destination, Destination::LocalSettings);
                rules.iter().map(Rule::to_string).collect()
            }
            None => Vec::new(),
            Some(other) => panic!("{other:?}"),
        }
    }

    // rule: P13
    #[test]
    fn a_prefix_is_offered_where_it_is_safe_and_else_the_line_itself() {
        for (line, rules) in [
            ("git status", &["Bash(git status *)"][..]),
            ("git  commit -m 'a b'", &["Bash(git commit *)"]),
            ("npm run build -- --watch", &["Bash(npm run build *)"]),
            ("npm run", &["Bash(npm run)"]),
            ("npm test", &["Bash(npm test *)"]),
            ("cargo test -p x", &["Bash(cargo test *)"]),
            ("cargo run -- x", &["Bash(cargo run -- x)"]),
            ("ls -la", &["Bash(ls *)"]),
            ("git -C /x push", &["Bash(git -C /x push)"]),
            ("git --exec-path=/x status", &["Bash(git --exec-path=/x status)"]),
            ("git bisect run ./x", &["Bash(git bisect run ./x)"]),
            ("docker exec c sh", &["Bash(docker exec c sh)"]),
            ("npm exec x", &["Bash(npm exec x)"]),
            ("npx x", &["Bash(npx x)"]),
            ("sh -c 'git status'", &["Bash(sh -c 'git status')"]),
            ("bash x.sh", &["Bash(bash x.sh)"]),
            ("sudo git status", &["Bash(sudo git status)"]),
            ("rm -rf build", &["Bash(rm -rf build)"]),
            ("timeout 5 git status", &["Bash(timeout 5 git status)"]),
            ("env A=1 git status", &["Bash(env A=1 git status)"]),
            ("python3 x.py", &["Bash(python3 x.py)"]),
            ("./build.sh all", &["Bash(./build.sh all)"]),
            ("/usr/bin/git status", &["Bash(/usr/bin/git status)"]),
            ("'git' status", &["Bash('git' status)"]),
            ("git 'sta'tus", &["Bash(git 'sta'tus)"]),
            ("cd sub && cargo test", &["Bash(cd sub)", "Bash(cargo test)"]),
            ("git status | head", &["Bash(git status)", "Bash(head)"]),
            ("git status 2>/dev/null", &["Bash(git status *)"]),
            ("git add *.rs", &[]),
            ("cargo test > log", &[]),
            ("$CMD push", &[]),
            ("git status && $CMD", &[]),
            ("echo 'open", &[]),
            ("a; b; c; d; e; f", &[]),
            ("", &[]),
        ] {
            assert_eq!(offered(line), rules, "{line}");
        }
    }

    // rule: P13
    #[test]
    fn what_is_offered_covers_the_line_and_an_exact_rule_nothing_else() {
        for line in
            ["rm -rf build", "sh -c 'git push'", "a && b", "echo \"$HOME\"", "echo $(date)", "(cd x; y)"]
        {
            let patterns: Vec<CommandPattern> = offered(line)
                .iter()
                .map(|rule| CommandPattern::new(Rule::parse(rule).unwrap().specifier().unwrap()))
                .collect();
            let all: Vec<&CommandPattern> = patterns.iter().collect();
            assert!(patterns.is_empty() || Line::parse(line).uncovered(&all) == Coverage::Covered, "{line}");
            for wider in [format!("{line} x"), format!("{line}; rm -rf ."), format!("sudo {line}")] {
                assert_ne!(Line::parse(&wider).uncovered(&all), Coverage::Covered, "{wider}");
            }
        }
    }
}
