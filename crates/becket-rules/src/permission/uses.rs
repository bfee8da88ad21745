//! The files that a call reads and writes, as far as its text shows (P7), each by name and by target (P8).

use std::path::{Path, PathBuf};

use super::call::{Call, CommandLine, Scope};
use super::directories::directories;
use super::file_uri::{self, NoScheme};
use super::read_pattern;
use crate::path::{GLOB_AT_END, INSIDE, Normal, glob_matches, is_any_name, lexical};
use crate::shell::{self, FileAccess, MAX_PATHS, MAX_VALUES, RedirectionKind, Target};
use crate::tools::{Access, Primary};

/// One file, or one directory to be searched.
#[derive(Debug, Clone)]
pub(crate) struct FileUse {
    pub(crate) access: Access,
    /// The name in the call.
    pub(crate) text: String,
    /// The path as it is named and, if it is a link, the path that it leads to.
    pub(crate) paths: Vec<Normal>,
    /// True if the path contains globs, which the shell expands.
    pub(crate) globs: bool,
    /// True if everything in it, if it is a directory, is removed, moved, replaced or changed.
    pub(crate) contents: bool,
    /// The paths in the main tree of a file in an agent's worktree.
    pub(crate) originals: Vec<Normal>,
}

/// A file that a call would edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedFile {
    /// The path. A directory stands for the files that are put into it, and a glob is kept as it is.
    pub path: PathBuf,
    /// True if everything in it, if it is a directory, is removed, moved, replaced or changed: `rm -r`, `mv`.
    pub contents: bool,
}

/// The files of a call.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    pub(crate) files: Vec<FileUse>,
    /// Text whose path can't be determined.
    pub(crate) unread: Option<String>,
    /// True if there are more files, or directories that they may be in, than are compared with rules.
    pub(crate) cut: bool,
}

/// The meaning of a path with a glob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Globs {
    /// Everything in the directory before the glob.
    Directory,
    /// The path itself.
    AsText,
}

impl Call<'_> {
    /// Returns the files that the call would edit, as far as its text shows (P7): each by name, relative to every
    /// directory that the line may be in by then, and by target (P8). `None` if there are too many to list.
    #[must_use]
    pub fn edited(&self, scope: &Scope<'_>) -> Option<Vec<EditedFile>> {
        let of_directory = format!("/{INSIDE}");
        let edited_file = |path: &Normal, contents: bool| {
            let text = path.text();
            EditedFile { path: text.strip_suffix(&*of_directory).unwrap_or(text).into(), contents }
        };
        let uses = scope.remembering(|scope| Uses::of(self, scope, Globs::AsText));
        let edited = uses.files.iter().filter(|file| file.access == Access::Edit);
        let all = |file: &FileUse| -> Vec<EditedFile> {
            file.paths.iter().map(|path| edited_file(path, file.contents)).collect()
        };
        (!uses.cut).then(|| edited.flat_map(all).collect())
    }
}

impl Uses {
    pub(crate) fn of(call: &Call<'_>, scope: &Scope<'_>, globs: Globs) -> Self {
        let mut uses = Self::default();
        match (call.primary(), call.line()) {
            (Primary::Path(field, access), _) => uses.of_tool(call, field, access, scope),
            (_, Some(CommandLine::Bash(line))) => uses.of_line(line, globs, scope),
            (Primary::Domain(field), _) => uses.of_uri(call.text(field), NoScheme::Host, scope),
            (_, Some(CommandLine::PowerShell(_)) | None) => {
                if call.renames().current(call.tool()) == "ReadMcpResourceTool" {
                    uses.of_uri(call.text("uri"), NoScheme::Path, scope);
                }
            }
        }
        uses
    }

    /// Adds the files that the URI of a resource may name.
    fn of_uri(&mut self, uri: Option<&str>, no_scheme: NoScheme, scope: &Scope<'_>) {
        for path in uri.map(|uri| file_uri::paths(uri, no_scheme)).unwrap_or_default() {
            self.add(Access::Read, &path, false, scope);
        }
    }

    pub(crate) fn add(&mut self, access: Access, text: &str, directory: bool, scope: &Scope<'_>) {
        let cwd = Normal::of(scope.cwd);
        let path = lexical(text, &cwd, scope.home_path().as_ref()).unwrap_or_else(|| {
            // Tools that don't expand a `~` treat it as a name: deny and ask rules are compared with that name.
            self.unread = Some(text.to_owned());
            cwd.join(&format!("./{text}"))
        });
        let mut paths = vec![path];
        let own = own_process(text, &paths[0], &cwd);
        for target in own.into_iter().chain(targets(text, &paths[0], scope)) {
            if !paths.contains(&target) {
                paths.push(target);
            }
        }
        if directory {
            paths = paths.iter().map(|path| path.join(INSIDE)).collect();
        }
        let originals = |path: &Normal| std::iter::successors(path.in_main_tree(), Normal::in_main_tree);
        let originals = paths.iter().flat_map(originals).collect();
        self.files.push(FileUse {
            access,
            text: text.to_owned(),
            paths,
            globs: false,
            contents: false,
            originals,
        });
    }

