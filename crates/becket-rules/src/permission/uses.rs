//! The files that a call reads and writes, as far as its text says (P7), each by name and by where it leads (P8).

use std::path::{Path, PathBuf};

use super::call::{Call, CommandLine, Scope};
use super::directories::directories;
use crate::path::{INSIDE, Normal, lexical};
use crate::shell::{self, FileAccess, RedirectionKind, Target};
use crate::tools::{Access, Primary};

/// One file, or one directory to be searched.
#[derive(Debug, Clone)]
pub(crate) struct FileUse {
    pub(crate) access: Access,
    /// As the call names it.
    pub(crate) text: String,
    /// The path as it is named and, where it is a link, the path that it leads to.
    pub(crate) paths: Vec<Normal>,
}

/// The files of a call.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    pub(crate) files: Vec<FileUse>,
    /// Something whose path can't be told from the text.
    pub(crate) unread: Option<String>,
}

impl Call<'_> {
    /// The files that the call would edit, as far as its text says (P7): each by name, seen from every directory that the
    /// line may be in by then, and by where it leads (P8). A directory stands for what comes to lie in it.
    #[must_use]
    pub fn edited(&self, scope: &Scope<'_>) -> Vec<PathBuf> {
        let of_directory = format!("/{INSIDE}");
        let path = |path: &Normal| {
            let text = path.text();
            PathBuf::from(text.strip_suffix(&*of_directory).unwrap_or(text))
        };
        let files = Uses::of(self, scope).files;
        let edited = files.iter().filter(|file| file.access == Access::Edit);
        edited.flat_map(|file| file.paths.iter().map(path)).collect()
    }
}

impl Uses {
    pub(crate) fn of(call: &Call<'_>, scope: &Scope<'_>) -> Self {
        let mut uses = Self::default();
        match (call.primary(), call.line()) {
            (Primary::Path(field, access), _) => uses.of_tool(call, field, access, scope),
            (_, Some(CommandLine::Bash(line))) => {
                for directory in directories(line, scope) {
                    uses.of_line(line, &Scope { cwd: Path::new(directory.text()), ..*scope });
                }
            }
            (_, Some(CommandLine::PowerShell(_)) | None) => {}
        }
        uses
    }

    pub(crate) fn add(&mut self, access: Access, text: &str, directory: bool, scope: &Scope<'_>) {
        let cwd = Normal::of(scope.cwd);
        let path = lexical(text, &cwd, scope.home_path().as_ref()).unwrap_or_else(|| {
            // Tools that don't know a `~` take it for a name: deny and ask rules see that name.
            self.unread = Some(text.to_owned());
            cwd.join(&format!("./{text}"))
        });
        let mut paths = vec![path];
        for target in targets(text, &paths[0], scope) {
            if !paths.contains(&target) {
                paths.push(target);
            }
        }
        if directory {
            paths = paths.iter().map(|path| path.join(INSIDE)).collect();
        }
        self.files.push(FileUse { access, text: text.to_owned(), paths });
    }

    fn of_line(&mut self, line: &shell::Line, scope: &Scope<'_>) {
        for file in line.all_file_uses() {
            let access = match file.access {
                FileAccess::Read => Access::Read,
                FileAccess::Edit => Access::Edit,
            };
            self.add(access, &file.path, true, scope);
        }
        for redirection in line.redirections() {
            self.redirection(redirection.kind, &redirection.target, scope);
        }
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

    fn redirection(&mut self, kind: RedirectionKind, target: &Target, scope: &Scope<'_>) {
        let access = match kind {
            RedirectionKind::Output => Access::Edit,
            RedirectionKind::Input => Access::Read,
        };
        match target {
            Target::Literal(path) => self.add(access, path, false, scope),
            Target::Dynamic(text) => {
                if let Some(path) = literal(text) {
                    self.add(access, &path, false, scope);
                }
                self.unread = Some(text.clone());
            }
        }
    }
}

/// The path of a target that asks, where it may be told after all: below the home directory, or relative in a line that
/// changes its directory.
fn literal(text: &str) -> Option<String> {
    let home = ["~/", "$HOME/", "${HOME}/", "\"$HOME\"/", "\"${HOME}\"/"];
    let below = home.into_iter().find_map(|home| text.strip_prefix(home));
    let rest = below.unwrap_or(text);
    let open = rest.contains(['$', '`', '*', '?', '[', '{', '\\', '"', '\'']) || rest.starts_with('~');
    (!open).then(|| below.map_or_else(|| rest.to_owned(), |below| format!("~/{below}")))
}

/// Where the path leads, read with and without its `..`: the file system follows links before it goes up.
fn targets(text: &str, path: &Normal, scope: &Scope<'_>) -> Vec<Normal> {
    let mut asked = vec![PathBuf::from(path.text())];
    if Path::new(text).components().any(|part| part == std::path::Component::ParentDir) {
        let tail = text.strip_prefix("~/");
        let base = if tail.is_some() { scope.home.unwrap_or(scope.cwd) } else { scope.cwd };
        asked.push(base.join(tail.unwrap_or(text)));
    }
    asked.iter().filter_map(|path| scope.links.target(path)).map(|target| Normal::of(&target)).collect()
}
