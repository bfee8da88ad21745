//! The line that prompts are typed in: history, completion, several lines.
//!
//! INVARIANT: the history file is readable only by its owner and contains a bounded number of prompts; a prompt that
//! begins with a blank is not stored.

use super::handle::TerminalState;
use super::screen::width;
use super::thread::{Setup, is_control};
use crate::report::style::{FAINT, plain, styled};
use becket_base::private_file;
use crossterm::event::Event;
use reedline::{
    ColumnarMenu, Completer, CompletionResult, EditCommand, EditMode, Emacs, FileBackedHistory, Hinter,
    History, KeyCode, KeyModifiers, MenuBuilder, Prompt, PromptEditMode, PromptHistorySearch, Reedline,
    ReedlineEvent, ReedlineMenu, ReedlineRawEvent, Signal, Span, Suggestion, default_emacs_keybindings,
};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use unicode_width::UnicodeWidthStr;

/// The number of prompts that the history keeps.
const KEPT: usize = 1_000;
/// The number of completions that are offered.
const OFFERED: usize = 100;
const MENU: &str = "names";
/// The mark before the input.
const MARK: &str = "> ";
/// The editor's name for Ctrl-C and Ctrl-Z.
const INTERRUPT: &str = "interrupt";
const SUSPEND: &str = "suspend";

/// The result of editing a line.
#[derive(Debug)]
pub(super) enum Read {
    Typed(String),
    /// The screen is needed for something else; the input begins `rows` above the cursor, and is kept.
    Broken {
        rows: usize,
    },
    /// Ctrl-C, which has cleared the line.
    Cleared {
        rows: usize,
    },
    /// Ctrl-C on an empty line.
    Interrupted {
        rows: usize,
    },
    /// Ctrl-Z; the input is kept.
    Suspended {
        rows: usize,
    },
    End,
}

/// The editor.
pub(super) struct Editor {
    /// The line editor; `None` before the first prompt, so that nothing is read or written unnecessarily.
    line: Option<Reedline>,
    setup: Setup,
    shared: Arc<TerminalState>,
    commands: Arc<Mutex<Vec<String>>>,
}

impl Editor {
    pub(super) fn new(setup: Setup, shared: Arc<TerminalState>) -> Self {
        Editor { line: None, setup, shared, commands: Arc::default() }
    }

    /// Sets the completions after a slash.
    pub(super) fn commands(&self, names: Vec<String>) {
        *self.commands.lock().unwrap_or_else(PoisonError::into_inner) = names;
    }

    /// Appends text to the input.
    pub(super) fn begins_with(&mut self, words: String) {
        if !words.is_empty() {
            let mut line = self.line.take().unwrap_or_else(|| self.made());
            line.run_edit_commands(&[EditCommand::InsertString(words)]);
            self.line = Some(line);
        }
    }

    /// Reads until there is a prompt, or the screen is needed.
    ///
    /// # Errors
    /// Errors if the terminal can't be read.
    pub(super) fn read(&mut self) -> io::Result<Read> {
        let mut line = self.line.take().unwrap_or_else(|| self.made());
        let signal = line.read_line(&Mark).map_err(io::Error::other)?;
        let read = match signal {
            Signal::Success(text) => {
                // A prompt that can't be stored is still a prompt.
                drop(line.sync_history());
                Read::Typed(text)
            }
            Signal::ExternalBreak(_) => return Ok(Read::Broken { rows: self.broken(&line) }),
            Signal::HostCommand(key) if key == SUSPEND => {
                return Ok(Read::Suspended { rows: self.broken(&line) });
            }
            Signal::HostCommand(_) | Signal::CtrlC => return Ok(self.interrupted(&line)),
            Signal::CtrlD => Read::End,
            _ => Read::End,
        };
        self.line = Some(line);
        Ok(read)
    }

    fn made(&self) -> Reedline {
        made(&self.setup, &self.shared, &self.commands)
    }

    /// Prepares for the next editor, which continues at this one's position. Returns the number of rows above the
    /// cursor.
    fn broken(&mut self, line: &Reedline) -> usize {
        let (text, at) = (line.current_buffer_contents().to_owned(), line.current_insertion_point());
        let rows = rows_above(text.get(..at).unwrap_or(&text), width());
        let mut other = self.made();
        let to = EditCommand::MoveToPosition { position: at, select: false };
        other.run_edit_commands(&[EditCommand::InsertString(text), to]);
        self.line = Some(other);
        rows
    }

