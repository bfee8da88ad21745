//! The transports of a becket that serves.

pub(crate) mod http;
pub(crate) mod lines;
pub(crate) mod processors;

use becket_testkit::env::TestEnv;
use std::process::{Child, Stdio};

/// A serving becket, which is ended when this is dropped.
pub(crate) struct ServeProcess(pub(crate) Child);

impl ServeProcess {
    pub(crate) fn start(env: &TestEnv, way: &[&str]) -> Self {
        let mut command = env.becket([&["serve"], way].concat()).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        ServeProcess(command.spawn().expect("becket starts"))
    }
}

impl Drop for ServeProcess {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
