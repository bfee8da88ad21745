//! The identity of files: a program that a rule names is recognised under any name, as a link or as a copy.
//!
//! A multi-call program (`busybox`) is known by names alone: its file does not determine what it does.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::rule_gate::RuleGate;

/// A known file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The program with this name.
    Program(String),
    /// A multi-call program, run under one of these names.
    MultiCall(Vec<String>),
    /// The dynamic loader of a program, which can run the program without executing it.
    Loader,
}

/// The files that rules name.
#[derive(Debug, Default)]
pub(crate) struct KnownFiles {
    files: Vec<KnownFile>,
    /// The results of content comparisons, so that a copy is read only once.
    compared: RefCell<HashMap<FileVersion, Option<Identity>>>,
}

#[derive(Debug)]
struct KnownFile {
    identity: Identity,
    content: Content,
    version: FileVersion,
}

/// The content of a known file, which does not go away when the file does.
#[derive(Debug)]
enum Content {
    /// A copy of a small file: a script may be overwritten in place.
    Copied(Vec<u8>),
    /// An open file.
    Open(File),
    /// A file that can't be read has no copies either.
    Unreadable,
}

/// The size of the largest file whose content is copied, in bytes.
const SMALL: u64 = 64 << 10;

impl Content {
    fn of(path: &Path, size: u64) -> Self {
        let copied = || fs::read(path).map(Self::Copied);
        let content = if size <= SMALL { copied() } else { File::open(path).map(Self::Open) };
        content.unwrap_or(Self::Unreadable)
    }

    fn is(&self, content: &[u8]) -> bool {
        match self {
            Self::Copied(copy) => copy == content,
            Self::Open(file) => {
                let mut bytes = vec![0; content.len()];
                let is_as_long = file.metadata().is_ok_and(|found| found.len() == content.len() as u64);
                is_as_long && file.read_exact_at(&mut bytes, 0).is_ok() && bytes == content
            }
            Self::Unreadable => false,
        }
    }
}

/// A file at a certain time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FileVersion {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl FileVersion {
    fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl KnownFiles {
    /// Looks up the programs that rules and conditions name in the search path.
    pub(crate) fn find(gate: &RuleGate, search_path: &[PathBuf]) -> Self {
        let mut known = Self::default();
        let names: BTreeSet<&str> = gate.program_names().collect();
        for name in names {
            let paths =
                search_path.iter().filter_map(|directory| fs::canonicalize(directory.join(name)).ok());
            // Directories that are links to each other (`/bin`, `/usr/bin`) have the same file.
            for real in paths.collect::<BTreeSet<_>>() {
                known.add(name, &real);
            }
        }
        known
    }

    /// Returns whether no file is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the known file that this file is: the same, or one with the same content.
    pub(crate) fn identify(&self, path: &Path) -> Option<Identity> {
        let metadata = fs::metadata(path).ok().filter(Metadata::is_file)?;
        let version = FileVersion::of(&metadata);
        if let Some(same) = self.files.iter().find(|known| known.version.is_same_file(&version)) {
            return Some(same.identity.clone());
        }
        let mut alike = self.files.iter().filter(|known| known.version.size == version.size).peekable();
        alike.peek()?;
        if let Some(found) = self.compared.borrow().get(&version) {
            return found.clone();
        }
        let content = fs::read(path).ok();
        let found = alike
            .find(|known| content.as_ref().is_some_and(|content| known.content.is(content)))
            .map(|known| known.identity.clone());
        self.compared.borrow_mut().insert(version, found.clone());
        found
    }

    /// Adds the file of a program, by its real path.
    fn add(&mut self, name: &str, real: &Path) {
        let Ok(metadata) = fs::metadata(real) else { return };
        let loader = loader_of(real);
        let identity = match &loader {
            _ if !metadata.is_file() => return,
            Loader::NotElf if has_twin(name, real, &metadata) => return,
            Loader::NotElf => Identity::Program(name.to_owned()),
            Loader::None | Loader::At(_) => {
                let own = real.file_name().is_some_and(|file| file.as_bytes() == name.as_bytes());
                if own && !has_twin(name, real, &metadata) {
                    Identity::Program(name.to_owned())
                } else {
                    Identity::MultiCall(vec![name.to_owned()])
                }
            }
        };
        self.remember(identity, real, &metadata);
        if let Loader::At(loader) = loader
            && let Ok(loader) = fs::canonicalize(loader)
            && let Ok(metadata) = fs::metadata(&loader)
        {
            self.remember(Identity::Loader, &loader, &metadata);
        }
    }

    fn remember(&mut self, identity: Identity, path: &Path, metadata: &Metadata) {
        let version = FileVersion::of(metadata);
        for known in self.files.iter_mut().filter(|known| known.version.is_same_file(&version)) {
            if known.identity == identity {
                return;
            }
            if let (Identity::MultiCall(names), Identity::MultiCall(more)) = (&mut known.identity, &identity)
            {
                names.extend(more.iter().cloned());
                return;
            }
        }
        self.files.push(KnownFile { identity, content: Content::of(path, version.size), version });
    }
}

