//! The page `docs/benchmarks.md`: the rows as a table, and the machine they were measured on.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use serde::Deserialize;

/// A row as a bench program prints it (`becket_testkit::bench::Row`).
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Row {
    #[serde(rename = "crate")]
    pub(crate) krate: String,
    pub(crate) row: String,
    pub(crate) unit: Unit,
    pub(crate) ours: f64,
    pub(crate) floor: Option<f64>,
    pub(crate) ratio: Option<f64>,
    pub(crate) must: Option<String>,
    pub(crate) ok: Option<bool>,
    pub(crate) note: String,
}

/// The unit of a row.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Unit {
    Nanos,
    Bytes,
}

const HEAD: &str = "# Benchmarks

Written by `cargo xtask bench`; don't edit. Ours and the floor are measured in turns in one run; a time is the median of
its samples, a ratio the median of the ratios of neighbouring samples. Trust ratios more than times: they meet the same
load. The programs `becket` are those of a package (`cargo xtask dist`), the libraries are built by the profile `bench`.
";

const REFERENCE: &str = "
## For comparison

Measured elsewhere, on a machine of the same kind, with hooks that run `true`:

| | no hook | one hook | ten hooks |
|---|---|---|---|
| Gemini CLI's hook system, used as a library | 3.8 µs | 3.9 ms | 38 ms |
| what the CLI that defined the protocol adds to a tool call | – | 5–15 ms | 32–60 ms |
";

/// Returns the whole page.
pub(crate) fn page(rows: &[Row], machine: &str, quick: bool) -> String {
    let mut page = HEAD.to_owned();
    if quick {
        page.push_str("\nA quick run (`--quick`): fewer samples, the largest cases left out.\n");
    }
    let _ = writeln!(page, "\nMachine: {machine}.");
    page.push_str(&table(rows));
    page.push_str(REFERENCE);
    page
}

/// Returns the rows, a table for each crate.
pub(crate) fn table(rows: &[Row]) -> String {
    let (mut table, mut krate) = (String::new(), "");
    for row in rows {
        if row.krate != krate {
            krate = &row.krate;
            let _ = writeln!(table, "\n## {krate}\n");
            table.push_str("| what | measured | floor or peer | ratio | must reach | ok | note |\n");
            table.push_str("|---|---|---|---|---|---|---|\n");
        }
        table.push_str(&line(row));
    }
    table
}

fn line(row: &Row) -> String {
    let shown = match row.unit {
        Unit::Nanos => time,
        Unit::Bytes => |bytes| format!("{:.1} MB", bytes / 1e6),
    };
    let floor = row.floor.map_or("–".to_owned(), shown);
    let ratio = row.ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.2}"));
    let must = row.must.as_deref().unwrap_or("–").replace("<=", "≤");
    let ok = row.ok.map_or("–", |ok| if ok { "yes" } else { "**no**" });
    let (what, note) = (row.row.replace('|', "\\|"), row.note.replace('|', "\\|"));
    format!("| {what} | {} | {floor} | {ratio} | {must} | {ok} | {note} |\n", shown(row.ours))
}

fn time(ns: f64) -> String {
    match ns.abs() {
        size if size < 1e3 => format!("{ns:.1} ns"),
        size if size < 1e6 => format!("{:.2} µs", ns / 1e3),
        size if size < 1e9 => format!("{:.2} ms", ns / 1e6),
        _ => format!("{:.2} s", ns / 1e9),
    }
}

/// Returns processor, cores, memory, kernel, compiler; missing facts are reported as unknown.
pub(crate) fn machine() -> String {
    let field = |file: &str, key: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let unknown = || "unknown".to_owned();
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(unknown);
    let cores = std::thread::available_parallelism().map_or_else(|_| unknown(), |cores| cores.to_string());
    let memory =
        field("/proc/meminfo", "MemTotal").and_then(|text| text.strip_suffix(" kB")?.parse::<u64>().ok());
    let memory = memory.map_or_else(unknown, |kib| format!("{:.1} GiB", kib as f64 / f64::from(1 << 20)));
    let kernel = output("uname", &["-sr"]).unwrap_or_else(unknown);
    let compiler = output("rustc", &["--version"]).unwrap_or_else(unknown);
    format!("{processor}, {cores} cores, {memory} of memory, {kernel}, {compiler}")
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_row_shows() {
        let json = r#"{"crate":"x","row":"a | b","unit":"nanos","ours":1500.0,"floor":1000.0,"ratio":1.5,
            "must":"ratio <= 1.15","ok":false,"note":"n"}"#;
        let alone = r#"{"crate":"y","row":"c","unit":"bytes","ours":2e6,"floor":null,"ratio":null,"must":null,"ok":null,"note":""}"#;
        let rows = [json, alone].map(|text| serde_json::from_str(text).unwrap());
        let page = page(&rows, "some machine", true);
        assert!(
            page.contains("| a \\| b | 1.50 µs | 1.00 µs | 1.50 | ratio ≤ 1.15 | **no** | n |"),
            "{page}"
        );
        assert!(page.contains("| c | 2.0 MB | – | – | – | – |  |"), "{page}");
        assert!(page.contains("Machine: some machine.") && page.contains("quick run"));
        assert!(page.contains("## x") && page.contains("## y"));
    }

    #[test]
    fn the_machine_is_named() {
        assert!(machine().contains("rustc 1."));
    }
}
