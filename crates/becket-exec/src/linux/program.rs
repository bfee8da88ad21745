//! A program at the moment it is executed, and the readings of its argument list that rules are compared with.
//!
//! Pure: the identity of a file and settings come through [`Files`].

mod git;
mod interpreter;
mod loader;

use std::collections::BTreeSet;

use super::git_settings::GitSettings;
use super::identity::Identity;
use crate::rule_gate::Readings;

/// Multi-call programs, which run the program that their first argument names; the start of their names.
const MULTI_CALL: [&str; 3] = ["busybox", "toybox", "coreutils"];

/// Options of the multi-call program of GNU with the name of the program to run.
const PROGRAM_OPTIONS: [&str; 2] = ["--coreutils-prog=", "--coreutils-prog-shebang="];

/// An executed program that has not run its first instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ExecutedProgram {
    /// The argument list as the kernel took it, including the name.
    pub(crate) arguments: Vec<String>,
    /// The file that runs; for a script, its interpreter.
    pub(crate) file: String,
    /// The path that was executed; for a script, that of the script.
    pub(crate) path: String,
}

/// A file of an executed program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgramFile<'p> {
    /// The file that runs.
    Running,
    /// A path as the program sees it.
    Named(&'p str),
}

/// The look-up of files whose identity is known, and of settings.
pub(crate) trait Files {
    /// Returns the known file that this file is, under any name.
    fn identify(&self, file: ProgramFile<'_>) -> Option<Identity>;

    /// Returns the settings of git with these global options.
    fn git_settings(&self, options: &[String]) -> GitSettings;
}

impl ExecutedProgram {
    /// Returns the command on one line.
    pub(crate) fn command(&self) -> String {
        let script = self.script().unwrap_or(0);
        let words = self.arguments.get(script..).unwrap_or_default();
        words.join(" ")
    }

    /// Returns the name that users know: that of the script, or of the file that runs.
    pub(crate) fn name(&self) -> &str {
        let named = if self.path.is_empty() { &self.file } else { &self.path };
        base(named)
    }

    /// Returns the readings of the program.
    pub(crate) fn readings(&self, files: &dyn Files) -> Readings {
        let (name, rest) = self.arguments.split_first().map_or(("", &[][..]), |(name, rest)| (&**name, rest));
        let joined = |name: &str| {
            let words: Vec<&str> = [name].into_iter().chain(rest.iter().map(String::as_str)).collect();
            words.join(" ")
        };
        Readings { written: joined(name), short: joined(base(name)), all: self.forms(files) }
    }

    /// Returns every reading of the program as a name and its arguments, joined by blanks.
    pub(crate) fn forms(&self, files: &dyn Files) -> Vec<String> {
        let mut forms = Forms::default();
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let (first, rest) = arguments.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
        let script = self.script();
        let path = if script.is_none() { self.path.as_str() } else { "" };
        // A shell of a session has a dash in front of its name, and multi-call programs ignore one.
        for name in [first, first.strip_prefix('-').unwrap_or_default(), &self.file, path] {
            forms.add_names(name, rest);
        }
        let running = files.identify(ProgramFile::Running);
        match &running {
            Some(Identity::Program(name)) => forms.add(name, rest),
            Some(Identity::MultiCall(names)) => {
                if let Some((applet, rest)) = rest.split_first()
                    && names.iter().any(|name| name == base(applet))
                {
                    forms.add(base(applet), rest);
                }
            }
            Some(Identity::Loader) | None => {}
        }
        self.add_applet(&arguments, path, files, &mut forms);
        // The kernel puts each interpreter of a chain of scripts in front of the script.
        for at in 1..=script.unwrap_or(0) {
            forms.add_names(arguments[at], &arguments[at + 1..]);
            forms.add_file(arguments[at], &arguments[at + 1..], files);
        }
        self.add_operand(&arguments, running == Some(Identity::Loader), files, &mut forms);
        forms.finish(files)
    }

