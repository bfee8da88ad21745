//! Costs of matchers, rules and conditions: to compile, and to evaluate.

use std::hint::black_box;
use std::path::Path;

use becket_rules::shell::Line;
use becket_rules::{
    Alphabet, Call, Condition, Matcher, NoLinks, Renames, Rule, RuleList, RuleOrigin, RuleSet, Scope,
};
use becket_testkit::bench::{Bench, BenchTarget};
use serde_json::{Map, Value};

const MATCHERS: [&str; 8] = [
    "Bash",
    "Write|Edit|MultiEdit",
    "",
    "mcp__.*",
    "^(Read|Grep|Glob)$",
    "^(?!mcp__).*$",
    "mcp__memory__.*",
    "Notebook.*|.*Edit$",
];

fn compile(text: &str, renames: &Renames) -> Option<Matcher> {
    Matcher::compile(Some(text), Alphabet::Wide, renames).ok()
}

fn input(field: &str, text: &str) -> Map<String, Value> {
    Map::from_iter([(field.to_owned(), Value::from(text))])
}

fn matchers(bench: &mut Bench) {
    let renames = Renames::tools();
    bench.alone("compile of 1,000 matchers, one in two an expression", BenchTarget::Nanos(10e6), || {
        (0..1000).filter_map(|index| compile(MATCHERS[index % MATCHERS.len()], &renames)).count()
    });
    for (row, text, value) in [
        ("match of one name in a list", "Write|Edit|MultiEdit", "MultiEdit"),
        ("match of one expression", "^(Read|Grep|Glob)$", "Grep"),
        ("match of one expression that begins otherwise", "mcp__.*", "Bash"),
        ("match of one lookahead", "^(?!mcp__).*$", "NotebookEdit"),
    ] {
        if let Some(matcher) = compile(text, &renames) {
            bench.alone(row, BenchTarget::Nanos(2000.0), || matcher.matches(black_box(value)));
        }
    }
    if let Some(matcher) = compile("^(a+)+$", &renames) {
        let value = "a".repeat(4000) + "b";
        bench.alone("4,001 characters against `^(a+)+$`", BenchTarget::Nanos(10e6), || {
            matcher.judge(black_box(&value))
        });
    }
}

fn rules(bench: &mut Bench) {
    bench.alone("parse of a rule", BenchTarget::Nanos(2000.0), || {
        Rule::parse(black_box("Bash(git push --force *)")).is_ok()
    });
    let origin = RuleOrigin { label: "project".to_owned(), anchor: "/work/.claude".into() };
    let mut set = RuleSet::default();
    for index in 0..100 {
        for (list, text) in [
            (RuleList::Allow, format!("Bash(tool{index} run *)")),
            (RuleList::Ask, format!("Bash(tool{index} push *)")),
            (RuleList::Deny, format!("Read(secrets{index}/**)")),
        ] {
            let _ = set.add(list, &text, origin.clone());
        }
    }
    let cwd = Path::new("/work");
    let scope = Scope { cwd, home: None, anchor: cwd, links: &NoLinks };
    let command = input("command", "tool50 run a | tool60 run b && tool99 run 'c d'");
    bench.alone("decision on a command under 300 rules", BenchTarget::Nanos(1e6), || {
        set.decide(&Call::new("Bash", &command), &scope).behavior
    });
    let path = input("file_path", "/work/src/deep/down/below/main.rs");
    bench.alone("decision on a path under 300 rules", BenchTarget::Nanos(1e6), || {
        set.decide(&Call::new("Read", &path), &scope).behavior
    });
    if let Ok(Some(condition)) = Condition::parse("Edit(src/**/*.rs)") {
        bench.alone("one `if` on a path", BenchTarget::Nanos(20_000.0), || {
            condition.applies(&Call::new("Edit", &path), &scope)
        });
    }
}

/// The maximum length of a line that is analysed, in characters, and then matched against rules.
const LONGEST: usize = 10_000;

