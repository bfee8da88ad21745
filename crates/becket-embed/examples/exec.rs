//! Runs a program under the rules of a project, and prints its output and its denials:
//! `exec DIRECTORY BECKET PROGRAM [ARGUMENT]…`, where `BECKET` is the path of the program `becket`.

use becket_embed::models::{self, Choice};
use becket_embed::{ExecRequest, Host, Open};
use becket_engine::{CancellationToken, Environment, Profile};
use std::error::Error;
use std::io::Write;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("a directory is missing")?;
    let becket = arguments.next().ok_or("the path of `becket` is missing")?;
    let program = arguments.next().ok_or("a program is missing")?;
    let request = ExecRequest {
        program,
        args: arguments.collect(),
        becket: Some(becket.into()),
        ..ExecRequest::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let open: Open = serde_json::from_value(serde_json::json!({ "start": directory }))?;
    let report = runtime.block_on(async {
        let session = host()?.open(open, CancellationToken::new(), |builder| builder)?;
        let report = session.exec(&request, session.cancel()).await;
        session.close().await;
        Ok::<_, Box<dyn Error>>(report?)
    })?;
    let mut out = std::io::stdout();
    write!(out, "{}{}", report.stdout, report.stderr)?;
    for denied in &report.denied {
        writeln!(out, "denied: {} ({})", denied.command, denied.chain.join(" → "))?;
    }
    for refusal in &report.refusals {
        writeln!(out, "refused: {}", refusal.text)?;
    }
    writeln!(out, "exit code {}", report.code)?;
    Ok(())
}

/// The inputs of a standalone program: its variables, its home, and no model.
#[expect(clippy::disallowed_methods, reason = "a program reads its own surroundings")]
fn host() -> Result<Host, Box<dyn Error>> {
    let environment = Environment::from_vars(std::env::vars_os());
    Ok(Host {
        models: models::models(&Choice::default(), &environment)?,
        environment,
        profile: Profile::claude(),
        settings: None,
        plugins: Vec::new(),
        managed: None,
        strict: false,
        private: std::env::temp_dir().join(format!("becket-exec-{}", std::process::id())),
    })
}
