//! The help of every command: its length, its parts, and its examples, which have to parse.

use super::{EXIT_CODES, Extent, PAGES, command, grouped, names};
use crate::links;
use becket_rules::shell::Line;
use clap::Command;
use std::path::{Path, PathBuf};

/// The maximum number of lines of a short help.
const LINES: usize = 50;
const COLUMNS: usize = 100;

/// Returns every visible command, with its full name.
fn shown() -> Vec<(String, Command)> {
    let mut whole = command().term_width(COLUMNS);
    whole.build();
    let mut found = Vec::new();
    let mut waiting = vec![("becket".to_owned(), whole)];
    while let Some((path, command)) = waiting.pop() {
        let below = command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
        waiting.extend(below.map(|sub| (format!("{path} {}", sub.get_name()), sub.clone())));
        found.push((path, command));
    }
    found
}

#[test]
fn every_command_is_in_one_group() {
    let mut grouped: Vec<&str> = names().collect();
    let mut all: Vec<String> =
        shown().into_iter().filter_map(|(path, _)| Some(path.strip_prefix("becket ")?.to_owned())).collect();
    all.retain(|name| !name.contains(' '));
    all.sort_unstable();
    grouped.sort_unstable();
    assert_eq!(all, grouped);
}

fn long(command: &Command) -> String {
    command.clone().render_long_help().to_string()
}

/// Returns the lines below `Examples`.
fn examples(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Examples")).skip(1);
    lines.take_while(|line| line.starts_with("  ")).map(str::trim).collect()
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn short_help_fits_on_a_screen_and_leads_to_the_long_one() {
    for (path, command) in shown() {
        let whole =
            if path == "becket" { grouped(command.clone(), Extent::Short, None) } else { command.clone() };
        let short = whole.clone().render_help().to_string();
        assert!(short.lines().count() <= LINES, "{path} -h has {} lines:\n{short}", short.lines().count());
        assert!(short.contains(&format!("`{path} --help`")), "{path}");
        assert!(!short.contains("Examples"), "{path}");
        assert!(long(&command).len() > short.len(), "{path}");
    }
}

#[test]
fn global_options_are_under_their_own_heading() {
    for (path, command) in shown() {
        let help = long(&command);
        let (own, global) =
            help.split_once("\nGlobal options:\n").unwrap_or_else(|| panic!("{path}:\n{help}"));
        for option in ["--settings", "--quiet", "--verbose", "--json", "-C "] {
            assert!(global.contains(option), "{path}: {option} in:\n{global}");
            let names = |line: &str| {
                line.split_whitespace().take(2).any(|word| word.trim_end_matches(',') == option.trim())
            };
            let is_own = own.lines().any(|line| line.trim_start().starts_with('-') && names(line));
            assert!(!is_own, "{path}: {option} in:\n{own}");
        }
    }
}

#[test]
fn long_help_has_examples_that_parse() {
    let mut seen = 0;
    for (path, sub) in shown() {
        let help = long(&sub.term_width(1_000));
        let examples = examples(&help);
        assert!(!examples.is_empty(), "{path} has no examples:\n{help}");
        let mut has_own = false;
        for example in examples {
            let line = Line::parse(example);
            let calls: Vec<Vec<&str>> = line
                .commands()
                .iter()
                .filter_map(|call| call.words().collect::<Option<Vec<&str>>>())
                .filter(|words| words.first() == Some(&"becket"))
                .collect();
            assert!(!calls.is_empty(), "{path}: `{example}` calls no becket");
            for call in calls {
                let parsed = command().try_get_matches_from(&call);
                assert!(parsed.is_ok(), "{path}: `{example}`:\n{}", parsed.unwrap_err());
                has_own |= path.split(' ').skip(1).all(|word| call.contains(&word));
                seen += 1;
            }
        }
        assert!(has_own, "{path}: none of the examples is of the command");
    }
    assert!(seen > 80, "{seen}");
}

#[test]
fn long_help_leads_to_pages_that_are_there() {
    for (path, command) in shown() {
        let help = long(&command.term_width(1_000));
        let guide = help.lines().find_map(|line| line.strip_prefix("Guide: ")).expect(&path);
        let page = guide.strip_prefix(links::PAGES).expect(&path).trim_start_matches('/');
        let (file, heading) = page.split_once('#').unwrap_or((page, ""));
        let text = std::fs::read_to_string(docs().join(file)).expect(page);
        let anchor = |line: &str| {
            line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-").replace('\'', "")
        };
        assert!(
            heading.is_empty() || text.lines().any(|line| line.starts_with('#') && anchor(line) == heading),
            "{page}"
        );
        assert!(help.contains(&links::page(EXIT_CODES)), "{path}");
    }
    let names: Vec<String> = shown().into_iter().map(|(path, _)| path).collect();
    for (path, _) in PAGES {
        assert!(names.iter().any(|name| name == path), "`{path}` is not a command");
    }
}

#[test]
fn exit_codes_in_the_help_are_those_of_the_page() {
    let page = std::fs::read_to_string(docs().join(EXIT_CODES)).expect("the page is there");
    for (path, command) in shown() {
        let help = long(&command.term_width(1_000));
        let Some(codes) = codes_of(&help) else {
            assert!(path.starts_with("becket schema "), "{path} has no exit codes");
            continue;
        };
        let name = path.trim_start_matches("becket").trim();
        if name.is_empty() {
            continue;
        }
        let row = row_of(&page, name).unwrap_or_else(|| panic!("no row of the page is about `{name}`"));
        for code in numbers(&codes) {
            let cell = row.get(usize::from(code));
            let is_named = cell.is_some_and(|cell| !cell.is_empty());
            assert!(is_named || page.contains(&format!("{code} ")), "`{name}`: {code} in {codes}");
            assert!(code > 4 || is_named, "`{name}`: the page has no {code}, the help has: {codes}");
        }
        for (code, cell) in
            row.iter().enumerate().filter(|(_, cell)| !cell.is_empty() && !cell.starts_with("that of"))
        {
            let code = u8::try_from(code).expect("a small table");
            assert!(numbers(&codes).contains(&code), "`{name}`: the help has no {code}: {cell}");
        }
    }
}

/// Returns the paragraph about exit codes on one line.
fn codes_of(help: &str) -> Option<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Exit codes: "));
    let paragraph: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    (!paragraph.is_empty()).then(|| paragraph.join(" "))
}

/// Returns the cells of the row about a command, or about its parent command.
fn row_of<'p>(page: &'p str, name: &str) -> Option<Vec<&'p str>> {
    let row = page.lines().filter(|line| line.starts_with("| `")).find_map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let names = cells.next()?;
        names.split(", ").any(|one| one == format!("`{name}`")).then(|| cells.collect())
    });
    row.or_else(|| row_of(page, name.rsplit_once(' ')?.0))
}

/// Returns the codes of a line such as `Exit codes: 0 done, 1 an error, 2 wrong usage.`
fn numbers(line: &str) -> Vec<u8> {
    let parts = line.trim_start_matches("Exit codes: ").split([',', '.', '(', ';']);
    parts.filter_map(|part| part.trim().split(' ').next()?.parse().ok()).collect()
}
