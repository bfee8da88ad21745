//! The new image of a process that has executed a program but not started it: the kernel's own copy of its arguments,
//! in memory that no other process shares.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;

use super::memory::{self, Memory};
use super::program::ExecutedProgram;
use super::ptrace;
use super::registers::{self, Registers};

/// The entry of the auxiliary vector with the address of the path that was executed.
const AT_EXECFN: u64 = 31;

/// Variables that load code into a program before its own.
const PRELOADS: [&[u8]; 2] = [b"LD_PRELOAD=", b"LD_AUDIT="];

/// A new image.
pub(super) struct Image {
    process: libc::pid_t,
    registers: Registers,
    stack: Memory,
    /// The addresses of the variables and of their end.
    variables: (u64, u64),
    pub(super) program: ExecutedProgram,
}

/// The reason why an image can't be examined.
#[derive(Debug)]
pub(super) enum ImageError {
    /// The program is a 32-bit one.
    ThirtyTwoBit,
    /// The system refuses.
    Refused(io::Error),
}

impl From<io::Error> for ImageError {
    fn from(error: io::Error) -> Self {
        Self::Refused(error)
    }
}

impl Image {
    /// Reads the image of a process that is stopped after an exec.
    pub(super) fn read(process: libc::pid_t) -> Result<Self, ImageError> {
        let registers = ptrace::registers(process)?.ok_or(ImageError::ThirtyTwoBit)?;
        let start = registers::stack(&registers);
        let mut stack = Memory::read(process, start)?;
        let count = stack.word(start)?;
        let first_variable = start + 8 * (count + 2);
        let mut at = first_variable;
        while stack.word(at)? != 0 {
            at += 8;
        }
        let path = path(&mut stack, at + 8)?;
        let variables = if at == first_variable { path } else { stack.word(first_variable)? };
        let arguments = if count == 0 { variables } else { stack.word(start + 8)? };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let strings = stack.range(arguments, variables)?;
        let arguments: Vec<String> = strings
            .split_inclusive(|byte| *byte == 0)
            .map(|string| text(string.strip_suffix(b"\0").unwrap_or(string)))
            .collect();
        if arguments.len() as u64 != count {
            return Err(
                io::Error::other("its arguments do not have the layout that the kernel creates").into()
            );
        }
        let file = text(fs::read_link(format!("/proc/{process}/exe"))?.as_os_str().as_bytes());
        let file = file.strip_suffix(" (deleted)").unwrap_or(&file).to_owned();
        let executed = text(stack.path(path)?);
        let program = ExecutedProgram { arguments, file, path: executed };
        Ok(Self { process, registers, stack, variables: (variables, path), program })
    }

    /// Renames the variables that load code into the program, which could change its arguments.
    pub(super) fn disarm_preloads(&mut self) -> io::Result<()> {
        let (from, to) = self.variables;
        let mut at = from;
        for variable in self.stack.range(from, to)?.split_inclusive(|byte| *byte == 0) {
            if PRELOADS.iter().any(|name| variable.starts_with(name)) {
                memory::write(self.process, at, b"X")?;
            }
            at += variable.len() as u64;
        }
        Ok(())
    }

    /// Replaces the program with one that writes a message to stderr and exits with 126.
    pub(super) fn replace_by_message(&mut self, message: &str) -> io::Result<()> {
        // Nothing below the stack pointer is in use yet, and the kernel has reserved room there.
        let at = registers::stack(&self.registers) - 8192;
        memory::write(self.process, at, message.as_bytes())?;
        memory::write(self.process, registers::next(&self.registers), &registers::END)?;
        registers::set_message(&mut self.registers, at, message.len() as u64);
        ptrace::set_registers(self.process, &mut self.registers)
    }
}

/// Returns the address of the path that was executed, from the auxiliary vector.
fn path(stack: &mut Memory, mut at: u64) -> io::Result<u64> {
    loop {
        match stack.word(at)? {
            0 => return Err(io::Error::other("it has no path")),
            AT_EXECFN => return stack.word(at + 8),
            _ => at += 16,
        }
    }
}
