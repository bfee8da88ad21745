//! The files that a call reads and writes, as far as its text shows (P7), each by name and by where it leads (P8).

use std::path::{Path, PathBuf};

use super::call::{Call, CommandLine, Scope};
use super::directories::directories;
use crate::path::{INSIDE, Normal, lexical};
use crate::shell::{self, FileAccess, MAX_PATHS, MAX_VALUES, RedirectionKind, Target, Unknown};
use crate::tools::{Access, Primary};

/// One file, or one directory to be searched.
#[derive(Debug, Clone)]
pub(crate) struct FileUse {
    pub(crate) access: Access,
    /// As the call names it.
    pub(crate) text: String,
    /// The path as it is named and, if it is a link, the path that it leads to.
    pub(crate) paths: Vec<Normal>,
    /// The path holds globs, and is what the shell makes of it.
    pub(crate) globs: bool,
    /// For a file of an agent's worktree, what it is in the main tree.
    pub(crate) originals: Vec<Normal>,
}

/// The files of a call.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    pub(crate) files: Vec<FileUse>,
    /// Something whose path can't be determined from the text.
    pub(crate) unread: Option<String>,
    /// There are more files, or directories that they may be in, than are compared with rules.
    pub(crate) cut: bool,
}

/// The meaning of a path with a glob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Globs {
    /// Everything in the directory before the glob.
    Directory,
    /// Itself.
    AsText,
}

impl Call<'_> {
    /// The files that the call would edit, as far as its text shows (P7): each by name, seen from every directory that
    /// the line may be in by then, and by where it leads (P8). A directory stands for the files that are put into it,
    /// and a glob is left as it is. `None` if there are too many to list.
    #[must_use]
    pub fn edited(&self, scope: &Scope<'_>) -> Option<Vec<PathBuf>> {
        let of_directory = format!("/{INSIDE}");
        let path = |path: &Normal| {
            let text = path.text();
            PathBuf::from(text.strip_suffix(&*of_directory).unwrap_or(text))
        };
        let uses = scope.remembering(|scope| Uses::of(self, scope, Globs::AsText));
        let edited = uses.files.iter().filter(|file| file.access == Access::Edit);
        (!uses.cut).then(|| edited.flat_map(|file| file.paths.iter().map(path)).collect())
    }
}

impl Uses {
    pub(crate) fn of(call: &Call<'_>, scope: &Scope<'_>, globs: Globs) -> Self {
        let mut uses = Self::default();
        match (call.primary(), call.line()) {
            (Primary::Path(field, access), _) => uses.of_tool(call, field, access, scope),
            (_, Some(CommandLine::Bash(line))) => uses.of_line(line, globs, scope),
            (_, Some(CommandLine::PowerShell(_)) | None) => {}
        }
        uses
    }

    pub(crate) fn add(&mut self, access: Access, text: &str, directory: bool, scope: &Scope<'_>) {
        let cwd = Normal::of(scope.cwd);
        let path = lexical(text, &cwd, scope.home_path().as_ref()).unwrap_or_else(|| {
            // Tools that don't expand a `~` take it as a name: deny and ask rules see that name.
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
        self.files.push(FileUse { access, text: text.to_owned(), paths, globs: false, originals });
    }

    /// Adds what a path becomes that has a glob in front of its last part: `*/key`.
    fn add_glob(&mut self, access: Access, text: &str, scope: &Scope<'_>) {
        let in_front = text.rsplit_once('/').is_some_and(|(front, _)| front.contains(['*', '?', '[']));
        let path = lexical(text, &Normal::of(scope.cwd), scope.home_path().as_ref());
        if let Some(path) = path.filter(|_| in_front) {
            let paths = vec![path];
            self.files.push(FileUse {
                access,
                text: text.to_owned(),
                paths,
                globs: true,
                originals: Vec::new(),
            });
        }
    }

    /// The files of a command line, seen from each of its directories.
    fn of_line(&mut self, line: &shell::Line, globs: Globs, scope: &Scope<'_>) {
        if globs == Globs::Directory
            && let Some(words) = line.unread_words()
        {
            self.of_words(words, scope);
        }
        let directories = directories(line, scope);
        // A rule that restricts is about what the line may read; what is protected, about what it names.
        let unknown = match globs {
            Globs::Directory => Unknown::AnyWord,
            Globs::AsText => Unknown::LeftOut,
        };
        let (files, cut) = line.all_file_uses(unknown);
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
                if globs == Globs::Directory && file.glob {
                    self.add_glob(access, &file.path, &scope);
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

    /// Each word of a line that was not read to its end may be a file, and so may what the words become.
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

    /// Returns true once no more files are compared with rules; some were then left out.
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
        // A search may name files by a pattern of its own.
        for narrowed in ["pattern", "glob"]
            .into_iter()
            .filter(|name| searches && (*name == "glob" || call.tool() == "Glob"))
        {
            if let Some(pattern) = call.text(narrowed) {
                self.add_search(path, pattern, scope);
            }
        }
    }

    /// The part of a search pattern before its first wildcard, below the path that is searched.
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

    /// The file of a redirection: what its target may be, braces and variables expanded as far as the line determines
    /// it.
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
                        self.add_glob(access, path, scope);
                    }
                }
                self.unread = Some(text.clone());
            }
        }
    }
}

/// The directory in front of the first part with a glob.
fn before_glob(path: &str) -> &str {
    let literal = path.find(['*', '?', '[']).and_then(|at| path.get(..at)).unwrap_or(path);
    match literal.rfind('/') {
        Some(0) => "/",
        Some(at) => path.get(..at).unwrap_or(path),
        None => ".",
    }
}

/// The path that another one is by way of `/proc`: the directory and the root of a process, for which the line's own
/// counts.
pub(super) fn own_process(text: &str, path: &Normal, cwd: &Normal) -> Option<Normal> {
    let by_descriptor = text.strip_prefix("/dev/fd/../").map(|rest| cwd.join(&format!("/proc/self/{rest}")));
    let path = by_descriptor.as_ref().unwrap_or(path);
    let (_, rest) = path.text().strip_prefix("/proc/")?.split_once('/')?;
    let rest = rest.strip_prefix("task/").and_then(|rest| Some(rest.split_once('/')?.1)).unwrap_or(rest);
    let below = |name: &str| rest.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (below("cwd"), below("root")) {
        (Some(rest), _) => Some(cwd.join(&format!("./{rest}"))),
        (None, Some(rest)) => Some(cwd.join(&format!("/{rest}"))),
        (None, None) => None,
    }
}

/// Returns the targets of a path, read with and without its `..`: the file system follows links before it goes up.
fn targets(text: &str, path: &Normal, scope: &Scope<'_>) -> Vec<Normal> {
    let mut asked = vec![PathBuf::from(path.text())];
    if Path::new(text).components().any(|part| part == std::path::Component::ParentDir) {
        let tail = text.strip_prefix("~/");
        let base = if tail.is_some() { scope.home.unwrap_or(scope.cwd) } else { scope.cwd };
        asked.push(base.join(tail.unwrap_or(text)));
    }
    asked.iter().filter_map(|path| scope.links.target(path)).map(|target| Normal::of(&target)).collect()
}
