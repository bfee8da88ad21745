//! Loads files: those that apply from the start, those that a touched file activates, and their includes.
//!
//! INVARIANT: each step checks whether the caller still waits; number, size and depth are limited, and files that
//! exceed the limits are reported.

use super::comments::without_comments;
use super::includes::includes;
use super::known::{KnownInstructions, PendingRule};
use super::level::{Level, RULES, is_there};
use super::loaded::{LoadReason, LoadedFile, Memory};
use super::read::{Text, text_of};
use super::rule::{Rule, rule};
use super::sources::{Instructions, Sources};
use super::{included, places};
use crate::definitions::{is_markdown, markdown};
use crate::notes;
use crate::update::Notice;
use becket_tools::blocking::{BlockingError, Stop};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The maximum depth of included files.
const DEEPEST: usize = 5;
/// The maximum number of files for one agent loop.
const MOST: usize = 100;
/// The maximum total size for one agent loop, in bytes.
const MOST_BYTES: usize = 512 << 10;
/// The maximum number of includes of one file that are followed.
const MOST_INCLUDES: usize = 100;

/// The reason for loading the initial instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoadTrigger {
    /// A conversation starts.
    Start,
    /// The conversation was compacted.
    Again,
}

/// The result of a search for files.
#[derive(Debug, Default)]
pub(crate) struct LoadResult {
    pub(crate) loaded: Vec<LoadedFile>,
    /// Notices for the user about files that were left out.
    pub(crate) notices: Vec<Notice>,
    /// The updated state of known instructions.
    pub(crate) known: KnownInstructions,
}

/// Returns the reason why a rule denies reading a file.
type ReadDenial<'a> = &'a dyn Fn(&Path) -> Option<String>;

impl Instructions {
    /// Loads the initial instructions for an agent loop that has seen none.
    ///
    /// # Errors
    /// Errors if the caller no longer waits.
    pub(crate) fn begin(
        &self,
        beginning: LoadTrigger,
        denied: ReadDenial<'_>,
        stop: &Stop,
    ) -> Result<LoadResult, BlockingError> {
        let Some(sources) = self.sources() else { return Ok(LoadResult::default()) };
        let mut loader = Loader { sources, denied, stop, found: LoadResult::default() };
        loader.begin(match beginning {
            LoadTrigger::Start => &LoadReason::Start,
            LoadTrigger::Again => &LoadReason::Again { parent: None },
        })?;
        loader.found.known.has_begun = true;
        Ok(loader.found)
    }

    /// Loads the instructions that apply to a file that was read or changed; `known` is the state of the agent loop.
    ///
    /// # Errors
    /// Errors if the caller no longer waits.
    pub(crate) fn touched(
        &self,
        known: KnownInstructions,
        file: &Path,
        denied: ReadDenial<'_>,
        stop: &Stop,
    ) -> Result<LoadResult, BlockingError> {
        let found = LoadResult { known, ..LoadResult::default() };
        let Some(sources) = self.sources() else { return Ok(found) };
        let mut loader = Loader { sources, denied, stop, found };
        loader.touched(file)?;
        Ok(loader.found)
    }
}

struct Loader<'a> {
    sources: &'a Sources,
    denied: ReadDenial<'a>,
    stop: &'a Stop,
    found: LoadResult,
}