/// Returns whether the same file, or for a script the same content, has another name in its directory: then the name
/// decides what it does. Names such as `git-push` beside `git` are parts of one program.
fn has_twin(name: &str, real: &Path, metadata: &Metadata) -> bool {
    let is_script = is_script(real);
    if metadata.nlink() < 2 && !is_script {
        return false;
    }
    let content = || fs::read(real).ok();
    let own = real.file_name().unwrap_or_default();
    let parts = format!("{name}-");
    let entries = real.parent().and_then(|directory| fs::read_dir(directory).ok());
    entries.into_iter().flatten().flatten().any(|entry| {
        let other = entry.file_name();
        if other == own || other.as_bytes().starts_with(parts.as_bytes()) {
            return false;
        }
        let Ok(found) = entry.metadata() else { return false };
        let same = (found.dev(), found.ino()) == (metadata.dev(), metadata.ino());
        same || (is_script && found.size() == metadata.size() && fs::read(entry.path()).ok() == content())
    })
}

/// Returns whether the file starts with `#!`.
fn is_script(path: &Path) -> bool {
    let mut start = [0; 2];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"#!"
}

/// The dynamic loader that a file names.
#[derive(Debug, PartialEq, Eq)]
enum Loader {
    /// The file is not a 64-bit ELF program.
    NotElf,
    /// The program has no loader.
    None,
    /// The program has the loader at this path.
    At(PathBuf),
}