    /// Prepares for the next editor, which begins with an empty line.
    fn interrupted(&mut self, line: &Reedline) -> Read {
        let (text, at) = (line.current_buffer_contents(), line.current_insertion_point());
        let rows = rows_above(text.get(..at).unwrap_or(text), width());
        let is_empty = text.is_empty();
        self.line = Some(self.made());
        if is_empty { Read::Interrupted { rows } } else { Read::Cleared { rows } }
    }
}

/// Returns the number of rows above the cursor, which is after `text`.
fn rows_above(text: &str, width: usize) -> usize {
    let mut rows = 0;
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        let columns = MARK.len() + line.width();
        rows += match lines.peek() {
            Some(_) => columns.saturating_sub(1) / width + 1,
            None => columns / width,
        };
    }
    rows
}

fn made(setup: &Setup, shared: &Arc<TerminalState>, commands: &Arc<Mutex<Vec<String>>>) -> Reedline {
    let mut keys = default_emacs_keybindings();
    let next = ReedlineEvent::UntilFound(vec![
        ReedlineEvent::HistoryHintComplete,
        ReedlineEvent::Menu(MENU.to_owned()),
        ReedlineEvent::MenuNext,
    ]);
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, next);
    let breaks = ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, breaks.clone());
    keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('j'), breaks);
    let menu = ReedlineMenu::EngineCompleter(Box::new(ColumnarMenu::default().with_name(MENU)));
    let names = Names { commands: commands.clone(), start: setup.start.clone() };
    // Their meaning depends on whether the line is empty, so the caller decides.
    for (key, name) in [('c', INTERRUPT), ('z', SUSPEND)] {
        keys.add_binding(
            KeyModifiers::CONTROL,
            KeyCode::Char(key),
            ReedlineEvent::ExecuteHostCommand(name.to_owned()),
        );
    }
    let line = Reedline::create()
        .with_edit_mode(Box::new(Keys { emacs: Emacs::new(keys), shared: shared.clone() }))
        .with_menu(menu)
        .with_completer(Box::new(names))
        .with_quick_completions(true)
        .with_hinter(Box::new(SuggestionHinter(shared.clone())))
        .with_ansi_colors(setup.out.colours_stderr())
        .use_bracketed_paste(true)
        .with_history_exclusion_prefix(Some(" ".to_owned()))
        .with_break_signal(shared.breaks.clone());
    match setup.history.as_deref().and_then(history) {
        Some(history) => line.with_history(Box::new(history)),
        None => line,
    }
}

/// Returns the history of earlier prompts; `None` if they can't be stored.
fn history(file: &Path) -> Option<FileBackedHistory> {
    private(file).ok()?;
    FileBackedHistory::with_file(KEPT, file.to_owned()).ok()
}

/// Creates the file if it is missing, readable only by its owner.
fn private(file: &Path) -> io::Result<()> {
    private_file::create_parent(file)?;
    let file = private_file::options().create(true).append(true).open(file)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    drop(file);
    Ok(())
}

/// The mark before the input.
struct Mark;

impl Prompt for Mark {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed(MARK)
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("  ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("(search: {}) ", search.term))
    }
}

/// Records key presses.
struct Keys {
    emacs: Emacs,
    shared: Arc<TerminalState>,
}

impl EditMode for Keys {
    fn parse_event(&mut self, event: ReedlineRawEvent) -> ReedlineEvent {
        let event = Event::from(event);
        if let Event::Key(_) | Event::Paste(_) = &event {
            self.shared.touch();
            let is_interrupt = matches!(&event, Event::Key(key) if is_control(*key, 'c'));
            if !is_interrupt {
                self.shared.typed.store(true, Ordering::Relaxed);
            }
        }
        ReedlineRawEvent::try_from(event).map_or(ReedlineEvent::None, |event| self.emacs.parse_event(event))
    }

    fn edit_mode(&self) -> PromptEditMode {
        self.emacs.edit_mode()
    }
}

/// Suggests a prompt on an empty line.
struct SuggestionHinter(Arc<TerminalState>);

