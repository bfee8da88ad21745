//! Runs that are steered from outside.
#![cfg(target_os = "linux")]

mod common;

use becket_process::{CancellationToken, Chunk, Control, End, Runner};
use becket_testkit::proc::Marker;
use common::{patient, sh};

// rules: Q1, H3
#[tokio::test]
async fn what_is_written_after_the_input_is_read_and_then_the_end() {
    let marker = Marker::new();
    let command = sh(&marker, "read a; echo got $a; read b; echo got $b; cat").stdin("input\n");
    let control = Control::with_open_stdin();
    let own = control.clone();
    let mut sink = move |chunk: Chunk<'_>| match chunk.bytes {
        b"got input\n" => assert!(own.write("answer\n")),
        b"got answer\n" => {
            assert!(own.write("rest") && own.write(""));
            own.close_stdin();
            own.close_stdin();
            assert!(!own.write("late"));
        }
        _ => (),
    };
    let (runner, token) = (Runner::new(), CancellationToken::new());
    let finished = runner.run_with(&command, &patient(), &token, control, &mut sink).await.unwrap();
    assert_eq!(finished.end, End::Exited(0));
    assert_eq!(finished.stdout.bytes, "got input\ngot answer\nrest");
}
