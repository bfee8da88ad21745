//! Stdin with a time limit, for a command that may not be a hook: its stdin may never end.

use becket_base::text_file::LIMIT;
use std::io::{self, Read};
use std::sync::mpsc;
use std::time::Duration;

/// The time to wait for the input.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns all of stdin; `None` if it is a terminal, can't be read, or does not end within two seconds.
pub fn waiting_input(is_terminal: bool) -> Option<Vec<u8>> {
    if is_terminal {
        return None;
    }
    let (sender, receiver) = mpsc::channel();
    // A thread that waits for an idle stdin ends with the process.
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(LIMIT).read_to_end(&mut bytes);
        drop(sender.send(read.is_ok().then_some(bytes)));
    });
    receiver.recv_timeout(PATIENCE).ok().flatten()
}