/// Returns the loader in the program header of type `PT_INTERP`.
fn loader_of(path: &Path) -> Loader {
    const PT_INTERP: u64 = 3;
    let Ok(mut file) = File::open(path) else { return Loader::NotElf };
    let mut start = Vec::new();
    if file.by_ref().take(4096).read_to_end(&mut start).is_err() || !start.starts_with(b"\x7fELF\x02") {
        return Loader::NotElf;
    }
    let number = |at: usize, bytes: usize| {
        let found = start.get(at..at + bytes)?;
        Some(found.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte)))
    };
    let header = |at: u64| {
        let at = usize::try_from(at).ok()?;
        (number(at, 4)? == PT_INTERP).then_some((number(at + 8, 8)?, number(at + 32, 8)?))
    };
    let (Some(table), Some(size), Some(count)) = (number(32, 8), number(54, 2), number(56, 2)) else {
        return Loader::None;
    };
    let found = (0..count).find_map(|index| header(table.checked_add(index * size)?));
    let Some((offset, length)) = found else { return Loader::None };
    let mut text = Vec::new();
    let read =
        file.seek(SeekFrom::Start(offset)).and_then(|_| file.take(length.min(4096)).read_to_end(&mut text));
    if read.is_err() {
        return Loader::None;
    }
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    Loader::At(PathBuf::from(std::ffi::OsStr::from_bytes(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_rules::{RuleList, RuleOrigin, RuleSet};
    use std::os::unix::fs::symlink;

    fn known(rule: &str, directory: &Path) -> KnownFiles {
        let mut rules = RuleSet::default();
        let origin = RuleOrigin { label: "test".to_owned(), anchor: "/".into() };
        rules.add(RuleList::Deny, rule, origin).unwrap();
        KnownFiles::find(&RuleGate::new(rules), &[directory.to_owned()])
    }

    // rule: E1
    #[test]
    fn links_and_copies_are_the_program_and_a_changed_copy_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::copy("/bin/sh", at("tool")).unwrap();
        let files = known("Bash(tool run *)", directory.path());
        fs::hard_link(at("tool"), at("hard")).unwrap();
        symlink("tool", at("soft")).unwrap();
        fs::copy(at("tool"), at("copy")).unwrap();
        let mut changed = fs::read(at("tool")).unwrap();
        *changed.last_mut().unwrap() ^= 1;
        fs::write(at("changed"), changed).unwrap();
        let program = Some(Identity::Program("tool".to_owned()));
        for name in ["tool", "hard", "soft", "copy", "copy"] {
            assert_eq!(files.identify(&at(name)), program, "{name}");
        }
        assert_eq!(files.identify(&at("changed")), None);
        assert_eq!(files.identify(&at("missing")), None);
        // The copy is compared again after it has changed.
        fs::copy(at("changed"), at("copy")).unwrap();
        assert_eq!(files.identify(&at("copy")), None);
    }

    // rule: E1
    #[test]
    fn a_copy_is_known_when_the_original_is_gone_or_changed() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        for (name, content) in [("script", b"#!/bin/sh\n".to_vec()), ("large", fs::read("/bin/sh").unwrap())]
        {
            fs::write(at(name), content).unwrap();
            let files = known(&format!("Bash({name} *)"), directory.path());
            fs::copy(at(name), at("copy")).unwrap();
            fs::remove_file(at(name)).unwrap();
            let program = Some(Identity::Program(name.to_owned()));
            assert_eq!(files.identify(&at("copy")), program, "{name}");
        }
        fs::write(at("script"), "#!/bin/sh\n").unwrap();
        let files = known("Bash(script *)", directory.path());
        fs::copy(at("script"), at("copy")).unwrap();
        fs::write(at("script"), "other").unwrap();
        assert_eq!(files.identify(&at("copy")), Some(Identity::Program("script".to_owned())));
    }

    // rule: E1
    #[test]
    fn a_program_that_is_many_is_known_by_its_names() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::copy("/bin/sh", at("many")).unwrap();
        symlink("many", at("tool")).unwrap();
        let files = known("Bash(tool run *)", directory.path());
        let many =
            |names: &[&str]| Some(Identity::MultiCall(names.iter().map(|&name| name.to_owned()).collect()));
        assert_eq!(files.identify(&at("many")), many(&["tool"]));
        fs::copy("/bin/sh", at("one")).unwrap();
        fs::hard_link(at("one"), at("two")).unwrap();
        let files = known("Bash(two *)", directory.path());
        assert_eq!(files.identify(&at("one")), many(&["two"]));
        // One of several names that rules have.
        symlink("many", at("other")).unwrap();
        let mut rules = RuleSet::default();
        for rule in ["Bash(tool *)", "Bash(other *)"] {
            let origin = RuleOrigin { label: "test".to_owned(), anchor: "/".into() };
            rules.add(RuleList::Deny, rule, origin).unwrap();
        }
        let files = KnownFiles::find(&RuleGate::new(rules), &[directory.path().to_owned()]);
        assert_eq!(files.identify(&at("many")), many(&["other", "tool"]));
        // Scripts whose behaviour depends on their name.
        fs::write(at("pip"), "#!/bin/sh\nexec shim \"$0\"\n").unwrap();
        fs::copy(at("pip"), at("python")).unwrap();
        assert_eq!(known("Bash(pip *)", directory.path()).identify(&at("python")), None);
    }

    // rule: E1
    #[test]
    fn the_loader_of_a_program_is_known() {
        let Loader::At(loader) = loader_of(Path::new("/bin/sh")) else { return };
        let files = known("Bash(sh *)", Path::new("/bin"));
        assert_eq!(files.identify(&loader), Some(Identity::Loader));
        let directory = tempfile::tempdir().unwrap();
        let copy = directory.path().join("x");
        fs::copy(&loader, &copy).unwrap();
        assert_eq!(files.identify(&copy), Some(Identity::Loader));
    }
}