    /// Adds the paths to which a path with a glob may expand: `*/key`, `.en?`, and, for a command that uses all of a
    /// directory, everything in `sec*`.
    fn add_glob(&mut self, access: Access, text: &str, recursive: bool, scope: &Scope<'_>) {
        let cwd = Normal::of(scope.cwd);
        let (front, last) = text.trim_end_matches('/').rsplit_once('/').unwrap_or((".", text));
        let at_end = !front.contains(['*', '?', '[']);
        let written = if at_end { format!("{front}/{GLOB_AT_END}{last}") } else { text.to_owned() };
        let seen = |text: &str| lexical(text, &cwd, scope.home_path().as_ref());
        let Some(path) = seen(text) else { return };
        let mut paths: Vec<Normal> = seen(&written).into_iter().collect();
        paths.extend(own_process(text, &path, &cwd));
        let inside: Vec<Normal> = paths.iter().filter(|_| recursive).map(|path| path.join(INSIDE)).collect();
        // `*` is the directory as a whole, as without it.
        if at_end && is_any_name(last) {
            paths.clear();
        }
        paths.extend(inside);
        self.files.push(FileUse {
            access,
            text: text.to_owned(),
            paths,
            globs: true,
            contents: false,
            originals: Vec::new(),
        });
    }

    /// Adds the files of a command line, relative to each of its directories.
    fn of_line(&mut self, line: &shell::Line, globs: Globs, scope: &Scope<'_>) {
        if globs == Globs::Directory
            && let Some(words) = line.unread_words()
        {
            self.of_words(words, scope);
        }
        let directories = directories(line, scope);
        // What only run time names may be any word of the line.
        let (files, cut) = line.all_file_uses();
        self.cut |= directories.cut || cut;
        let mut steps = MAX_VALUES;
        let mut targets = |redirection: &shell::Redirection| {
            let paths = |arg| shell::paths(arg, &line.values, &mut steps);
            redirection.words.iter().flat_map(paths).collect::<Vec<String>>()
        };
        let redirections: Vec<_> = line.redirections().iter().map(|at| (at, targets(at))).collect();
        self.cut |= steps == 0;
        for (at, directory) in directories.all.iter().enumerate() {
            let scope = Scope { cwd: Path::new(directory.text()), ..*scope };
            let counts = |file: &&shell::FileUse| {
                (at == 0 || !file.path.starts_with(['/', '~'])) && (globs == Globs::AsText || !file.landing)
            };
            let named = files.iter().filter(counts);
            for file in named {
                if self.is_full() {
                    return;
                }
                let path = match globs {
                    Globs::Directory if file.glob => before_glob(&file.path),
                    Globs::Directory | Globs::AsText => &file.path,
                };
                let access = match file.access {
                    FileAccess::Read => Access::Read,
                    FileAccess::Edit => Access::Edit,
                };
                self.add(access, path, true, &scope);
                if let Some(added) = self.files.last_mut() {
                    added.contents = file.contents;
                }
                if globs == Globs::Directory && file.glob {
                    self.add_glob(access, &file.path, file.recursive, &scope);
                }
            }
            for (redirection, targets) in &redirections {
                if self.is_full() {
                    return;
                }
                self.redirection(redirection, targets, globs, &scope);
            }
        }
    }

