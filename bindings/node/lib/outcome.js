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
  #person;
  #approved;

  /**
   * @param {string} text
   * @param {"here" | "none" | "never"} person Who answers where a hook or a rule asks: the host, later; nobody, unless the host
   *   has somebody all the same; nobody at all (the mode `dontAsk`).
   * @param {boolean} [approved] The person's answer.
   */
  constructor(text, person = "none", approved = undefined) {
    this.#text = text;
    this.#person = person;
    this.#approved = approved;
  }

  get #read() {
    this.#fired ??= JSON.parse(this.#text);
    return this.#fired;
  }

  get #verdict() {
    return this.#read.verdict;
  }

  /** What hooks and rules come to, without the person. */
  get #permission() {
    const { ruling, settlement } = this.#verdict;
    return BY_SETTLEMENT.get(settlement) ?? (RULINGS.has(ruling) ? ruling : null);
  }

  /** What becomes of a call that is asked about: the person's answer, or no where nobody can be asked. */
  get #answer() {
    if (this.#approved !== undefined) return this.#approved;
    return this.#permission === "ask" && this.#person !== "here" ? false : undefined;
  }

  /**
   * What the host does next: `proceed`, `block` or `wait`. If hooks stop the agent after the event (`stop`) it is `block`,
   * whatever became of the event itself; if nobody can be asked, it is never `wait` for an answer.
   */
  get decision() {
    const answer = this.#answer;
    return answer === undefined ? this.#read.decision : answer ? "proceed" : "block";
  }

  /** Whether a person's yes would let the call run, and nobody has been asked yet. */
  get asks() {
    if (this.#approved !== undefined || this.#person === "never") return false;
    return this.#read.nobody_to_ask || (this.#permission === "ask" && this.#read.decision === "wait");
  }

  /** Returns the same outcome with the person's answer: only `true` approves, and only what `asks`. */
  answered(approved) {
    return this.asks ? new Outcome(this.#text, this.#person, approved === true) : this;
  }

  /** What becomes of the event itself: `passed`, `blocked` or `waits`. */
  get result() {
    const answer = this.#answer;
    return answer === undefined ? this.#read.result : answer ? "passed" : "blocked";
  }

  /** Whether what the event is about is held back. */
  get blocked() {
    return this.result === "blocked";
  }

  /** What hooks, permission rules and the person who was asked come to; null where nobody decided. */
  get permissionDecision() {
    const answer = this.#answer;
    return answer === undefined ? this.#permission : answer ? "allow" : "deny";
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

  /** Exactly what `becket fire --json` prints; a person's answer is not in it. */
  toJSON() {
    return JSON.parse(this.#text);
  }
}
