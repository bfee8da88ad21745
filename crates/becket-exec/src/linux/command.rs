//! A program and its arguments in the form that the kernel takes.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

use crate::error::StartError;
use crate::supervisor::Program;

/// A program as C strings, created before the fork.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) file: CString,
    pub(super) directory: CString,
    arguments: Vec<CString>,
    variables: Vec<CString>,
}

impl Command {
    /// Creates the command. The variables `added` override the program's own of the same names.
    pub(super) fn new(
        program: &Program,
        search_path: &[PathBuf],
        added: &[(OsString, OsString)],
    ) -> Result<Self, StartError> {
        let file = find(&program.name, &program.directory, search_path)?;
        let arguments = std::iter::once(&program.name).chain(&program.arguments);
        let is_added = |name: &OsString| added.iter().any(|(added, _)| added == name);
        let own = program.variables.iter().filter(|(name, _)| !is_added(name));
        let variables = own.chain(added).map(|(name, value)| {
            let mut variable = name.clone();
            variable.push("=");
            variable.push(value);
            c_string(&variable)
        });
        Ok(Self {
            file: c_string(file.as_os_str())?,
            directory: c_string(program.directory.as_os_str())?,
            arguments: arguments.map(|argument| c_string(argument)).collect::<Result<_, _>>()?,
            variables: variables.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the argument list, ended by a null pointer.
    pub(super) fn argument_pointers(&self) -> Vec<*const libc::c_char> {
        pointers(&self.arguments)
    }

    /// Returns the variables, ended by a null pointer.
    pub(super) fn variable_pointers(&self) -> Vec<*const libc::c_char> {
        pointers(&self.variables)
    }
}

fn pointers(texts: &[CString]) -> Vec<*const libc::c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}

fn c_string(text: &OsStr) -> Result<CString, StartError> {
    CString::new(text.as_bytes()).map_err(|_| StartError::Nul { text: text.to_string_lossy().into_owned() })
}

/// Finds a program as a shell does: a name without a slash in the search path.
fn find(name: &OsStr, directory: &Path, search_path: &[PathBuf]) -> Result<PathBuf, StartError> {
    if name.as_bytes().contains(&b'/') {
        return Ok(directory.join(name));
    }
    let is_program = |path: &PathBuf| !name.is_empty() && becket_base::is_executable(path);
    let mut candidates = search_path.iter().map(|entry| directory.join(entry).join(name));
    let missing = || StartError::NotFound { name: name.to_string_lossy().into_owned() };
    candidates.find(is_program).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: E2
    #[test]
    fn an_argument_that_no_program_can_receive_is_refused() {
        let program = |argument: &str, variable: &str| Program {
            name: "/bin/true".into(),
            arguments: vec![argument.into()],
            variables: vec![("X".into(), variable.into())],
            directory: "/".into(),
        };
        assert!(Command::new(&program("a", "b"), &[], &[]).is_ok());
        for (argument, variable) in [("a\0", "b"), ("a", "b\0")] {
            let refused = Command::new(&program(argument, variable), &[], &[]);
            assert!(matches!(refused, Err(StartError::Nul { .. })), "{refused:?}");
        }
    }
}
