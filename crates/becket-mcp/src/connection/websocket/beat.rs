//! The liveness check of a silent server: it is pinged, and must send something within a certain time.
//!
//! Any byte that it sends counts, not only its pong: a large message may be in transit, and no pong can overtake it. A
//! ping can't overtake a large outgoing message either; as long as that message makes progress, the server is alive.

use std::time::Duration;

use tokio::time::Instant;

use super::meter::Meter;

/// The interval of pings, and the time within which a server must send something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rhythm {
    pub(crate) every: Duration,
    pub(crate) within: Duration,
}

impl Default for Rhythm {
    fn default() -> Self {
        Self { every: Duration::from_secs(30), within: Duration::from_secs(20) }
    }
}

/// The state of the liveness check.
#[derive(Debug)]
pub(super) struct Beat {
    rhythm: Rhythm,
    meter: Meter,
    until: Instant,
    last_ping: Instant,
    waits_for: Option<Sign>,
}

/// A wait for more bytes than these.
#[derive(Debug)]
struct Sign {
    read: u64,
    /// The bytes written when no ping could be sent.
    written: Option<u64>,
}

/// The next step.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing.
    Wait,
    /// Send a ping.
    Ping,
    /// Disconnect the server.
    Silent,
}

impl Beat {
    pub(super) fn new(rhythm: Rhythm, meter: Meter) -> Self {
        let now = Instant::now();
        Self { rhythm, meter, until: now + rhythm.every, last_ping: now, waits_for: None }
    }

    /// Returns the time of the next step.
    pub(super) fn until(&self) -> Instant {
        self.until
    }

    /// Records received bytes: they may contain the awaited pong.
    pub(super) fn received(&mut self) {
        if self.waits_for.take_if(|sign| sign.read != self.meter.read()).is_some() {
            self.until = self.last_ping + self.rhythm.every;
        }
    }

    /// Returns the due step. `is_free` is true if no message of ours is being sent, so that a ping can be.
    pub(super) fn step(&mut self, is_free: bool) -> Step {
        if self.waits_for.is_some() {
            self.received();
            if self.waits_for.is_none() {
                return Step::Wait;
            }
        }
        let (read, written) = (self.meter.read(), self.meter.written());
        match self.waits_for.take() {
            Some(Sign { written: None, .. }) => Step::Silent,
            Some(Sign { written: Some(before), .. }) if !is_free && before == written => Step::Silent,
            Some(_) | None => {
                self.last_ping = Instant::now();
                self.until = self.last_ping + self.rhythm.within;
                self.waits_for = Some(Sign { read, written: (!is_free).then_some(written) });
                if is_free { Step::Ping } else { Step::Wait }
            }
        }
    }

    /// Describes the silence.
    pub(super) fn silence(&self) -> String {
        format!("nothing was heard of it within {} s of a ping", self.rhythm.within.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the steps after several checks of a server, each with the bytes read and written since the last one.
    fn steps(looks: &[(u64, u64, bool)]) -> Vec<Step> {
        let meter = Meter::default();
        let mut beat = Beat::new(Rhythm::default(), meter.clone());
        let look = |(read, written, is_free): &(u64, u64, bool)| {
            meter.count(*read, *written);
            beat.step(*is_free)
        };
        looks.iter().map(look).collect()
    }

    // rule: X1
    #[tokio::test]
    async fn only_a_server_that_nothing_is_heard_of_is_given_up() {
        use Step::{Ping, Silent, Wait};
        assert_eq!(
            steps(&[(0, 0, true), (2, 6, true), (0, 0, true), (0, 6, true)]),
            [Ping, Wait, Ping, Silent]
        );
        // A message of ours is being sent when the ping is due: the state is unknown until it is sent or stuck.
        assert_eq!(
            steps(&[(0, 9, false), (0, 9, false), (0, 9, true), (0, 6, true)]),
            [Wait, Wait, Ping, Silent]
        );
        assert_eq!(steps(&[(0, 9, false), (0, 0, false)]), [Wait, Silent]);
        assert_eq!(steps(&[(0, 9, false), (1, 0, false), (0, 0, true)]), [Wait, Wait, Ping]);
        // The server was pinged before a message of ours: its answer is due.
        assert_eq!(steps(&[(0, 0, true), (0, 99, false)]), [Ping, Silent]);
    }

    #[tokio::test]
    async fn an_answered_ping_is_followed_by_a_pause() {
        let (meter, start) = (Meter::default(), Instant::now());
        let mut beat = Beat::new(Rhythm::default(), meter.clone());
        let is_due_in = |beat: &Beat, seconds| {
            let pause = Duration::from_secs(seconds);
            (start + pause..=Instant::now() + pause).contains(&beat.until())
        };
        assert!(is_due_in(&beat, 30));
        assert!(beat.step(true) == Step::Ping && is_due_in(&beat, 20));
        beat.received();
        assert!(is_due_in(&beat, 20), "nothing was read");
        meter.count(1, 0);
        beat.received();
        assert!(is_due_in(&beat, 30));
        assert!(beat.step(true) == Step::Ping && is_due_in(&beat, 20));
        meter.count(1, 0);
        assert!(beat.step(true) == Step::Wait && is_due_in(&beat, 30));
    }
}
