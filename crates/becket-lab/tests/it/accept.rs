use crate::bench::{Bench, GUARD, guarded_by, results};
use becket_lab::accept;

const CASES: &str = r#"# kept

[[case]]
name = "open"
tool = { name = "Bash", input = { command = "danger" } }

[[case]]   # kept too
name = "wrong"
tool = { name = "Bash", input = { command = "danger" } }
want = { decision = "pass", reason = "*x*", within = "20s" }

[[case]]
name = "right"
tool = { name = "Bash", input = { command = "ls" } }
want = { decision = "pass" }
"#;

#[test]
fn what_was_seen_is_written_and_the_rest_stays() {
    let bench = Bench::new(&guarded_by(GUARD)).cases(CASES);
    let records = bench.run();
    assert!(results(&records)[0].contains("it expects nothing"), "{:?}", results(&records));
    let all: Vec<_> = records.iter().collect();
    let text = accept::accepted(CASES, &all).expect("it is the file of the cases");
    let expected = CASES
        .replace(
            "command = \"danger\" } }\n\n[[case]]   #",
            "command = \"danger\" } }\nwant = { decision = \"deny\", by = \"settings.json:1\" }\n\n[[case]]   #",
        )
        .replace("\"pass\", reason = \"*x*\"", "\"deny\", reason = \"no danger here\"");
    let by = |text: &str| text.replace("by = \"settings.json:1\"", "by = …");
    let seen = text.lines().map(|line| match line.split_once("by = ") {
        Some((before, _)) => format!("{before}by = … }}\n"),
        None => format!("{line}\n"),
    });
    assert_eq!(seen.collect::<String>(), by(&expected));
    bench.write(".claude/tests/t.toml", &text);
    assert_eq!(results(&bench.run()), ["passed", "passed", "passed"]);
    let again = accept::accepted(&text, &bench.run().iter().collect::<Vec<_>>());
    assert_eq!(again.expect("it is the file of the cases"), text, "accepting twice changes nothing");
}