impl Loader<'_> {
    fn begin(&mut self, why: &LoadReason) -> Result<(), BlockingError> {
        self.file(&self.sources.managed.clone(), Memory::Managed, why)?;
        if let Some(user) = self.sources.user.clone() {
            self.file(&user.join(&self.sources.names.file), Memory::User, why)?;
            self.rules(&user.join(RULES), &self.sources.start.clone(), Memory::User, why)?;
        }
        for directory in places::down(&self.sources.top, &self.sources.start) {
            self.level(&directory, why)?;
        }
        self.notes(why)
    }

    /// Loads a model's notes: their lines only, without the files they mention.
    fn notes(&mut self, why: &LoadReason) -> Result<(), BlockingError> {
        let Some(path) = self.sources.notes.clone().filter(|path| is_there(path)) else { return Ok(()) };
        self.stop.check()?;
        let Some(text) = self.new_text(&path, Memory::Notes) else { return Ok(()) };
        if text.len() > notes::MOST_BYTES {
            self.left_out(&path, &format!("it is larger than {} KiB", notes::MOST_BYTES >> 10));
            return Ok(());
        }
        let text = notes::telling(&text);
        let loaded = LoadedFile { path, memory: Memory::Notes, why: why.clone(), text };
        if !loaded.text.trim().is_empty() && self.has_room(&loaded) {
            self.found.loaded.push(loaded);
        }
        Ok(())
    }

    fn touched(&mut self, file: &Path) -> Result<(), BlockingError> {
        let real = becket_tools::places::real(file);
        for directory in self.nested(file, real.as_deref()) {
            if self.found.known.directories.insert(directory.clone()) {
                let why = LoadReason::Nested { trigger: file.to_owned(), below: directory.clone() };
                self.level(&directory, &why)?;
            }
        }
        for PendingRule { path, memory, globs, .. } in self.found.known.let_in(file, real.as_deref()) {
            self.stop.check()?;
            // Read again, because it may have changed since the session started.
            let Some(text) = self.text(&path, memory) else { continue };
            let Some(Rule { body, .. }) = self.rule(&text, &path, memory) else { continue };
            let why = LoadReason::Named { trigger: file.to_owned(), globs: globs.written };
            self.tell(LoadedFile { path, memory, why, text: body }, 0)?;
        }
        Ok(())
    }

    /// Returns the directories between the start and a file, topmost first, as far as they belong to the project.
    fn nested(&mut self, file: &Path, real: Option<&Path>) -> Vec<PathBuf> {
        let Sources { start, real_start, .. } = self.sources;
        let led_to = || real_start.as_deref().zip(real).and_then(|(start, real)| places::below(start, real));
        let Some(below) = places::below(start, file).or_else(led_to).and_then(Path::parent) else {
            return Vec::new();
        };
        let mut own = Vec::new();
        for directory in places::down(start, &start.join(below)).into_iter().skip(1) {
            if places::is_installed(&directory) {
                break;
            }
            if places::is_root(&directory) {
                self.is_of_another_repository(&directory);
                break;
            }
            own.push(directory);
        }
        own
    }

    /// Reports a repository inside the project, which is not trusted with it (G3).
    fn is_of_another_repository(&mut self, directory: &Path) {
        let is_new = self.found.known.directories.insert(directory.to_owned());
        if is_new && !Level::of(directory, self.sources, is_there).is_empty() {
            self.left_out(
                directory,
                "it is a repository of its own, whose instructions are not the project's",
            );
        }
    }

    /// Loads all instructions of a project directory.
    fn level(&mut self, directory: &Path, why: &LoadReason) -> Result<(), BlockingError> {
        let Level { files, rules, local } = Level::of(directory, self.sources, is_there);
        for (file, memory) in files {
            self.file(&file, memory, why)?;
        }
        if let Some(rules) = rules {
            self.rules(&rules, directory, Memory::Project, why)?;
        }
        match local {
            Some(local) => self.file(&local, Memory::Local, why),
            None => Ok(()),
        }
    }

    fn rules(
        &mut self,
        rules: &Path,
        base: &Path,
        memory: Memory,
        why: &LoadReason,
    ) -> Result<(), BlockingError> {
        let mut found = markdown(rules, &memory.source(), is_markdown);
        self.found.notices.extend(found.diagnostics.iter().map(Notice::of));
        // A file is known by its shortest path, even if links form a cycle.
        found.files.sort_by_key(|file| file.components().count());
        for path in found.files.iter().map(|file| rules.join(file)) {
            self.stop.check()?;
            let Some(text) = self.new_text(&path, memory) else { continue };
            match self.rule(&text, &path, memory) {
                Some(Rule { globs: Some(globs), .. }) => {
                    self.found.known.waiting.push(PendingRule { path, memory, globs, base: base.to_owned() });
                }
                Some(Rule { globs: None, body }) => {
                    self.tell(LoadedFile { path, memory, why: why.clone(), text: body }, 0)?;
                }
                None => {}
            }
        }
        Ok(())
    }

    fn rule(&mut self, text: &str, path: &Path, memory: Memory) -> Option<Rule> {
        let (rule, diagnostics) = rule(text, path, memory);
        self.found.notices.extend(diagnostics.iter().map(Notice::of));
        rule
    }

    fn file(&mut self, path: &Path, memory: Memory, why: &LoadReason) -> Result<(), BlockingError> {
        let Some(text) = self.new_text(path, memory) else { return Ok(()) };
        self.tell(LoadedFile { path: path.to_owned(), memory, why: why.clone(), text }, 0)
    }

    /// Keeps a file if there is room for it and it is not blank, and loads the files that it includes.
    fn tell(&mut self, mut loaded: LoadedFile, depth: usize) -> Result<(), BlockingError> {
        self.stop.check()?;
        loaded.text = without_comments(&loaded.text);
        if loaded.text.trim().is_empty() || !self.has_room(&loaded) {
            return Ok(());
        }
        let (path, memory, why) = (loaded.path.clone(), loaded.memory, loaded.why.of_included(&loaded.path));
        let included = includes(&loaded.text);
        self.found.loaded.push(loaded);
        if included.len() > MOST_INCLUDES {
            let why = format!("it includes {} files: those after the first {MOST_INCLUDES}", included.len());
            self.left_out(&path, &why);
        }
        for written in included.into_iter().take(MOST_INCLUDES) {
            self.stop.check()?;
            self.include(&written, &path, memory, &why, depth + 1)?;
        }
        Ok(())
    }

    fn include(
        &mut self,
        written: &str,
        parent: &Path,
        memory: Memory,
        why: &LoadReason,
        depth: usize,
    ) -> Result<(), BlockingError> {
        let Some(path) = included::at(written, parent, self.sources.home.as_deref()) else { return Ok(()) };
        if path.is_dir() {
            return Ok(());
        }
        if !is_there(&path) {
            if included::is_surely_a_path(written) {
                self.left_out(&path, &format!("it is not there, and {} includes it", parent.display()));
            }
            return Ok(());
        }
        if depth > DEEPEST {
            self.left_out(&path, &format!("it is included more than {DEEPEST} files deep"));
            return Ok(());
        }
        match self.new_text(&path, memory) {
            Some(text) => self.tell(LoadedFile { path, memory, why: why.clone(), text }, depth),
            None => Ok(()),
        }
    }

    fn has_room(&mut self, loaded: &LoadedFile) -> bool {
        let known = &mut self.found.known;
        let bytes = known.bytes + loaded.text.len();
        if known.count < MOST && bytes <= MOST_BYTES {
            (known.count, known.bytes) = (known.count + 1, bytes);
            return true;
        }
        if !std::mem::replace(&mut known.is_full, true) {
            let most = MOST_BYTES >> 10;
            let why =
                format!("instructions are {MOST} files and {most} KiB at most, and others may be left out");
            self.left_out(&loaded.path.clone(), &why);
        }
        false
    }

    /// Returns the text of a file, unless it was read before.
    fn new_text(&mut self, path: &Path, memory: Memory) -> Option<String> {
        let is_new = match path.canonicalize() {
            Ok(real) => self.found.known.files.insert(real),
            Err(error) => error.kind() != ErrorKind::NotFound || is_there(path),
        };
        is_new.then(|| self.text(path, memory)).flatten()
    }

    fn text(&mut self, path: &Path, memory: Memory) -> Option<String> {
        match self.read(path, memory) {
            Ok(Text { text, broken_at: None }) => Some(text),
            Ok(Text { text, broken_at: Some(at) }) => {
                let path = path.display();
                let text_of =
                    format!("`{path}` is not UTF-8 from byte {at} on: what can't be read is replaced");
                self.found.notices.push(Notice::warning(text_of));
                Some(text)
            }
            Err(why) => {
                self.left_out(path, &why);
                None
            }
        }
    }

    /// Reads the file at a path; links are resolved once, and their target is checked and read.
    fn read(&self, path: &Path, memory: Memory) -> Result<Text, String> {
        let real = path.canonicalize().map_err(|error| format!("it can't be read: {error}"))?;
        if memory.is_of_project() && !self.sources.real_top.as_ref().is_some_and(|top| real.starts_with(top))
        {
            return Err("it lies outside of the project, and a file of the project asks for it".to_owned());
        }
        if let Some(why) = (self.denied)(path).or_else(|| (self.denied)(&real)) {
            return Err(why);
        }
        text_of(&real).map_err(|error| error.to_string())
    }

    fn left_out(&mut self, path: &Path, why: &str) {
        let text = format!("instructions: `{}` is left out: {why}", path.display());
        self.found.notices.push(Notice::warning(text));
    }
}