    /// Adds the readings of a multi-call program as the program that its arguments select: `busybox busybox rm`.
    fn add_applet(&self, arguments: &[&str], path: &str, files: &dyn Files, forms: &mut Forms) {
        let is_multi_call = |name: &str| {
            let name = base(name.strip_prefix('-').unwrap_or(name));
            MULTI_CALL.iter().any(|start| name.starts_with(start))
        };
        let first = arguments.first().copied().unwrap_or_default();
        if [first, &self.file, path].into_iter().any(is_multi_call) {
            let applet = arguments.iter().skip(1).position(|name| !is_multi_call(name));
            if let Some(rest) = applet.and_then(|at| arguments.get(at + 1..)) {
                forms.add_names(rest[0], &rest[1..]);
                Self::add_script(base(rest[0]), rest, files, forms);
            }
        }
        // The option counts whatever the name of the program is.
        let option = arguments.get(1).copied().unwrap_or_default();
        if let Some(name) = PROGRAM_OPTIONS.iter().find_map(|start| option.strip_prefix(start)) {
            forms.add_names(name, &arguments[2..]);
        }
    }

    /// Adds the reading of a program that this one runs without executing it.
    fn add_operand(&self, arguments: &[&str], loads: bool, files: &dyn Files, forms: &mut Forms) {
        let name = base(&self.file);
        if let Some(at) = loader::operand(name, loads, arguments) {
            forms.add_names(arguments[at], &arguments[at + 1..]);
            forms.add_file(arguments[at], &arguments[at + 1..], files);
        } else {
            let first = arguments.first().map_or("", |first| base(first));
            for name in [name, first] {
                Self::add_script(name, arguments, files, forms);
            }
        }
    }

    /// Adds the reading of the script that an interpreter runs.
    fn add_script(name: &str, arguments: &[&str], files: &dyn Files, forms: &mut Forms) {
        // `sh ./git` runs a script that only looks like git, so its name alone does not count.
        let mut scripts = interpreter::scripts(name, arguments).into_iter();
        let _ = scripts.find(|at| forms.add_file(arguments[*at], &arguments[at + 1..], files));
    }

    /// Returns the position of the script in the arguments, if the program is a script.
    fn script(&self) -> Option<usize> {
        let found = self.arguments.iter().skip(1).position(|argument| *argument == self.path)? + 1;
        (!self.path.is_empty() && base(&self.file) != base(&self.path)).then_some(found)
    }
}

/// Readings: each a name and arguments.
#[derive(Debug, Default)]
struct Forms {
    words: Vec<Vec<String>>,
}

impl Forms {
    fn add(&mut self, name: &str, rest: &[&str]) {
        let form: Vec<String> = [name].iter().chain(rest).map(|word| (*word).to_owned()).collect();
        if !name.is_empty() && !self.words.contains(&form) {
            self.words.push(form);
        }
    }

    /// Adds a reading under a path and under the last component of it.
    fn add_names(&mut self, path: &str, rest: &[&str]) {
        self.add(path, rest);
        self.add(base(path), rest);
    }

    /// Adds a reading under the name of the known file at a path. Returns whether there is one.
    fn add_file(&mut self, path: &str, rest: &[&str], files: &dyn Files) -> bool {
        let Some(Identity::Program(name)) = files.identify(ProgramFile::Named(path)) else { return false };
        self.add(&name, rest);
        true
    }

    fn finish(mut self, files: &dyn Files) -> Vec<String> {
        let mut seen = BTreeSet::new();
        // A path and the last component of it are the same command.
        let commands = self.words.iter().filter(|words| seen.insert((base(&words[0]), &words[1..])));
        let of_git: Vec<Vec<String>> = commands.flat_map(|words| git::subcommands(words, files)).collect();
        self.words.extend(of_git);
        self.words.iter().map(|words| words.join(" ")).collect()
    }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests;
