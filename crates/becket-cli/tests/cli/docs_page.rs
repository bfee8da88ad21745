//! Types a page of the guide as its reader would: every file block is written, every `$ ` line is typed in the same
//! place, and the output must be what the page shows.
//!
//! - A block with `title="NAME"` is a file of the project; with `from="PATH"` beside it, it is also the text of that file
//!   of this repository, word for word.
//! - A line that ends with `&` starts a server. The block below it is its output once it is ready; it ends with the page.
//! - A `terminal` block is the screen of a terminal while its line runs.
//! - A comment `typed in PATH` copies that example of this repository first: it is the project.
//! - The port `8471` stands for a free one; times and session ids are not compared, and neither is stderr: a terminal
//!   shows the reason of a denial once.

use crate::docs_examples::output_of;
use crate::tmux::Terminal;
use crate::{env, workspace};
use becket_testkit::env::TestEnv;
use becket_testkit::proc::wait_until;
use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

/// The port on every page.
const PORT: &str = "8471";

/// The directory of the guide.
pub(crate) const GUIDE: &str = "docs/guide";

/// The directory of the pages for administrators.
pub(crate) const ADMIN: &str = "docs/admin";

/// The page that is being followed.
pub(crate) struct Page {
    env: TestEnv,
    port: String,
    exported: Vec<(String, String)>,
    /// The exit code of the last line.
    code: i32,
    servers: Vec<Child>,
    typed: usize,
}

/// Follows a page to its end; returns the number of lines that were typed.
pub(crate) fn typed(directory: &str, name: &str) -> usize {
    typed_text(&fs::read_to_string(workspace().join(directory).join(name)).expect("the page is there"))
}

/// Follows the text of a page to its end; returns the number of lines that were typed.
pub(crate) fn typed_text(text: &str) -> usize {
    let port = if text.contains(PORT) { free_port() } else { PORT.to_owned() };
    let example = text.split_once("<!-- typed in ").and_then(|(_, rest)| rest.split_once(" -->"));
    let mut page = Page::new(port, example.map(|(example, _)| example));
    for block in text.split("\n```").skip(1).step_by(2) {
        let (head, body) = block.split_once('\n').expect("a block has a first line");
        match (attribute(head, "title"), attribute(head, "from")) {
            (Some(file), from) => page.write(file, body, from),
            (None, Some(from)) => is_text_of(from, body),
            (None, None) if head.starts_with("console") => page.console(body),
            (None, None) if head == "terminal" => page.on_a_terminal(body),
            (None, None) => assert!(!body.starts_with("$ "), "`{head}` is not a block that is typed"),
        }
    }
    page.typed
}

fn attribute<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.split_once(&format!("{name}=\""))?.1.split('"').next()
}

impl Page {
    fn new(port: String, example: Option<&str>) -> Self {
        let page = Page { env: env(), port, exported: Vec::new(), code: 0, servers: Vec::new(), typed: 0 };
        let becket = page.env.becket::<&str>([]).into_command();
        let words = std::iter::once(becket.get_program()).chain(becket.get_args());
        let words: Vec<String> = words.map(|word| format!("'{}'", word.display())).collect();
        if let Some(example) = example {
            page.env.copy(&workspace().join(example), "project");
        }
        let program = page.env.write("bin/becket", format!("#!/bin/sh\nexec {} \"$@\"\n", words.join(" ")));
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
        page
    }

    fn write(&self, file: &str, body: &str, from: Option<&str>) {
        if let Some(from) = from {
            is_text_of(from, body);
        }
        self.env.write(&format!("project/{file}"), format!("{}\n", self.with_own_port(body)));
    }

    /// Types the lines of a block.
    fn console(&mut self, body: &str) {
        for step in format!("\n{body}").split("\n$ ").skip(1) {
            let (line, shown) = command_and_shown(step);
            self.typed += 1;
            let printed = without_run(&self.redacted(&self.with_own_port(&line), shown));
            let shown = snapbox::Data::text(without_run(&self.env.redacted(shown)).trim_end().to_owned());
            snapbox::assert_data_eq!(printed.trim_end().to_owned(), shown.raw());
        }
    }

    /// Returns the output of a line without everything that varies.
    fn redacted(&mut self, line: &str, shown: &str) -> String {
        let printed = if let Some((name, value)) = exported(line) {
            self.exported.push((name, value));
            String::new()
        } else if let Some(server) = line.strip_suffix(" &") {
            self.starts(server, !shown.trim().is_empty())
        } else if let Some(output) = output_of(line) {
            output
        } else {
            self.types(line)
        };
        self.env.redacted(&printed).replace(&self.port, PORT)
    }

