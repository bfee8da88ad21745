/**
 * Rows of measurements, as `cargo xtask bench` collects them: a line to read, and a line of JSON.
 *
 * A sample is a number of nanoseconds. Ours and its floor are sampled in turns, so that both meet the same machine.
 */

/** The rows of one crate. */
export class Bench {
  constructor(crate) {
    this.crate = crate;
    this.isQuick = process.argv.includes("--quick");
  }

  /** Measures without a floor, against a number or nothing: `must` is `{}` or `{ nanos }`. */
  async alone(row, must, ours, note = "") {
    const taken = [];
    for (const _ of this.#turns()) taken.push(await ours());
    this.#tell(row, must, { ours: median(taken), floor: null, ratio: null, note });
  }

  /** Measures with a floor: `must` is `{ ratio }`. The ratio is the median of the ratios of neighbouring samples. */
  async versus(row, must, ours, floor, note) {
    const pairs = [];
    for (const turn of this.#turns()) {
      // The second one runs with warm caches, so they take turns.
      if (turn % 2 === 0) {
        const first = await ours();
        pairs.push([first, await floor()]);
      } else {
        const first = await floor();
        pairs.push([await ours(), first]);
      }
    }
    const ratio = median(pairs.map(([ours, floor]) => ours / floor));
    const [own, other] = [0, 1].map((place) => median(pairs.map((pair) => pair[place])));
    this.#tell(row, must, { ours: own, floor: other, ratio, note });
  }

  *#turns() {
    const until = performance.now() + (this.isQuick ? 400 : 2000);
    for (let turn = 0; turn < 5 || performance.now() < until; turn += 1) yield turn;
  }

  #tell(row, { ratio, nanos }, { note, ...taken }) {
    let [must, ok] = [null, null];
    if (ratio !== undefined) [must, ok] = [`ratio <= ${ratio}`, taken.ratio <= ratio];
    if (nanos !== undefined) [must, ok] = [`<= ${human(nanos)}`, taken.ours <= nanos];
    const beside = taken.floor === null ? "" : `, floor ${human(taken.floor)}, ratio ${taken.ratio.toFixed(3)}`;
    const verdict = must === null ? "" : ` (must: ${must}) ${ok ? "ok" : "MISSED"}`;
    const told = { crate: this.crate, row, unit: "nanos", ...taken, must, ok, note };
    process.stdout.write(`${this.crate}: ${row}: ${human(taken.ours)}${beside}${verdict}\n${JSON.stringify(told)}\n`);
  }
}

function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Formats nanoseconds in a suitable unit. */
function human(nanos) {
  for (const [limit, factor, unit] of [[1e3, 1, "ns"], [1e6, 1e3, "µs"], [1e9, 1e6, "ms"]]) {
    if (nanos < limit) return `${(nanos / factor).toFixed(2)} ${unit}`;
  }
  return `${(nanos / 1e9).toFixed(2)} s`;
}