    /// Adds each word of a line that was not read to its end, and its possible expansions, as a file.
    fn of_words<'w>(&mut self, words: impl Iterator<Item = &'w str>, scope: &Scope<'_>) {
        for word in words.filter(|word| !word.starts_with('-')) {
            if self.is_full() {
                break;
            }
            self.add(Access::Read, word, true, scope);
            self.add(Access::Edit, word, true, scope);
        }
        self.cut = true;
    }

    /// Returns true once the limit of files is reached; further ones are left out.
    fn is_full(&mut self) -> bool {
        self.cut |= self.files.len() >= MAX_PATHS;
        self.cut && self.files.len() >= MAX_PATHS
    }

    fn of_tool(&mut self, call: &Call<'_>, field: &str, access: Access, scope: &Scope<'_>) {
        let searches = matches!(call.renames().current(call.tool()), "Grep" | "Glob" | "LS");
        let path = match (call.text(field), searches) {
            (Some(path), _) => path,
            (None, true) if !call.input().contains_key(field) => ".",
            (None, _) => {
                self.unread = Some(format!("`{field}` of the input"));
                return;
            }
        };
        self.add(access, path, searches, scope);
        if let Some(pattern) = call.text("glob").filter(|_| call.renames().current(call.tool()) == "Read") {
            self.add_pattern(access, pattern, scope);
        }
        // A search may name files by a separate pattern.
        for narrowed in ["pattern", "glob"]
            .into_iter()
            .filter(|name| searches && (*name == "glob" || call.tool() == "Glob"))
        {
            if let Some(pattern) = call.text(narrowed) {
                self.add_search(path, pattern, scope);
            }
        }
    }

    /// Adds the files that a pattern of a tool which reads several files may mean: a Read with a `glob`.
    fn add_pattern(&mut self, access: Access, pattern: &str, scope: &Scope<'_>) {
        let Some(paths) = read_pattern::paths(pattern, scope) else {
            // They may be anywhere.
            self.unread = Some(pattern.to_owned());
            self.cut = true;
            return;
        };
        self.files.push(FileUse {
            access,
            text: pattern.to_owned(),
            paths,
            globs: true,
            contents: false,
            originals: Vec::new(),
        });
    }

    /// Adds the part of a search pattern before its first wildcard, below the path that is searched.
    fn add_search(&mut self, path: &str, pattern: &str, scope: &Scope<'_>) {
        // Braces and `..` may leave the directory that the literal part names.
        let leaves = ["{/", ",/", "{~", ",~"].iter().any(|start| pattern.contains(start));
        if pattern.contains("..") || leaves {
            self.unread = Some(pattern.to_owned());
        }
        let literal =
            pattern.find(['*', '?', '[', '{', '\\', '!']).and_then(|at| pattern.get(..at)).unwrap_or(pattern);
        let whole = literal.len() == pattern.len();
        let directory =
            if whole { Some(literal) } else { literal.rsplit_once('/').map(|(directory, _)| directory) };
        let Some(directory) = directory else { return };
        let outside = literal.starts_with(['/', '~']);
        let text = if outside { format!("{directory}/") } else { format!("{path}/{directory}") };
        self.add(Access::Read, &text, true, scope);
    }

    /// Adds the file of a redirection: its possible targets, with braces and variables expanded as far as the line
    /// determines them.
    fn redirection(
        &mut self,
        redirection: &shell::Redirection,
        targets: &[String],
        globs: Globs,
        scope: &Scope<'_>,
    ) {
        let access = match redirection.kind {
            RedirectionKind::Output => Access::Edit,
            RedirectionKind::Input => Access::Read,
        };
        match &redirection.target {
            Target::Literal(path) => self.add(access, path, false, scope),
            Target::Dynamic(text) => {
                for path in targets.iter().filter(|path| !path.is_empty()) {
                    if self.is_full() {
                        return;
                    }
                    let known = match globs {
                        Globs::Directory if path.contains(['*', '?', '[']) => before_glob(path),
                        Globs::Directory | Globs::AsText => path,
                    };
                    self.add(access, known, known != path, scope);
                    if known != path {
                        self.add_glob(access, path, false, scope);
                    }
                }
                self.unread = Some(text.clone());
            }
        }
    }
}

/// Returns the directory before the first part with a glob.
fn before_glob(path: &str) -> &str {
    let literal = path.find(['*', '?', '[']).and_then(|at| path.get(..at)).unwrap_or(path);
    match literal.rfind('/') {
        Some(0) => "/",
        Some(at) => path.get(..at).unwrap_or(path),
        None => ".",
    }
}

/// Returns the equivalent of a path through `/proc`: the directory and the root of a process count as those of the
/// line.
pub(super) fn own_process(text: &str, path: &Normal, cwd: &Normal) -> Option<Normal> {
    let by_descriptor = text.strip_prefix("/dev/fd/../").map(|rest| cwd.join(&format!("/proc/self/{rest}")));
    let path = by_descriptor.as_ref().unwrap_or(path);
    let mut parts = path.text().strip_prefix('/')?.split('/').peekable();
    parts.next_if(|part| may_be(part, "proc"))?;
    parts.next()?;
    if parts.next_if(|part| may_be(part, "task")).is_some() {
        parts.next()?;
    }
    let name = parts.next()?;
    let rest = parts.collect::<Vec<_>>().join("/");
    match (may_be(name, "cwd"), may_be(name, "root")) {
        (true, _) => Some(cwd.join(&format!("./{rest}"))),
        (false, true) => Some(cwd.join(&format!("/{rest}"))),
        (false, false) => None,
    }
}

/// Returns whether a part of a path is a name, or a glob that may become it.
fn may_be(part: &str, name: &str) -> bool {
    let globs = part.contains(['*', '?', '[']);
    part == name || (globs && (part.len() > MAX_GLOB || glob_matches(part, name)))
}

/// The maximum length of a glob that is compared; a longer one may become any name.
const MAX_GLOB: usize = 64;

/// Returns the targets of a path, read with and without its `..`: the file system follows links before it goes up.
fn targets(text: &str, path: &Normal, scope: &Scope<'_>) -> Vec<Normal> {
    let mut candidates = vec![PathBuf::from(path.text())];
    if Path::new(text).components().any(|part| part == std::path::Component::ParentDir) {
        let tail = text.strip_prefix("~/");
        let base = if tail.is_some() { scope.home.unwrap_or(scope.cwd) } else { scope.cwd };
        candidates.push(base.join(tail.unwrap_or(text)));
    }
    candidates.iter().filter_map(|path| scope.links.target(path)).map(|target| Normal::of(&target)).collect()
}
