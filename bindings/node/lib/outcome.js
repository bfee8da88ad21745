/** What the hooks of an event did and decided: a view of the JSON that `becket fire --json` prints. */

const BY_SETTLEMENT = new Map([
  ["allowed", "allow"],
  ["denied", "deny"],
  ["stopped", "deny"],
  ["asked", "ask"],
  ["deferred", "defer"],
]);
const RULINGS = new Set(["allow", "deny", "ask", "defer"]);

/** An outcome. It is read when it is first looked at. */
export class Outcome {
  #text;
  #fired;

  /** @param {string} text */
  constructor(text) {
    this.#text = text;
  }

  get #read() {
    this.#fired ??= JSON.parse(this.#text);
    return this.#fired;
  }

  get #verdict() {
    return this.#read.verdict;
  }

  /** `passed`, `blocked` or `waits`. */
  get result() {
    return this.#read.result;
  }

  /** Whether what the event is about is held back. */
  get blocked() {
    return this.result === "blocked";
  }

  /** What hooks and permission rules come to; null where nobody decided. */
  get permissionDecision() {
    const { ruling, settlement } = this.#verdict;
    return BY_SETTLEMENT.get(settlement) ?? (RULINGS.has(ruling) ? ruling : null);
  }

  /** Why, or null. */
  get reason() {
    return this.#verdict.reason;
  }

  /** Texts for the model, in order. */
  get additionalContext() {
    return this.#verdict.context.map((told) => told.text);
  }

  /** The rewritten input of the call, or null. */
  get updatedInput() {
    return this.#verdict.fields.updatedInput ?? null;
  }

  /** Further fields that hooks set, as a hook would print them. */
  get fields() {
    return this.#verdict.fields;
  }

  /** Texts for the user, in order. */
  get systemMessages() {
    return this.#verdict.messages.map((told) => told.text);
  }

  /** Whether the agent stops after the event. */
  get stop() {
    return this.#verdict.stop !== null;
  }

  /** Why it stops, or null. */
  get stopReason() {
    return this.#verdict.stop?.reason ?? null;
  }

  /** What went wrong in hooks. */
  get failures() {
    return this.#verdict.failures;
  }

  /** Exactly what `becket fire --json` prints. */
  toJSON() {
    return JSON.parse(this.#text);
  }
}
