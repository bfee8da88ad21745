//! Displays running hooks live on stderr (H13): one spinner for each hook that takes a while, with its status message.
//! Finished hooks leave nothing: the report that follows names them all.
//!
//! INVARIANT: nothing is drawn while the user is asked, nor after [`Progress::end`]; both hold the drawing lock.

use crate::report::style::one_line;
use becket_engine::handler::Handler;
use becket_engine::{RunEvent, RunEventKind};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time until a hook is shown: most hooks are short, and a flashing line is useless.
const SHOWN_AFTER: Duration = Duration::from_millis(250);
/// The time between two frames.
const PICTURE: Duration = Duration::from_millis(100);
/// The maximum widths of a label and a status message, in characters.
const LABEL: usize = 50;
const MESSAGE: usize = 60;

/// The display of running hooks, if enabled. Clones share it.
#[derive(Clone)]
pub(crate) struct Progress(Option<Arc<ProgressState>>);

struct ProgressState {
    bars: MultiProgress,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    running: Vec<RunningHook>,
    /// The number of users of the screen that pause the display.
    pauses: usize,
    is_drawing: bool,
    is_over: bool,
}

/// A running hook.
struct RunningHook {
    firing: u64,
    handler: Arc<Handler>,
    since: Instant,
    bar: Option<ProgressBar>,
}

/// A pause of the display until this is dropped.
pub(crate) struct ScreenPause(Option<Arc<ProgressState>>);

impl Progress {
    /// Creates a display on stderr.
    pub(crate) fn on_stderr() -> Self {
        let bars = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        Progress(Some(Arc::new(ProgressState { bars, state: Mutex::default(), ended: Condvar::new() })))
    }

    /// Creates a disabled display.
    pub(crate) fn off() -> Self {
        Progress(None)
    }

    /// Returns true if anything is displayed: otherwise no observer is needed.
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Updates the display from an event.
    pub(crate) fn on(&self, event: &RunEvent) {
        let Some(shared) = &self.0 else { return };
        match &event.what {
            RunEventKind::Started { handler } => shared.started(event.firing, handler),
            RunEventKind::Finished { run } | RunEventKind::BackgroundFinished { run, .. } => {
                shared.finished(event.firing, &run.handler)
            }
            RunEventKind::Fired { .. }
            | RunEventKind::Skipped(_)
            | RunEventKind::Output { .. }
            | RunEventKind::Backgrounded { .. }
            | RunEventKind::Decided { .. } => {}
        }
    }

    /// Clears the screen and draws nothing until the returned value is dropped.
    pub(crate) fn pause(&self) -> ScreenPause {
        if let Some(shared) = &self.0 {
            let mut state = shared.state();
            state.pauses += 1;
            if state.pauses == 1 {
                shared.hide();
            }
        }
        ScreenPause(self.0.clone())
    }

    /// Clears the screen and ends the display.
    pub(crate) fn end(&self) {
        if let Some(shared) = &self.0 {
            let mut state = shared.state();
            if !std::mem::replace(&mut state.is_over, true) {
                shared.hide();
            }
            shared.ended.notify_all();
        }
    }
}

impl Drop for ScreenPause {
    fn drop(&mut self) {
        let Some(shared) = &self.0 else { return };
        let mut state = shared.state();
        state.pauses -= 1;
        if state.pauses == 0 && !state.is_over {
            shared.bars.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl ProgressState {
    fn started(self: &Arc<Self>, firing: u64, handler: &Arc<Handler>) {
        let mut state = self.state();
        let bar = None;
        state.running.push(RunningHook { firing, handler: handler.clone(), since: Instant::now(), bar });
        if !std::mem::replace(&mut state.is_drawing, true) {
            let shared = self.clone();
            std::thread::spawn(move || shared.draw());
        }
    }

    fn finished(&self, firing: u64, handler: &Arc<Handler>) {
        let mut state = self.state();
        let is_it =
            |running: &RunningHook| running.firing == firing && Arc::ptr_eq(&running.handler, handler);
        let Some(at) = state.running.iter().position(is_it) else { return };
        if let Some(bar) = state.running.remove(at).bar {
            bar.finish_and_clear();
            self.bars.remove(&bar);
        }
    }

    /// Draws until the end.
    fn draw(&self) {
        let mut state = self.state();
        while !state.is_over {
            if state.pauses == 0 {
                state.running.iter_mut().for_each(|running| running.show(&self.bars));
            }
            state = self.ended.wait_timeout(state, PICTURE).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn hide(&self) {
        // A screen that can't be cleared is closed.
        drop(self.bars.clear());
        self.bars.set_draw_target(ProgressDrawTarget::hidden());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningHook {
    fn show(&mut self, bars: &MultiProgress) {
        if self.since.elapsed() < SHOWN_AFTER {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = bars.add(ProgressBar::new_spinner().with_elapsed(self.since.elapsed()));
            bar.with_style(style()).with_message(text(&self.handler))
        });
        bar.tick();
    }
}

/// Returns the line of a hook: its source, its label, and its status message.
fn text(handler: &Handler) -> String {
    let mut text = format!("{}  {}", handler.place.source, one_line(&handler.place.label, LABEL));
    if let Some(message) = &handler.status_message {
        text.push_str(&format!("  {}", one_line(message, MESSAGE)));
    }
    text
}

fn style() -> ProgressStyle {
    let plain = ProgressStyle::default_spinner();
    plain.clone().template("{spinner} {elapsed:>3} {msg}").unwrap_or(plain)
}
