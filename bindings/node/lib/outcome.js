/** The runs and decisions of an event's hooks: a view of the JSON that `becket fire --json` prints. */

const BY_SETTLEMENT = new Map([
  ["allowed", "allow"],
  ["denied", "deny"],
  ["stopped", "deny"],
  ["asked", "ask"],
  ["deferred", "defer"],
]);
const RULINGS = new Set(["allow", "deny", "ask", "defer"]);

/** An outcome, parsed on first access. */
export class Outcome {
  #text;
  #fired;
  #person;
  #approved;

  /**
   * @param {string} text
   * @param {"here" | "none" | "never"} person Who answers if a hook or a rule asks: the host, later; nobody, unless the host
   *   has somebody anyway; nobody at all (the mode `dontAsk`).
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

  /** The decision of hooks and rules, without the user. */
  get #permission() {
    const { ruling, settlement } = this.#verdict;
    return BY_SETTLEMENT.get(settlement) ?? (RULINGS.has(ruling) ? ruling : null);
  }

  /** The answer to an ask: the user's, or no if there is no user. */
  get #answer() {
    if (this.#approved !== undefined) return this.#approved;
    return this.#permission === "ask" && this.#person !== "here" ? false : undefined;
  }

  /**
   * The host's next step: `proceed`, `block` or `wait`. If hooks stop the agent after the event (`stop`) it is `block`,
   * regardless of the event's own result; without a user to ask it is never `wait` for an answer.
   */
  get decision() {
    const answer = this.#answer;
    return answer === undefined ? this.#read.decision : answer ? "proceed" : "block";
  }

  /** True if an approval would let the call run, and no user has been asked yet. */
  get asks() {
    if (this.#approved !== undefined || this.#person === "never") return false;
    return this.#read.nobody_to_ask || (this.#permission === "ask" && this.#read.decision === "wait");
  }

  /** Returns the same outcome with the user's answer: only `true` approves, and only if `asks`. */
  answered(approved) {
    return this.asks ? new Outcome(this.#text, this.#person, approved === true) : this;
  }

  /** The result of the event itself: `passed`, `blocked` or `waits`. */
  get result() {
    const answer = this.#answer;
    return answer === undefined ? this.#read.result : answer ? "passed" : "blocked";
  }

  /** True if the event is blocked. */
  get blocked() {
    return this.result === "blocked";
  }

  /** The decision of hooks, permission rules and the user; null if it is undecided. */
  get permissionDecision() {
    const answer = this.#answer;
    return answer === undefined ? this.#permission : answer ? "allow" : "deny";
  }

  /** The reason, or null. */
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

  /** True if the agent stops after the event. */
  get stop() {
    return this.#verdict.stop !== null;
  }

  /** The reason of the stop, or null. */
  get stopReason() {
    return this.#verdict.stop?.reason ?? null;
  }

  /** The failures of hooks. */
  get failures() {
    return this.#verdict.failures;
  }

  /** The JSON that `becket fire --json` prints, without the user's answer. */
  toJSON() {
    return JSON.parse(this.#text);
  }
}
