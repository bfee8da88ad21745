//! Fires an event on command: the baseline for the cost of the same firing in another language.
//!
//! The first line of stdin names the event, `{"open": …, "event": "Stop", "input": {…}}`, with `open` as in
//! [`becket_embed::Open`]. Each further line is a number of times; the reply is the nanoseconds per firing.

use becket_embed::models::{self, Choice};
use becket_embed::{Host, Open, Session};
use becket_engine::{CancellationToken, Environment, Profile};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::error::Error;
use std::io::Write;
use std::time::Instant;
use tokio::runtime::{Builder, Runtime};

/// The event to fire.
#[derive(Deserialize)]
struct FireRequest {
    open: Open,
    event: String,
    input: Map<String, Value>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut lines = std::io::stdin().lines();
    let mut wanted: FireRequest =
        serde_json::from_str(&lines.next().ok_or("the first line says what to fire")??)?;
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let open = std::mem::replace(&mut wanted.open, serde_json::from_str(r#"{"start": "/"}"#)?);
    let session = {
        let _inside = runtime.enter();
        host()?.open(open, CancellationToken::new(), |builder| builder)?
    };
    for line in lines {
        let times: u32 = line?.trim().parse()?;
        let started = Instant::now();
        for _ in 0..times {
            fired(&runtime, &session, &wanted)?;
        }
        let nanos = started.elapsed().as_secs_f64() * 1e9 / f64::from(times);
        writeln!(std::io::stdout(), "{nanos}")?;
    }
    runtime.block_on(session.close());
    Ok(())
}

/// Fires it once. A hook that fails must not count as a fast one.
fn fired(runtime: &Runtime, session: &Session, wanted: &FireRequest) -> Result<(), Box<dyn Error>> {
    let event = session.event(&wanted.event, wanted.input.clone())?;
    let cancel = session.cancel().child_token();
    let (_, outcome) = runtime.block_on(session.fire(session.ready(event), &cancel))?;
    match outcome.verdict.failures.first() {
        None => Ok(()),
        Some(failure) => Err(format!("a hook failed: {failure:?}").into()),
    }
}

/// The inputs of a standalone program: its variables, its home, and no model.
#[expect(clippy::disallowed_methods, reason = "a program reads its own surroundings")]
fn host() -> Result<Host, Box<dyn Error>> {
    let environment = Environment::from_vars(std::env::vars_os());
    Ok(Host {
        models: models::models(&Choice::default(), &environment)?,
        environment,
        profile: Profile::agent(),
        settings: None,
        plugins: Vec::new(),
        managed: None,
        strict: false,
        private: std::env::temp_dir().join(format!("becket-fires-{}", std::process::id())),
    })
}