    fn types(&mut self, line: &str) -> String {
        let output = self.shell(&format!("(exit {})\n{line}", self.code)).output().expect("a shell is there");
        self.code = output.status.code().unwrap_or(-1);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Starts a server, and waits for its first output if it has any.
    fn starts(&mut self, line: &str, says_something: bool) -> String {
        let said = self.env.root().join(format!("server-{}", self.servers.len()));
        let file = File::create(&said).expect("a file can be made");
        let mut shell = self.shell(&format!("exec {line}"));
        let server = shell.stdin(Stdio::null()).stdout(file).spawn().expect("a shell is there");
        self.servers.push(server);
        let said = || fs::read_to_string(&said).unwrap_or_default();
        assert!(
            !says_something || wait_until(|| said().ends_with('\n')),
            "`{line}` is not ready: {}",
            said()
        );
        said()
    }

    /// Types the line of a block in a terminal, and reads the screen once the last expected line is shown.
    fn on_a_terminal(&mut self, body: &str) {
        let (line, shown) = body.split_once('\n').expect("a line, and what is to be seen then");
        let line = line.strip_prefix("$ becket ").expect("becket is asked");
        let terminal = Terminal::new(&self.env);
        terminal.types(&terminal.becket(line));
        let last = shown.lines().last().unwrap_or_default();
        let seen = text_of(&terminal.screen_with(|screen| text_of(screen).contains(last)));
        snapbox::assert_data_eq!(seen.trim_end(), snapbox::Data::text(shown.trim_end().to_owned()).raw());
        terminal.presses(&["C-c"]);
        terminal.screen_with(|screen| screen.contains("ended "));
        self.typed += 1;
    }

    fn shell(&self, text: &str) -> Command {
        let becket = self.env.becket::<&str>([]).into_command();
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", text]).current_dir(self.env.project()).env_clear().stdin(Stdio::null());
        for (name, value) in becket.get_envs() {
            let value = value.unwrap_or_default().to_owned();
            let mut bin = self.env.root().join("bin").into_os_string();
            bin.push(":");
            bin.push(&value);
            shell.env(name, if name == "PATH" { bin } else { value });
        }
        shell.envs(self.exported.iter().map(|(name, value)| (name, value)));
        shell
    }

    fn with_own_port(&self, text: &str) -> String {
        text.replace(PORT, &self.port)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        for server in &mut self.servers {
            drop(server.kill());
            drop(server.wait());
        }
    }
}

fn is_text_of(file: &str, shown: &str) {
    let kept = fs::read_to_string(workspace().join(file)).expect("the file is there");
    assert!(kept.trim_end() == shown.trim_end(), "{file} and the page that shows it differ");
}

/// Splits a step into the typed line, with its continuations after `\`, and the output that is shown below.
fn command_and_shown(step: &str) -> (String, &str) {
    let (mut line, mut shown) = step.split_once('\n').unwrap_or((step, ""));
    let mut whole = String::new();
    while let Some(open) = line.strip_suffix('\\') {
        whole.push_str(open);
        (line, shown) = shown.split_once('\n').unwrap_or((shown, ""));
        line = line.trim_start_matches("> ");
    }
    whole.push_str(line);
    (whole, shown)
}

/// Returns a screen without its colours and without blanks at the ends of lines.
pub(crate) fn text_of(screen: &str) -> String {
    let mut pieces = screen.split('\u{1b}');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text.push_str(piece.split_once(|end: char| end.is_ascii_alphabetic()).map_or("", |(_, rest)| rest));
    }
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Removes the run time and the name of the session from the last line, since they vary.
fn without_run(text: &str) -> String {
    let part = |part: &str| {
        let took = part.strip_suffix(" s").is_some_and(|number| number.parse::<f64>().is_ok());
        match part.split_once(' ') {
            _ if took => "[TIME]".to_owned(),
            Some(("session", id)) if uuid_like(id) => "session [ID]".to_owned(),
            Some(_) | None => part.to_owned(),
        }
    };
    let line = |line: &str| line.split(" · ").map(part).collect::<Vec<_>>().join(" · ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn uuid_like(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Parses `export NAME=VALUE`, the only effect of a shell that lasts.
fn exported(line: &str) -> Option<(String, String)> {
    let (name, value) = line.strip_prefix("export ")?.split_once('=')?;
    Some((name.to_owned(), value.trim_matches('\'').to_owned()))
}

/// Returns a free port with four digits, like the one on the page, so that columns stay aligned.
fn free_port() -> String {
    let start = 2_000 + std::process::id() % 6_000;
    let free = |port: &u32| TcpListener::bind(("127.0.0.1", u16::try_from(*port).unwrap_or(0))).is_ok();
    let mut ports = (start..9_999).chain(2_000..start);
    ports.find(free).expect("a port is free").to_string()
}
