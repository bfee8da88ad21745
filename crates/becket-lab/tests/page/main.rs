//! The page of a profile in a real browser: `cargo xtask suites page` installs it and runs this.
//!
//! A copy of the page gets one more script, which measures the rendered elements; the browser prints the result.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use becket_engine::config::HookBudget;
use becket_fire::times::{RunTime, TimeRecord, VERSION};
use becket_lab::profile::{Profile, ProfileReport, page};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A script that measures the rendered page, and stores the numbers in an attribute that is easy to find.
const MEASURES: &str = r##"<script>
window.addEventListener("load", () => {
  const width = (id) => document.getElementById(id).getBoundingClientRect().width;
  const bars = [...document.querySelectorAll("#timeline i")].map((bar) => bar.getBoundingClientRect());
  document.getElementById("earlier").click();
  const earlier = document.getElementById("shown").textContent;
  document.querySelector("#timeline i")?.click();
  const rows = (id) => document.querySelectorAll(`#${id} tr`).length - 1;
  document.body.dataset.measured = JSON.stringify({
    drawn: document.documentElement.dataset.drawn === "true",
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    hooks: rows("hooks"), events: rows("events"), sessions: rows("sessions"),
    cards: document.querySelectorAll(".card").length,
    bars: bars.length, flat: bars.filter((bar) => bar.height < 1 || bar.width < 1).length,
    lanes: document.querySelectorAll(".lane").length,
    paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
    timeline: width("timeline"), earlier, over: document.getElementById("budget").textContent,
  });
});
</script>"##;

const LONG: &str = "a-name-of-a-hook-that-is-longer-than-any-column-of-a-table-and-goes-on.sh";

fn report(events: u64, budget: &HookBudget) -> ProfileReport {
    let mut profile = Profile::default();
    for number in 0..events {
        let run = |hook: &str, us| RunTime {
            hook: hook.to_owned(),
            place: "settings.json:7".to_owned(),
            status: "success".to_owned(),
            from: 100,
            us,
            background: false,
        };
        profile.add(TimeRecord {
            version: VERSION,
            host: "run".to_owned(),
            at: 1_790_000_000_000_000 + number * 5_000_000,
            session: format!("session-{}", number / 100),
            event: if number % 3 == 0 { "PostToolUse" } else { "PreToolUse" }.to_owned(),
            subject: Some("Bash".to_owned()),
            us: 50_000 + number % 97 * 1_000,
            runs: vec![run("guard.sh", 1_000 + number % 13 * 100), run(LONG, 40_000 + number % 97 * 1_000)],
        });
    }
    profile.report(budget)
}

/// Opens a page, and returns the measurements.
fn opened(report: &ProfileReport, width: u32, arguments: &[&str]) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("page.html");
    let text = page(report).expect("a page").replace("</html>", &format!("{MEASURES}</html>"));
    fs::write(&file, text).expect("it can be written");
    let mut browser = Command::new("chromium");
    browser
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--dump-dom",
        ])
        .arg(format!("--window-size={width},900"))
        .arg(format!("--user-data-dir={}", directory.path().join("user").display()))
        .args(arguments)
        .arg(format!("file://{}", file.display()));
    let output = browser.output().expect("chromium starts: `cargo xtask suites page` installs it");
    measured(&String::from_utf8_lossy(&output.stdout), &String::from_utf8_lossy(&output.stderr), &file)
}

fn measured(dom: &str, stderr: &str, file: &Path) -> Value {
    let found = dom.split_once("data-measured=\"").and_then(|(_, rest)| rest.split_once('"'));
    let (found, _) =
        found.unwrap_or_else(|| panic!("`{}` was not drawn: {stderr}\n{dom:.2000}", file.display()));
    serde_json::from_str(&found.replace("&quot;", "\"").replace("&amp;", "&")).expect("JSON")
}

#[test]
#[ignore = "needs chromium: `cargo xtask suites page` installs it and runs this"]
fn every_part_is_drawn_at_every_width_and_in_both_themes() {
    let budget = HookBudget { all: Some(Duration::from_millis(90)), ..HookBudget::default() };
    let report = report(10_000, &budget);
    let light = opened(&report, 1_280, &[]);
    for (width, measured) in [(1_280, light.clone()), (500, opened(&report, 500, &[]))] {
        let at = format!("at {width}: {measured}");
        assert_eq!((&measured["drawn"], &measured["overflow"]), (&json!(true), &json!(0)), "{at}");
        let counts = ["hooks", "events", "cards", "bars", "flat", "lanes"].map(|name| &measured[name]);
        assert_eq!(json!(counts), json!([4, 2, 4, 300, 0, 2]), "{at}");
        // The last 100 sessions have a row each, and no more than that is hidden.
        assert_eq!(measured["sessions"], 100, "{at}");
        assert_eq!(measured["earlier"], "4,401 to 4,700 of the last 5,000 events", "{at}");
        assert!(measured["over"].as_str().expect("a text").contains("over its budget of 90 ms"), "{at}");
    }
    let dark = opened(&report, 1_280, &["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]);
    assert_eq!(dark["overflow"], 0);
    assert_ne!(
        (&dark["paper"], &dark["ink"]),
        (&light["paper"], &light["ink"]),
        "the page follows the theme"
    );
}

#[test]
#[ignore = "needs chromium: `cargo xtask suites page` installs it and runs this"]
fn a_page_of_nothing_and_one_of_names_that_are_markup_are_drawn() {
    let empty = opened(&report(0, &HookBudget::default()), 800, &[]);
    assert_eq!((&empty["drawn"], &empty["cards"]), (&json!(true), &json!(0)));
    let mut profile = Profile::default();
    let hook = "<img src=x onerror=document.documentElement.dataset.drawn='false'></script>&quot;".to_owned();
    let (place, status) = (hook.clone(), hook.clone());
    let run = RunTime { hook, place, status, from: u64::MAX, us: u64::MAX, background: false };
    let text = |run: &RunTime| run.hook.clone();
    profile.add(TimeRecord {
        version: VERSION,
        host: text(&run),
        at: u64::MAX,
        session: text(&run),
        event: text(&run),
        subject: Some(text(&run)),
        us: 1,
        runs: vec![run],
    });
    let odd = opened(&profile.report(&HookBudget::default()), 800, &[]);
    assert_eq!(
        (&odd["drawn"], &odd["overflow"], &odd["lanes"]),
        (&json!(true), &json!(0), &json!(1)),
        "{odd}"
    );
}
