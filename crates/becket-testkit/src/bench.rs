//! A benchmark harness that measures code and its lower bound alternately in one run, under the same load.
//!
//! A row contains the measurement, the baseline and the target. It goes to stdout twice: as a line to read, and as one
//! line of JSON for `cargo xtask bench`. A missed target does not fail the run: people judge the figures of a loaded
//! machine.
//!
//! ```no_run
//! use becket_testkit::bench::{Bench, BenchTarget};
//!
//! let mut bench = Bench::new("becket-example");
//! let sum = || (0..1000).sum::<u64>();
//! bench.versus("sum of 1,000 numbers", BenchTarget::Ratio(1.15), sum, sum);
//! bench.alone("nothing", BenchTarget::Nanos(100.0), || ());
//! ```

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;

/// The minimum length of a sample: a shorter one measures the clock rather than the code, so iterations are added.
const LEAST_SAMPLE: Duration = Duration::from_micros(50);

/// The target of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BenchTarget {
    /// The ratio of the measured code to the floor is at most this.
    Ratio(f64),
    /// One iteration takes at most this many nanoseconds.
    Nanos(f64),
    /// The code uses at most this many bytes: the row is measured in bytes.
    Bytes(f64),
    /// No target: the row is shown for comparison.
    Nothing,
}

/// The unit of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Nanoseconds, of the clock or of the processor.
    Nanos,
    /// Bytes.
    Bytes,
}

/// One measured row; the JSON line has these fields.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The crate of the benchmark.
    #[serde(rename = "crate")]
    pub krate: String,
    /// The benchmark.
    pub row: String,
    /// The unit.
    pub unit: Unit,
    /// The median of one iteration of the measured code.
    pub ours: f64,
    /// The median of one iteration of the floor, if there is one.
    pub floor: Option<f64>,
    /// The median of the ratios of neighbouring samples, which were taken under the same load.
    pub ratio: Option<f64>,
    /// The description of the target: `ratio <= 1.15`, `<= 500 ns`, or nothing.
    pub must: Option<String>,
    /// True if the target was reached; `None` without a target.
    pub ok: Option<bool>,
    /// A description of the floor, or another note for the reader.
    pub note: String,
}

/// The rows of one bench program.
#[derive(Debug)]
pub struct Bench {
    krate: String,
    note: String,
    quick: bool,
    time: Duration,
    rows: Vec<Row>,
}

impl Bench {
    /// Reads `--quick` (a fifth of the time) from the command line; ignores the arguments that `cargo bench` adds.
    #[must_use]
    pub fn new(krate: &str) -> Self {
        let quick = std::env::args().any(|argument| argument == "--quick");
        let time = Duration::from_millis(if quick { 400 } else { 2000 });
        Self { krate: krate.into(), note: String::new(), quick, time, rows: Vec::new() }
    }

    /// Returns whether less precision is wanted: the largest cases are left out.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        self.quick
    }

    /// Sets the note of the rows that follow.
    pub fn note(&mut self, note: &str) -> &mut Self {
        note.clone_into(&mut self.note);
        self
    }

    /// Measures `ours` and `floor` alternately.
    pub fn versus<A, B>(
        &mut self,
        row: &str,
        must: BenchTarget,
        mut ours: impl FnMut() -> A,
        mut floor: impl FnMut() -> B,
    ) {
        let (ours_count, floor_count) = (iterations(&mut ours), iterations(&mut floor));
        let ours = || sample(&mut ours, ours_count);
        self.sampled(row, must, ours, Some(&mut || sample(&mut floor, floor_count)));
    }

    /// Measures with an instrument of the caller, such as processor time or memory: each call is one sample.
    pub fn sampled(
        &mut self,
        row: &str,
        must: BenchTarget,
        mut ours: impl FnMut() -> f64,
        floor: Option<&mut dyn FnMut() -> f64>,
    ) {
        let Some(floor) = floor else {
            let samples = self.repeat(|_| ours());
            return self.finish(row, must, median(samples.into_iter()), None);
        };
        let pairs = self.repeat(|turn| {
            // The second one runs with warm caches, so they take turns.
            if turn % 2 == 0 {
                let first = ours();
                (first, floor())
            } else {
                let first = floor();
                (ours(), first)
            }
        });
        let ratio = median(pairs.iter().map(|(ours, floor)| ours / floor));
        let floor = median(pairs.iter().map(|pair| pair.1));
        self.finish(row, must, median(pairs.iter().map(|pair| pair.0)), Some((floor, ratio)));
    }

    /// Measures `ours` alone, against an absolute target.
    pub fn alone<A>(&mut self, row: &str, must: BenchTarget, mut ours: impl FnMut() -> A) {
        let count = iterations(&mut ours);
        self.sampled(row, must, || sample(&mut ours, count), None);
    }

    /// Adds a row for the difference between the last row and its floor, with a limit in nanoseconds.
    ///
    /// # Panics
    /// Panics if there is no row yet.
    pub fn difference(&mut self, row: &str, limit: f64) {
        let last = self.rows.last().expect("a row comes first").clone();
        let ours = last.ours - last.floor.unwrap_or_default();
        let (must, ok) = (Some(format!("<= {}", human(limit))), Some(ours <= limit));
        let row = Row { row: row.to_owned(), ours, floor: None, ratio: None, must, ok, ..last };
        print(&row);
        self.rows.push(row);
    }

    /// Takes samples, at least five, until the time is over.
    fn repeat<T>(&self, mut take: impl FnMut(usize) -> T) -> Vec<T> {
        let mut samples = Vec::new();
        let start = Instant::now();
        while start.elapsed() < self.time || samples.len() < 5 {
            samples.push(take(samples.len()));
        }
        samples
    }

    /// Returns the rows so far.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn finish(&mut self, row: &str, must: BenchTarget, ours: f64, floor: Option<(f64, f64)>) {
        let ratio = floor.map(|(_, ratio)| ratio);
        let unit = if matches!(must, BenchTarget::Bytes(_)) { Unit::Bytes } else { Unit::Nanos };
        let (must, ok) = match must {
            BenchTarget::Ratio(limit) => {
                (Some(format!("ratio <= {limit}")), ratio.map(|ratio| ratio <= limit))
            }
            BenchTarget::Nanos(limit) | BenchTarget::Bytes(limit) => {
                (Some(format!("<= {}", unit.human(limit))), Some(ours <= limit))
            }
            BenchTarget::Nothing => (None, None),
        };
        let (krate, row, note) = (self.krate.clone(), row.to_owned(), self.note.clone());
        let floor = floor.map(|(floor, _)| floor);
        let row = Row { krate, row, unit, ours, floor, ratio, must, ok, note };
        print(&row);
        self.rows.push(row);
    }
}

