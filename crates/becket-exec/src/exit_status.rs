//! The end of a supervised program.

/// The end of the first program. Everything that it left running has ended as well (E7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// It ended with this code.
    Exited(u8),
    /// A signal of this number ended it.
    Killed(i32),
}

impl ExitStatus {
    /// Returns the exit code as a shell reports it: 128 and the number of a signal.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Exited(code) => code,
            Self::Killed(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        }
    }
}