impl Hinter for SuggestionHinter {
    fn handle(&mut self, line: &str, _: usize, _: &dyn History, colours: bool, _: &str) -> String {
        let suggested = self.0.suggested();
        match (line.is_empty(), colours) {
            (false, _) => String::new(),
            (true, true) => styled(FAINT, &suggested),
            (true, false) => suggested.clone(),
        }
    }

    fn complete_hint(&self) -> String {
        self.0.suggested().clone()
    }

    fn next_hint_token(&self) -> String {
        self.complete_hint()
    }
}

/// Completes command names after a slash at the beginning, and file names after an `@`.
struct Names {
    commands: Arc<Mutex<Vec<String>>>,
    start: PathBuf,
}

impl Completer for Names {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let typed = line.get(..pos).unwrap_or(line);
        let word = typed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let names = match (typed[word..].chars().next(), word) {
            (Some('/'), 0) => self.commands(&typed[1..]),
            (Some('@'), _) => files(&self.start, &typed[word + 1..]),
            _ => Vec::new(),
        };
        let suggested = |name: String| Suggestion {
            append_whitespace: !name.ends_with('/'),
            value: name,
            span: Span::new(word + 1, pos),
            ..Suggestion::default()
        };
        CompletionResult::fresh(names.into_iter().take(OFFERED).map(suggested).collect::<Vec<_>>())
    }
}

impl Names {
    fn commands(&self, typed: &str) -> Vec<String> {
        let all = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|name| name.starts_with(typed) && is_plain(name)).cloned().collect()
    }
}

/// Returns true if a name can be displayed unchanged; otherwise it can't be typed either.
fn is_plain(name: &str) -> bool {
    plain(name) == name && !name.contains(char::is_whitespace)
}

/// Returns the completions: files and directories of the typed directory, and hidden ones after a dot.
fn files(start: &Path, typed: &str) -> Vec<String> {
    let (directory, begin) = typed.rsplit_once('/').map_or(("", typed), |(before, name)| (before, name));
    let inside = if directory.is_empty() && typed.starts_with('/') { "/" } else { directory };
    let Ok(entries) = std::fs::read_dir(start.join(inside)) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_meant = name.starts_with(begin) && (begin.starts_with('.') || !name.starts_with('.'));
            let slash = if entry.path().is_dir() { "/" } else { "" };
            let before = typed.strip_suffix(begin).unwrap_or_default();
            (is_meant && is_plain(&name)).then(|| format!("{before}{name}{slash}"))
        })
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_above_the_cursor_are_counted_as_the_terminal_breaks_lines() {
        for (text, width, expected) in [
            ("", 40, 0),
            ("one", 40, 0),
            ("one\ntwo", 40, 1),
            (&*"x".repeat(38), 40, 1),
            (&*"x".repeat(37), 40, 0),
            (&*format!("{}\n", "x".repeat(38)), 40, 1),
            (&*format!("{}\n", "x".repeat(39)), 40, 2),
        ] {
            assert_eq!(rows_above(text, width), expected, "{text:?}");
        }
    }

    #[test]
    fn commands_and_files_are_completed_and_words_are_not() {
        let root = tempfile::tempdir().expect("a directory");
        for name in ["notes.txt", "next", ".hidden", "a b"] {
            std::fs::write(root.path().join(name), "").expect("it can be written");
        }
        std::fs::create_dir(root.path().join("src")).expect("it can be made");
        std::fs::write(root.path().join("src/main.rs"), "").expect("it can be written");
        let commands = Arc::new(Mutex::new(["clear", "compact", "exit"].map(str::to_owned).to_vec()));
        let mut names = Names { commands, start: root.path().to_owned() };
        for (line, expected) in [
            ("/c", &["clear", "compact"][..]),
            ("/", &["clear", "compact", "exit"]),
            ("see /c", &[]),
            ("read @n", &["next", "notes.txt"]),
            ("@s", &["src/"]),
            ("@src/", &["src/main.rs"]),
            ("@.h", &[".hidden"]),
            ("@a", &[]),
            ("n", &[]),
            ("", &[]),
        ] {
            let found = names.complete(line, line.len());
            let found: Vec<&str> = found.suggestions().iter().map(|one| one.value.as_str()).collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}