/// Returns a line of the maximum length: a beginning, then pieces, then an end.
fn long(start: &str, piece: impl Fn(usize) -> String, end: &str) -> String {
    let mut line = start.to_owned();
    for next in (0..).map(piece) {
        if line.len() + next.len() + end.len() > LONGEST {
            break;
        }
        line.push_str(&next);
    }
    line + end
}

/// Returns lines of 10,000 characters that take the most work, each for another reason.
fn long_lines() -> [(&'static str, String); 18] {
    let directories = long("", |at| if at < 64 { format!("cd d{at};") } else { format!("cat f{at};") }, "");
    let moved = "cd x;".repeat(64) + "cat ";
    let moved_apart: String = (0..64).map(|at| format!("cd d{at};")).collect::<String>() + "cat ";
    let nested = format!("echo {}x{};", "$(echo ".repeat(30), ")".repeat(30));
    let plain = |piece: &'static str| move |_: usize| piece.to_owned();
    [
        ("64 directories and their files", directories),
        ("64 changes of directory and many words", long(&moved, plain("a "), "")),
        ("64 directories and many files", long(&moved_apart, |at| format!("f{at} "), "")),
        ("distinct commands", long("", |at| format!("c{at};"), "")),
        ("one command many times", long("", plain("ls;"), "")),
        ("commands that can't be told", long("", |at| format!("$x c{at};"), "")),
        ("files that are written", long("", |at| format!("> f{at};"), "")),
        ("wrappers in wrappers", long("", plain("sudo "), "")),
        ("any word may be the command", long("valgrind ", |at| format!("c{at} "), "")),
        ("substitutions in substitutions", long("", |_| nested.clone(), "")),
        ("quotes", long("echo ", plain("'a'\"b\""), "")),
        ("quoted words", long("cat ", plain("'a' \"b\" "), "")),
        ("braces", long("cat ", plain("{0,1,2,3,4,5,6,7}{0,1,2,3,4,5,6,7} "), "")),
        ("braces in braces", long("cat ", plain("{a,{b,{c,{d,{e,{f,{g,h}}}}}}} "), "")),
        ("one here-document", long("sh <<E\n", |at| format!("c{at}\n"), "E\n")),
        ("many here-documents", long("", plain("cat <<E\nx\nE\n"), "")),
        (
            "values of variables",
            long("", |at| if at < 500 { format!("a={at};") } else { "cat $a$a;".to_owned() }, ""),
        ),
        ("no quote at the end", long("", |at| format!("c{at} "), "'")),
    ]
}

fn lines(bench: &mut Bench) {
    let origin = RuleOrigin { label: "project".to_owned(), anchor: "/work/.claude".into() };
    let mut set = RuleSet::default();
    for index in 0..250 {
        for (list, text) in [
            (RuleList::Allow, format!("Bash(tool{index} run *)")),
            (RuleList::Ask, format!("Bash(*tool{index} push*)")),
            (RuleList::Deny, format!("Read(secrets{index}/**)")),
            (RuleList::Deny, format!("Bash(tool{index} *)")),
        ] {
            let _ = set.add(list, &text, origin.clone());
        }
    }
    let cwd = Path::new("/work");
    let scope = Scope { cwd, home: None, anchor: cwd, links: &NoLinks };
    for (what, line) in long_lines() {
        let command = input("command", &line);
        let row = format!("10,000 characters ({what}) under 1,000 rules");
        let decided = || set.decide(&Call::new("Bash", &command), &scope).behavior;
        bench.note("floor: the line is read, and put to no rule").versus(
            &row,
            BenchTarget::Nanos(50e6),
            decided,
            || Line::parse(&line),
        );
    }
}

fn main() {
    let mut bench = Bench::new("becket-rules");
    matchers(&mut bench);
    rules(&mut bench);
    lines(&mut bench);
}
