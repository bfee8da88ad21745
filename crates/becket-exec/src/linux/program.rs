//! A program at the moment it is executed, and the readings of its argument list that rules are compared with.
//!
//! Pure: the identity of a file comes through [`Files`].

mod git;
mod loader;

use super::identity::Identity;
use crate::rule_gate::Readings;

/// Programs whose first operand is a script that they run.
const INTERPRETERS: [&str; 16] = [
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "perl", "ruby", "node", "nodejs", "deno",
    "bun", "php", "lua",
];

/// Multi-call programs, which run the program that their first argument names.
const MULTI_CALL: [&str; 3] = ["busybox", "toybox", "coreutils"];

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

/// The look-up of files whose identity is known.
pub(crate) trait Files {
    /// Returns the known file that this file is, under any name.
    fn identify(&self, file: ProgramFile<'_>) -> Option<Identity>;
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
        for name in [first, &self.file, path] {
            forms.add_names(name, rest);
        }
        let running = files.identify(ProgramFile::Running);
        let names = [base(&self.file), base(path)];
        match &running {
            Some(Identity::Program(name)) => forms.add(name, rest),
            Some(Identity::MultiCall(name)) if rest.first().is_some_and(|applet| base(applet) == name) => {
                forms.add(name, &rest[1..]);
            }
            Some(Identity::MultiCall(_) | Identity::Loader) | None => {}
        }
        if let (true, Some((applet, rest))) =
            (names.iter().any(|name| MULTI_CALL.contains(name)), rest.split_first())
        {
            forms.add_names(applet, rest);
        }
        // The kernel puts each interpreter of a chain of scripts in front of the script.
        for at in 1..=script.unwrap_or(0) {
            forms.add_names(arguments[at], &arguments[at + 1..]);
            forms.add_file(arguments[at], &arguments[at + 1..], files);
        }
        self.add_operand(&arguments, running == Some(Identity::Loader), files, &mut forms);
        forms.finish()
    }

    /// Adds the reading of a program that this one runs without executing it.
    fn add_operand(&self, arguments: &[&str], loads: bool, files: &dyn Files, forms: &mut Forms) {
        let name = base(&self.file);
        if let Some(at) = loader::operand(name, loads, arguments) {
            forms.add_names(arguments[at], &arguments[at + 1..]);
            forms.add_file(arguments[at], &arguments[at + 1..], files);
        } else if INTERPRETERS.contains(&name) || name.starts_with("python") {
            // `sh ./git` runs a script that only looks like git, so its name alone does not count.
            let operand = (1..arguments.len()).find(|at| !arguments[*at].starts_with('-'));
            if let Some(at) = operand {
                forms.add_file(arguments[at], &arguments[at + 1..], files);
            }
        }
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

    /// Adds a reading under the name of the known file at a path.
    fn add_file(&mut self, path: &str, rest: &[&str], files: &dyn Files) {
        if let Some(Identity::Program(name)) = files.identify(ProgramFile::Named(path)) {
            self.add(&name, rest);
        }
    }

    fn finish(mut self) -> Vec<String> {
        let of_git: Vec<Vec<String>> = self.words.iter().filter_map(|words| git::subcommand(words)).collect();
        self.words.extend(of_git);
        self.words.iter().map(|words| words.join(" ")).collect()
    }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests;
