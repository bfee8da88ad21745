//! Tasks that are polled on the thread that wakes them, instead of on a thread of the runtime.
//!
//! A program's functions answer on the program's own threads. Such a thread polls the firing itself up to its next
//! await, so no other thread has to be woken for it. Any other wake (a timer, the end of a process) is polled by the
//! runtime, so no limit depends on the program's threads.
//!
//! INVARIANT: a thread that wakes a task does not poll it inside of the wake, where it may hold locks that the task needs, but
//! after the wake has returned.

use async_task::Runnable;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::mem;
use tokio::runtime::Handle;

thread_local! {
    /// The tasks that this thread has woken and will poll; `None` outside of [`collect_woken`].
    static WOKEN: RefCell<Option<Vec<Runnable<&'static Handle>>>> = const { RefCell::new(None) };
}

/// The number of times a thread polls a task that wakes itself.
const TURNS: usize = 16;

/// Woken tasks for this thread to poll. The runtime polls the remaining ones.
#[derive(Default)]
pub struct ReadyTasks(VecDeque<Runnable<&'static Handle>>);

/// Starts a task on this thread and polls it up to its first await; the runtime continues it.
pub fn begin(threads: &'static Handle, work: impl Future<Output = ()> + Send + 'static) {
    let (work, task) = async_task::Builder::new().metadata(threads).spawn(|_| work, wake);
    task.detach();
    ReadyTasks(VecDeque::from([work])).poll();
}

/// Calls `wakes`, and returns its value and the woken tasks.
pub fn collect_woken<T>(wakes: impl FnOnce() -> T) -> (T, ReadyTasks) {
    let mut kept = SavedTasks(WOKEN.replace(Some(Vec::new())));
    let done = wakes();
    let woken = kept.put_back();
    mem::forget(kept);
    (done, ReadyTasks(woken.into()))
}

/// The previous list of this thread, which is restored even if the call panics.
struct SavedTasks(Option<Vec<Runnable<&'static Handle>>>);

impl SavedTasks {
    fn put_back(&mut self) -> Vec<Runnable<&'static Handle>> {
        WOKEN.replace(self.0.take()).unwrap_or_default()
    }
}

impl Drop for SavedTasks {
    fn drop(&mut self) {
        self.put_back().into_iter().for_each(leave);
    }
}

impl ReadyTasks {
    /// Returns true if no task was woken.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Polls the tasks on this thread until they wait.
    pub fn poll(mut self) {
        for _ in 0..TURNS {
            for _ in 0..self.0.len() {
                let Some(work) = self.0.pop_front() else { return };
                let threads: &'static Handle = work.metadata();
                let _runtime = threads.enter();
                let (_, mut woken) = collect_woken(|| work.run());
                self.0.append(&mut woken.0);
            }
        }
    }
}

impl Drop for ReadyTasks {
    fn drop(&mut self) {
        self.0.drain(..).for_each(leave);
    }
}

fn wake(work: Runnable<&'static Handle>) {
    let left = WOKEN.with_borrow_mut(|woken| match woken {
        Some(woken) => {
            woken.push(work);
            None
        }
        None => Some(work),
    });
    left.into_iter().for_each(leave);
}

fn leave(work: Runnable<&'static Handle>) {
    let threads: &'static Handle = work.metadata();
    threads.spawn(async move { work.run() });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread::{self, ThreadId};
    use std::time::Duration;
    use tokio::sync::oneshot;

    const PATIENCE: Duration = Duration::from_secs(20);

    fn threads() -> &'static Handle {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build();
        Box::leak(Box::new(runtime.unwrap())).handle()
    }

    /// Starts a task that waits for an answer, and reports the thread on which it continued.
    fn asks(threads: &'static Handle) -> (oneshot::Sender<()>, mpsc::Receiver<ThreadId>) {
        let ((answer, answered), (tell, receiver)) = (oneshot::channel(), mpsc::channel());
        begin(threads, async move {
            answered.await.ok();
            tell.send(thread::current().id()).ok();
        });
        (answer, receiver)
    }

    #[test]
    fn whoever_answers_takes_it_on() {
        let (answer, receiver) = asks(threads());
        let (sent, woken) = collect_woken(|| answer.send(()));
        assert!(sent.is_ok() && !woken.is_empty());
        assert!(receiver.try_recv().is_err(), "it is not polled while it is woken");
        woken.poll();
        assert_eq!(receiver.try_recv().ok(), Some(thread::current().id()));
    }

    #[test]
    fn the_runtime_takes_on_what_nobody_else_does() {
        let (answer, receiver) = asks(threads());
        answer.send(()).unwrap();
        assert_ne!(receiver.recv_timeout(PATIENCE).unwrap(), thread::current().id());
        let (tell, receiver) = mpsc::channel();
        begin(threads(), async move {
            // This is long enough that it can't end before it is awaited.
            tokio::time::sleep(Duration::from_millis(100)).await;
            tell.send(thread::current().id()).ok();
        });
        assert_ne!(receiver.recv_timeout(PATIENCE).unwrap(), thread::current().id());
    }

    #[test]
    fn a_waking_that_panics_loses_nothing() {
        let (answer, receiver) = asks(threads());
        drop(collect_woken(|| answer.send(())));
        assert_ne!(
            receiver.recv_timeout(PATIENCE).unwrap(),
            thread::current().id(),
            "it is left to the runtime"
        );
        let (answer, receiver) = asks(threads());
        let panics = std::panic::AssertUnwindSafe(|| {
            collect_woken(|| {
                answer.send(()).unwrap();
                panic!("as wanted");
            })
        });
        assert!(std::panic::catch_unwind(panics).is_err());
        receiver.recv_timeout(PATIENCE).unwrap();
        // Afterwards the thread collects nothing.
        let (answer, receiver) = asks(threads());
        answer.send(()).unwrap();
        receiver.recv_timeout(PATIENCE).unwrap();
    }

    #[test]
    fn what_wakes_itself_ends() {
        let (tell, receiver) = mpsc::channel();
        begin(threads(), async move {
            for _ in 0..TURNS * 4 {
                tokio::task::yield_now().await;
            }
            tell.send(()).ok();
        });
        receiver.recv_timeout(PATIENCE).unwrap();
    }

    #[test]
    fn a_waking_during_a_turn_is_not_lost() {
        let threads = threads();
        for _ in 0..2_000 {
            let ((first, one), (second, two), (tell, receiver)) =
                (oneshot::channel(), oneshot::channel(), mpsc::channel());
            begin(threads, async move {
                one.await.ok();
                two.await.ok();
                tell.send(()).ok();
            });
            let other = thread::spawn(move || second.send(()).is_ok());
            let (_, woken) = collect_woken(|| first.send(()));
            woken.poll();
            receiver.recv_timeout(PATIENCE).unwrap();
            other.join().unwrap();
        }
    }
}
