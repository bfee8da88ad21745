//! Starts a command ahead of its input, and waits.

#![expect(clippy::disallowed_methods, reason = "the search path of whoever runs it")]

use std::io::Write;
use std::time::Duration;

use becket_exec::{Standby, StandbyLimits, StandbyState};
use becket_process::{Command, Program};

fn main() -> std::io::Result<()> {
    let line = std::env::args_os().nth(1).unwrap_or_default();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let command = Command::new(Program::shell(line), std::env::current_dir()?).env("PATH", path);
    let standby = Standby::start(command, StandbyLimits::default(), ())?;
    while standby.state() == StandbyState::Starting {
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut out = std::io::stdout();
    out.write_all(b"ready\n")?;
    out.flush()?;
    std::thread::sleep(Duration::from_secs(60));
    standby.end();
    Ok(())
}