#[expect(clippy::print_stdout, reason = "a bench program talks to its caller")]
fn print(row: &Row) {
    let human = |value| row.unit.human(value);
    let floor = row.floor.map_or(String::new(), |floor| format!(", floor {}", human(floor)));
    let ratio = row.ratio.map_or(String::new(), |ratio| format!(", ratio {ratio:.3}"));
    let must = row.must.as_ref().map_or(String::new(), |must| format!(" (must: {must})"));
    let verdict = row.ok.map_or("", |ok| if ok { " ok" } else { " MISSED" });
    println!("{}: {}: {}{floor}{ratio}{must}{verdict}", row.krate, row.row, human(row.ours));
    println!("{}", serde_json::to_string(row).expect("a row is plain data"));
}

impl Unit {
    /// Formats a value for people.
    #[must_use]
    pub fn human(self, value: f64) -> String {
        match self {
            Self::Nanos => human(value),
            Self::Bytes => format!("{:.1} MB", value / 1e6),
        }
    }
}

/// Formats nanoseconds in a suitable unit.
#[must_use]
pub fn human(ns: f64) -> String {
    match ns.abs() {
        size if size < 1e3 => format!("{ns:.1} ns"),
        size if size < 1e6 => format!("{:.2} µs", ns / 1e3),
        size if size < 1e9 => format!("{:.2} ms", ns / 1e6),
        _ => format!("{:.2} s", ns / 1e9),
    }
}

/// Returns the number of iterations in one sample; also runs the warm-up.
fn iterations<A>(work: &mut impl FnMut() -> A) -> u32 {
    let mut count = 1;
    loop {
        let start = Instant::now();
        (0..count).for_each(|_| drop(black_box(work())));
        if start.elapsed() >= LEAST_SAMPLE {
            return count;
        }
        count *= 2;
    }
}

/// Returns the time of one iteration, in nanoseconds.
fn sample<A>(work: &mut impl FnMut() -> A, count: u32) -> f64 {
    let start = Instant::now();
    (0..count).for_each(|_| drop(black_box(work())));
    start.elapsed().as_secs_f64() * 1e9 / f64::from(count)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match (values.len(), values.len() / 2) {
        (0, _) => f64::NAN,
        (length, middle) if length % 2 == 0 => f64::midpoint(values[middle - 1], values[middle]),
        (_, middle) => values[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spin(micros: u64) {
        let start = Instant::now();
        while start.elapsed() < Duration::from_micros(micros) {}
    }

    #[test]
    fn a_thing_that_takes_four_times_as_long_is_told_from_its_floor() {
        let mut bench = Bench::new("x");
        bench.time = Duration::from_millis(50);
        bench.versus("slow", BenchTarget::Ratio(1.5), || spin(400), || spin(100));
        bench.versus("same", BenchTarget::Ratio(1.5), || spin(100), || spin(100));
        bench.alone("alone", BenchTarget::Nanos(1.0), || spin(100));
        let oks: Vec<Option<bool>> = bench.rows().iter().map(|row| row.ok).collect();
        assert_eq!(oks, [Some(false), Some(true), Some(false)]);
    }

    #[test]
    fn samples_of_the_caller_are_taken_as_they_are() {
        let mut bench = Bench::new("x");
        bench.time = Duration::from_millis(1);
        bench.sampled("memory", BenchTarget::Bytes(2e6), || 3e6, Some(&mut || 1e6));
        bench.sampled("alone", BenchTarget::Nanos(2.0), || 1.0, None);
        let [memory, alone] = bench.rows() else { panic!("two rows") };
        assert_eq!((memory.unit, memory.ok, memory.ratio), (Unit::Bytes, Some(false), Some(3.0)));
        assert_eq!(memory.must.as_deref(), Some("<= 2.0 MB"));
        assert_eq!((alone.unit, alone.ok, alone.floor), (Unit::Nanos, Some(true), None));
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
    }
}
