//! Grep: lines that match an expression, found with ripgrep's libraries.
//!
//! Expressions take linear time; a file is read as a stream, except with `multiline`, when up to [`HEAP`] of it is
//! kept.

use super::call::{FileCall, Input, failure, shown, texts};
use super::file_tool::{Access, FileToolSpec};
use super::grep_sink::{Mode, OneFile, Report};
use super::name_filter::NameFilter;
use super::walk::{Tree, file_type};
use crate::blocking::{BlockingError, Stop, StoppableReader, blocking};
use crate::denied::DeniedFiles;
use crate::opened_file::{self, OpenedFile};
use crate::schema::{Kind, Spec, optional, required};
use becket_engine::{ToolFailure, ToolOutput};
use becket_model::Session;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

static SPEC: Spec = Spec {
    name: "Grep",
    description: "Searches the contents of files for a regular expression (Rust's syntax: `\\b`, `\\d`, no lookaround, no \
        backreferences). Skips what ignore files (.gitignore) name, hidden and binary files. Answers with the names of \
        files, in their order, unless output_mode says otherwise.",
    fields: &[
        required("pattern", Kind::Text, "The regular expression"),
        optional("path", Kind::Text, "The file or directory to search; the working directory by default"),
        optional(
            "glob",
            Kind::Text,
            "Only files that match this pattern, such as `*.js` or `src/**/*.{ts,tsx}`",
        ),
        optional(
            "output_mode",
            Kind::Choice(&["content", "files_with_matches", "count"]),
            "content: the matching lines; files_with_matches (the default): the files; count: the number of matching lines per file",
        ),
        optional("-B", Kind::Number(0, 1_000), "Lines to show before each match; for content"),
        optional("-A", Kind::Number(0, 1_000), "Lines to show after each match; for content"),
        optional("-C", Kind::Number(0, 1_000), "Lines to show before and after each match; for content"),
        optional("-n", Kind::Flag, "Whether lines are numbered; for content, true by default"),
        optional("-i", Kind::Flag, "Whether to ignore case"),
        optional("type", Kind::Text, "Only files of this type, such as `rust`, `py`, `js`"),
        optional(
            "head_limit",
            Kind::Number(0, u64::MAX),
            "The maximum number of lines of the answer; 250 by default, 0 for no limit",
        ),
        optional("offset", Kind::Number(0, u64::MAX), "The number of lines of the answer to skip"),
        optional("multiline", Kind::Flag, "Whether a match may span lines and `.` matches a newline"),
    ],
};

/// The default number of lines in an answer.
const LINES: usize = 250;
/// The maximum number of bytes of one file that are in memory at once.
const HEAP: usize = 16 << 20;
/// The maximum size of a compiled expression, in bytes.
const EXPRESSION: usize = 10 << 20;

/// Searches the contents of files.
pub(crate) static GREP: FileToolSpec =
    FileToolSpec { spec: &SPEC, access: Access::Searches, check, text_of, run: |call| Box::pin(run(call)) };

fn check(input: Input<'_>) -> Result<(), String> {
    matcher(input)?;
    filter(input)?;
    input.text("type").map(file_type).transpose().map(drop)
}

fn text_of(response: &Value) -> Option<String> {
    let files = texts(response, "filenames")?;
    let (text, none) = match response.get("mode")?.as_str()? {
        "files_with_matches" => (files.join("\n"), "No files found"),
        "content" | "count" => (response.get("content")?.as_str()?.to_owned(), "No matches found"),
        _ => return None,
    };
    Some(if text.is_empty() { none.to_owned() } else { text })
}

async fn run(call: FileCall<'_>) -> Result<ToolOutput, ToolFailure> {
    let search = Search::new(call.input, call.session, call.host.denied(call.session)).map_err(failure)?;
    let report = blocking(call.cancel, move |stop| search.run(stop)).await.map_err(failure)?;
    Ok(answer(&report))
}

/// The parameters of a search, for any thread.
struct Search {
    tree: Tree,
    cwd: PathBuf,
    matcher: RegexMatcher,
    searcher: Searcher,
    report: Report,
}

impl Search {
    fn new(input: Input<'_>, session: &Session, denied: DeniedFiles) -> Result<Self, String> {
        let root = input.root(session);
        if !root.exists() {
            return Err(format!("there is no `path` `{}`", root.display()));
        }
        let types = input.text("type").map(file_type).transpose()?;
        let mode = match input.text("output_mode") {
            Some("content") => Mode::Content,
            Some("count") => Mode::Count,
            Some(_) | None => Mode::Files,
        };
        let most = match input.count("head_limit") {
            Some(0) => usize::MAX,
            Some(lines) => lines,
            None => LINES,
        };
        let numbers = input.flag("-n").unwrap_or(true);
        let around = ["-A", "-B", "-C"].iter().any(|field| input.count(field).is_some_and(|lines| lines > 0));
        let mut report = Report::new(mode, numbers, input.count("offset").unwrap_or(0), most);
        report.around = around;
        Ok(Self {
            tree: Tree { root, filter: filter(input)?, types, denied },
            cwd: session.cwd.clone(),
            matcher: matcher(input)?,
            searcher: searcher(input, mode),
            report,
        })
    }

