//! Anonymous pipes of Windows, which have no readiness: one thread per pipe moves the bytes through a slot.
//!
//! INVARIANT: a slot contains at most one pipe's worth; a thread waits until it was taken.

use std::io::{self, Read, Write};
use std::process::ChildStdin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::Notify;

const SLOT: usize = 1 << 16;

#[derive(Debug, Default)]
struct Slot {
    state: Mutex<State>,
    /// Notifies the thread.
    moved: Condvar,
    /// Notifies the runtime.
    ready: Notify,
}

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    /// True if the process's side is closed: nothing more to read, or no reader.
    pipe_over: bool,
    /// True if the host has dropped its side.
    host_over: bool,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.moved.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn end_pipe(&self) {
        self.lock().pipe_over = true;
        self.ready.notify_one();
    }

    fn end_host(&self) {
        self.lock().host_over = true;
        self.moved.notify_one();
    }
}

/// The write end of stdin.
#[derive(Debug)]
pub(crate) struct Input(Arc<Slot>);

impl Input {
    pub(super) fn new(pipe: ChildStdin) -> io::Result<Self> {
        let slot = Arc::new(Slot::default());
        let thread_slot = Arc::clone(&slot);
        thread::Builder::new().name("becket-stdin".into()).spawn(move || write_all(&thread_slot, pipe))?;
        Ok(Self(slot))
    }

    /// Resolves when a write may make progress, or will fail.
    pub(crate) async fn ready(&self) {
        while !self.0.lock().bytes.is_empty() && !self.0.lock().pipe_over {
            self.0.ready.notified().await;
        }
    }

    /// Hands over what fits; `WouldBlock` while the last bytes are still being written.
    pub(crate) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        if state.pipe_over {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if !state.bytes.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let taken = &bytes[..bytes.len().min(SLOT)];
        state.bytes.extend_from_slice(taken);
        self.0.moved.notify_one();
        Ok(taken.len())
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.0.end_host();
    }
}

fn write_all(slot: &Slot, mut pipe: ChildStdin) {
    loop {
        let mut state = slot.lock();
        while state.bytes.is_empty() && !state.host_over {
            state = slot.wait(state);
        }
        let bytes = std::mem::take(&mut state.bytes);
        drop(state);
        if bytes.is_empty() {
            return;
        }
        if pipe.write_all(&bytes).is_err() {
            return slot.end_pipe();
        }
        slot.ready.notify_one();
    }
}

/// The read end of stdout or stderr.
#[derive(Debug)]
pub(crate) struct Output(Arc<Slot>);

impl Output {
    pub(super) fn new(pipe: impl Read + Send + 'static) -> io::Result<Self> {
        let slot = Arc::new(Slot::default());
        let thread_slot = Arc::clone(&slot);
        thread::Builder::new().name("becket-output".into()).spawn(move || read_all(&thread_slot, pipe))?;
        Ok(Self(slot))
    }

    /// Resolves when a read may make progress, or is at the end.
    pub(crate) async fn ready(&self) {
        while self.0.lock().bytes.is_empty() && !self.0.lock().pipe_over {
            self.0.ready.notified().await;
        }
    }

    /// Reads the available bytes; 0 at the end, `WouldBlock` if there are none yet.
    pub(crate) fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        if state.bytes.is_empty() {
            return if state.pipe_over { Ok(0) } else { Err(io::ErrorKind::WouldBlock.into()) };
        }
        let read = state.bytes.len().min(buffer.len());
        buffer[..read].copy_from_slice(&state.bytes[..read]);
        state.bytes.drain(..read);
        self.0.moved.notify_one();
        Ok(read)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.0.end_host();
    }
}

/// Continues to read after the host has gone and discards the data: a process that prints while it ends must not block
/// on a full pipe.
fn read_all(slot: &Slot, mut pipe: impl Read) {
    let mut buffer = vec![0; SLOT];
    while let Ok(read) = pipe.read(&mut buffer) {
        if read == 0 {
            break;
        }
        let mut state = slot.lock();
        while !state.bytes.is_empty() && !state.host_over {
            state = slot.wait(state);
        }
        if !state.host_over {
            state.bytes.extend_from_slice(&buffer[..read]);
            drop(state);
            slot.ready.notify_one();
        }
    }
    slot.end_pipe();
}
