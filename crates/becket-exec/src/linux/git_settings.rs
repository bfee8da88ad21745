//! The settings of git in which `help.autocorrect` and aliases are: those of the system, the user and the repository,
//! and those in variables.
//!
//! Git's rules about which files count are followed so far that none is left out. More files only make more words
//! count as misspelled ones; what can't be read completely makes all of them count.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use becket_base::text_file;

/// The maximum number of files that are looked for. Every directory above has several.
const MOST_FILES: usize = 512;

/// The size up to which a file is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// Settings that change the meaning of the word after `git`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GitSettings {
    /// True if git may take a misspelled word for a subcommand.
    pub(crate) corrects: bool,
    /// The aliases of the user, in lower case. Those of a repository don't count: which one git takes depends on more
    /// than its settings.
    pub(crate) aliases: BTreeSet<String>,
}

impl GitSettings {
    /// Reads the settings of a process that has executed git with these global options.
    pub(super) fn of(process: libc::pid_t, options: &[String]) -> Self {
        let variables = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let variables: Vec<String> =
            variables.split(|byte| *byte == 0).map(|one| String::from_utf8_lossy(one).into_owned()).collect();
        let directory = fs::read_link(format!("/proc/{process}/cwd")).unwrap_or_default();
        Self::of_variables(&variables, &directory, options, Path::new(&format!("/proc/{process}/root")))
    }

    /// Reads the settings of a process with these variables, which runs in a directory below a root.
    fn of_variables(variables: &[String], directory: &Path, options: &[String], root: &Path) -> Self {
        let mut settings = Self::default();
        settings.corrects |= variables.iter().any(|one| one.starts_with("GIT_CONFIG_") && may_correct(one));
        settings.read(&places(variables, directory, options, root), root);
        settings
    }

    /// Reads files, and those that they include.
    fn read(&mut self, places: &Places, root: &Path) {
        let of_user = places.of_user.iter().map(|file| (file.clone(), true));
        let others = places.others.iter().map(|file| (file.clone(), false));
        let mut pending: VecDeque<(PathBuf, bool)> = of_user.chain(others).collect();
        let mut seen = BTreeSet::new();
        while let Some((file, is_of_user)) = pending.pop_front() {
            if !seen.insert(file.clone()) {
                continue;
            }
            if seen.len() > MOST_FILES {
                self.corrects = true;
                return;
            }
            let Some(text) = text(root, &file) else { continue };
            self.corrects |= text.len() as u64 > LARGEST;
            for Entry { section, key, value } in entries(&text) {
                self.corrects |= key == "autocorrect" && !is_off(&value);
                if section == "alias" && is_of_user {
                    self.aliases.insert(key);
                } else if key == "path" {
                    let home = value.strip_prefix("~/").map(|below| places.home.join(below));
                    let beside = || file.parent().unwrap_or(&file).join(&value);
                    pending.push_back((home.unwrap_or_else(beside), false));
                }
            }
        }
    }
}

/// The files of settings, and the directory to which `~` refers.
#[derive(Debug, Default)]
struct Places {
    of_user: Vec<PathBuf>,
    others: Vec<PathBuf>,
    home: PathBuf,
}

/// Returns whether an option or a variable may set `help.autocorrect`, itself or in a file that it includes.
pub(crate) fn may_correct(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["autocorrect", "include.path", "includeif."].iter().any(|name| text.contains(name))
}

fn places(variables: &[String], directory: &Path, options: &[String], root: &Path) -> Places {
    let written = |name: &str| variables.iter().find_map(|one| one.strip_prefix(name)?.strip_prefix('='));
    let variable = |name: &str| written(name).map(|value| directory.join(value));
    let home = variable("HOME").unwrap_or_default();
    let mut files = vec![PathBuf::from("/etc/gitconfig"), PathBuf::from("/usr/local/etc/gitconfig")];
    files.extend(variable("GIT_CONFIG_SYSTEM"));
    let settings = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    let of_user = match variable("GIT_CONFIG_GLOBAL") {
        Some(file) => vec![file],
        None => vec![settings.join("git/config"), home.join(".gitconfig")],
    };
    // Git ignores an empty value, reads no file of a home that is not set, and finds a relative path elsewhere.
    let of_home = ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"];
    let is_known = written("HOME").is_some()
        && of_home.into_iter().filter_map(written).all(|value| value.starts_with('/'));
    let (of_user, of_anybody) = if is_known { (of_user, Vec::new()) } else { (Vec::new(), of_user) };
    files.extend(of_anybody.into_iter().map(|file| directory.join(file)));
    let mut start = directory.to_owned();
    let mut repositories: Vec<PathBuf> =
        ["GIT_DIR", "GIT_COMMON_DIR"].into_iter().filter_map(variable).collect();
    for (at, option) in options.iter().enumerate() {
        let next = options.get(at + 1);
        if let (Some(value), "-C") = (next, option.as_str()) {
            start.push(value);
        }
        let attached = option.strip_prefix("--git-dir=");
        let value = attached.or(next.filter(|_| option == "--git-dir").map(String::as_str));
        repositories.extend(value.map(|value| start.join(value)));
    }
    for above in plain(&start).ancestors() {
        repositories.extend([above.join(".git"), above.to_owned()]);
    }
    files.extend(repositories.into_iter().flat_map(|directory| of_repository(root, directory)));
    Places { of_user, others: files, home }
}