    fn run(self, stop: &Stop) -> Result<Report, BlockingError> {
        let Self { tree, cwd, matcher, mut searcher, mut report } = self;
        let mut halted = Ok(());
        let seen = tree.visit(stop, |path| {
            let searched = search_file(path, &shown(path, &cwd), stop, |file, name| {
                searcher.search_reader(&matcher, file, OneFile::new(&mut report, name))
            });
            if searched.is_err() {
                halted = stop.check();
                report.unread += usize::from(halted.is_ok());
            }
            halted.is_ok() && !report.more
        });
        match halted.and(seen) {
            Ok(denied) => report.denied = denied,
            Err(BlockingError::TooLong) => report.partial = true,
            Err(halted @ (BlockingError::Cancelled | BlockingError::Lost)) => return Err(halted),
        }
        Ok(report)
    }
}

fn search_file(
    path: &Path,
    name: &str,
    stop: &Stop,
    search: impl FnOnce(StoppableReader<'_, std::fs::File>, &str) -> std::io::Result<()>,
) -> std::io::Result<()> {
    match opened_file::open(path)? {
        OpenedFile::Regular(file) => search(StoppableReader::new(file, stop), name),
        // It was a file a moment ago.
        OpenedFile::Directory | OpenedFile::Special => Ok(()),
    }
}

fn matcher(input: Input<'_>) -> Result<RegexMatcher, String> {
    let multiline = input.flag("multiline").unwrap_or(false);
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(input.flag("-i").unwrap_or(false)).multi_line(true);
    builder.size_limit(EXPRESSION).dfa_size_limit(EXPRESSION).dot_matches_new_line(multiline);
    if !multiline {
        builder.line_terminator(Some(b'\n'));
    }
    let pattern = input.text("pattern").unwrap_or_default();
    // Parsed separately first: the builder wraps the expression, so the position in its errors would be wrong.
    regex_syntax::parse(pattern).map_err(|error| format!("`pattern` can't be read: {error}"))?;
    builder.build(pattern).map_err(|error| {
        let spans = !multiline && (pattern.contains("\\n") || pattern.contains('\n'));
        let hint = if spans { "\nset `multiline` for a match that spans lines" } else { "" };
        format!("`pattern` can't be read: {error}{hint}")
    })
}

fn filter(input: Input<'_>) -> Result<Option<NameFilter>, String> {
    let filter = input.text("glob").map(|glob| NameFilter::new("glob", glob)).transpose();
    filter.map_err(|error| error.to_string())
}

fn searcher(input: Input<'_>, mode: Mode) -> Searcher {
    let around = input.count("-C").unwrap_or(0);
    let lines = |field| if mode == Mode::Content { input.count(field).unwrap_or(around) } else { 0 };
    SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .line_number(true)
        .multi_line(input.flag("multiline").unwrap_or(false))
        .before_context(lines("-B"))
        .after_context(lines("-A"))
        .heap_limit(Some(HEAP))
        .build()
}

fn answer(report: &Report) -> ToolOutput {
    let response = response(report);
    let mut text = text_of(&response).unwrap_or_default();
    for notice in notices(report) {
        text.push_str(&format!("\n[{notice}]"));
    }
    ToolOutput::text(text, response)
}

fn notices(report: &Report) -> Vec<String> {
    let mut notices = Vec::new();
    if report.lines.is_empty() && report.passed > 0 {
        notices.push(format!("offset {} is past the last of {} lines", report.skip, report.passed));
    }
    if report.more {
        let next = report.skip + report.lines.len();
        notices.push(format!("there is more: go on with offset {next}, or narrow the search"));
    }
    if report.partial {
        notices.push("not everything was searched in time: search a part of it".to_owned());
    }
    if report.binary > 0 {
        notices.push(format!("binary files that were not searched: {}", report.binary));
    }
    if report.denied > 0 {
        notices.push(format!("files that a rule keeps from being read: {}", report.denied));
    }
    if report.unread > 0 {
        notices.push(format!("files that could not be read: {}", report.unread));
    }
    notices
}

fn response(report: &Report) -> Value {
    let mut response = Map::new();
    let (mode, content) = match report.mode {
        Mode::Content => ("content", true),
        Mode::Files => ("files_with_matches", false),
        Mode::Count => ("count", true),
    };
    response.insert("mode".to_owned(), mode.into());
    response.insert("numFiles".to_owned(), report.files.len().into());
    response.insert("filenames".to_owned(), json!(report.files));
    if content {
        response.insert("content".to_owned(), report.lines.join("\n").into());
        response.insert("numLines".to_owned(), report.lines.len().into());
        response.insert("numMatches".to_owned(), report.matches.into());
    }
    if report.more {
        response.insert("appliedLimit".to_owned(), report.lines.len().into());
    }
    if report.skip > 0 {
        response.insert("appliedOffset".to_owned(), report.skip.into());
    }
    Value::Object(response)
}
