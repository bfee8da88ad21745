//! The exit status of a supervised program.

/// The exit status of the first program. Everything that it left running has ended as well (E7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// The program exited with this code.
    Exited(u8),
    /// The program was killed by the signal with this number.
    Killed(i32),
}

impl ExitStatus {
    /// Returns the exit code as a shell reports it: for a signal, 128 plus its number.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Exited(code) => code,
            Self::Killed(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        }
    }
}