/// Returns the files of a repository, whose directory may be another one that a file names.
fn of_repository(root: &Path, directory: PathBuf) -> Vec<PathBuf> {
    let named =
        |file: &Path, start: &str| Some(text(root, file)?.trim().strip_prefix(start)?.trim().to_owned());
    let linked = named(&directory, "gitdir:");
    let own = match linked {
        Some(linked) => directory.parent().unwrap_or(&directory).join(linked),
        None => directory,
    };
    let common = named(&own.join("commondir"), "").map(|common| own.join(common));
    let files = |directory: &Path| ["config", "config.worktree"].map(|name| directory.join(name));
    files(&own).into_iter().chain(common.as_deref().map(files).into_iter().flatten()).collect()
}

/// Returns a path without `..`, so that all directories above it are its ancestors.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(component),
        }
    }
    plain
}

/// Returns the text of a file below a root, or its start, which is longer than [`LARGEST`] then.
fn text(root: &Path, file: &Path) -> Option<String> {
    let file = file.strip_prefix("/").map_or_else(|_| file.to_owned(), |below| root.join(below));
    let mut bytes = Vec::new();
    text_file::open(&file).ok()?.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A setting; its names are in lower case.
struct Entry {
    section: String,
    key: String,
    value: String,
}

/// Returns the settings of a text. The section is empty where a line may be the rest of a value.
fn entries(text: &str) -> impl Iterator<Item = Entry> {
    let (mut section, mut is_continued) = (String::new(), false);
    text.lines().filter_map(move |line| {
        let mut rest = line.trim().trim_start_matches('\u{feff}');
        if let Some(header) = rest.strip_prefix('[') {
            let (name, after) = header.split_once(']').unwrap_or((header, ""));
            section = name.to_ascii_lowercase();
            rest = after.trim();
        }
        if std::mem::replace(&mut is_continued, line.trim_end().ends_with('\\')) {
            section.clear();
        }
        let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
        let key = key.trim().to_ascii_lowercase();
        let value = value.trim().trim_matches('"').to_owned();
        (!key.is_empty()).then(|| Entry { section: section.clone(), key, value })
    })
}

/// Returns whether a value of `help.autocorrect` runs nothing else.
fn is_off(value: &str) -> bool {
    ["0", "false", "off", "no", "never", "show"].contains(&value.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(directory: &Path, options: &[&str]) -> GitSettings {
        read_with(directory, options, &[&format!("HOME={}", directory.join("home").display())])
    }

    fn read_with(directory: &Path, options: &[&str], variables: &[&str]) -> GitSettings {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<String>>();
        let work = directory.join("work/below");
        GitSettings::of_variables(&owned(variables), &work, &owned(options), Path::new("/"))
    }

    // rule: E1
    #[test]
    fn settings_of_the_user_and_the_repository_count() {
        for (file, text, options, corrects) in [
            ("home/.gitconfig", "[help]\n\tautoCorrect = immediate\n", &[][..], true),
            ("home/.config/git/config", "[HELP] autocorrect = 1", &[], true),
            ("work/.git/config", "[help]\nautocorrect = 10", &[], true),
            ("work/.git/config", "[help]\nautocorrect = never", &[], false),
            ("work/.git/config", "[core]\nbare = false", &[], false),
            ("other/.git/config", "[help]\nautocorrect", &[], false),
            ("other/.git/config", "[help]\nautocorrect", &["-C", "../../other"], true),
            ("other/config", "[help]\nautocorrect", &["--git-dir=../../other"], true),
            ("other/config", "[help]\nautocorrect", &["-C", "..", "--git-dir", "../other"], true),
        ] {
            let directory = tempfile::tempdir().unwrap();
            let at = directory.path().join(file);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            fs::create_dir_all(directory.path().join("work/below")).unwrap();
            fs::write(&at, text).unwrap();
            assert_eq!(read(directory.path(), options).corrects, corrects, "{file}: {text} {options:?}");
        }
    }

    // rule: E1
    #[test]
    fn included_files_and_linked_repositories_count_and_their_aliases_do_not() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let at = directory.path().join(name);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            fs::write(at, text).unwrap();
        };
        write("home/.gitconfig", "[alias]\n st = status\n[includeIf \"gitdir:/x/\"]\n path = ~/more\n");
        write("home/more", "[alias]\n pushh = x\n[include]\npath = \"deeper\"\n");
        let aliases = |found: &GitSettings| found.aliases.iter().cloned().collect::<Vec<_>>();
        let found = read(directory.path(), &[]);
        assert_eq!((found.corrects, aliases(&found)), (false, vec!["st".to_owned()]));
        write("work/.git/config", "[alias]\nc = branch");
        write(
            "home/.gitconfig",
            "[alias \"x\"]\na = b\n[x]\na = b \\\n[alias]\nb = c\n[include]path = more\n",
        );
        assert_eq!(aliases(&read(directory.path(), &[])), Vec::<String>::new());
        fs::remove_dir_all(directory.path().join("work")).unwrap();
        write("home/deeper", "[help]\nautocorrect = 1");
        assert!(read(directory.path(), &[]).corrects);
        write("home/deeper", "");
        write("work/.git", "gitdir: ../real/worktrees/x\n");
        write("real/worktrees/x/commondir", "../..\n");
        write("real/config", "[help]\nautocorrect = 1");
        assert!(read(directory.path(), &[]).corrects);
    }

    // rule: E1
    #[test]
    fn variables_count_and_what_they_may_include() {
        let directory = tempfile::tempdir().unwrap();
        for (variable, corrects) in [
            ("GIT_CONFIG_KEY_0=help.autocorrect", true),
            ("GIT_CONFIG_KEY_0=include.path", true),
            ("GIT_CONFIG_KEY_0=includeIf.gitdir:/x/.path", true),
            ("GIT_CONFIG_PARAMETERS='help.autoCorrect'='1'", true),
            ("GIT_CONFIG_KEY_0=user.name", false),
            ("OTHER=help.autocorrect", false),
        ] {
            assert_eq!(read_with(directory.path(), &[], &[variable]).corrects, corrects, "{variable}");
        }
    }

    // rule: E1
    #[test]
    fn aliases_count_only_in_a_file_that_git_reads_for_certain() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().join("work/below/git/config");
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(&at, "[alias]\npushh = x\n[help]\nautocorrect = 1").unwrap();
        let settings = at.parent().and_then(Path::parent).unwrap().display().to_string();
        for (variable, is_known) in
            [(format!("XDG_CONFIG_HOME={settings}"), true), ("XDG_CONFIG_HOME=".to_owned(), false)]
        {
            let found = read_with(directory.path(), &[], &["HOME=/nowhere", &variable]);
            assert_eq!((found.corrects, !found.aliases.is_empty()), (true, is_known), "{variable}");
        }
        fs::write(
            directory.path().join("work/below/.gitconfig"),
            "[alias]\npushh = x\n[help]\nautocorrect = 1",
        )
        .unwrap();
        let found = read_with(directory.path(), &[], &[]);
        assert_eq!((found.corrects, found.aliases.is_empty()), (true, true), "no home");
    }

    // rule: E1
    #[test]
    fn incomplete_settings_make_words_count_and_a_fifo_does_not_block() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("home");
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(directory.path().join("work")).unwrap();
        let pipe = directory.path().join("work/.git");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert!(!read(directory.path(), &[]).corrects);
        let includes: String = (0..MOST_FILES).map(|nth| format!("[include]\npath = {nth}\n")).collect();
        let comment = format!("#{}\n", "-".repeat(1 << 20));
        for (text, corrects) in [("[user]\nname = x\n", false), (&*includes, true), (&*comment, true)] {
            fs::write(home.join(".gitconfig"), text).unwrap();
            assert_eq!(read(directory.path(), &[]).corrects, corrects, "{} bytes", text.len());
        }
    }
}
