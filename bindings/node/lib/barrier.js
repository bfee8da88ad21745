/**
 * The tool barrier, for hosts that keep their own conversation (L2).
 *
 * Between an assistant's message with tool calls and the last of their results nothing else may enter the conversation.
 * Context of hooks waits here meanwhile, and is released when the last call is answered.
 */

import { BecketError } from "./errors.js";
import { Outcome } from "./outcome.js";

/** Holds the context of hooks back while calls wait for their results. */
export class ToolBarrier {
  #open = new Set();
  #pending = [];

  /** The calls that wait for their results. */
  get open() {
    return [...this.#open];
  }

  /** True if any context is held. */
  get isOpen() {
    return this.#open.size > 0;
  }

  /** Records an assistant's message with these calls. */
  begin(...ids) {
    const taken = ids.find((id, at) => this.#open.has(id) || ids.indexOf(id) !== at);
    if (taken !== undefined) throw new BecketError(`the call \`${taken}\` waits for its result already`);
    for (const id of ids) this.#open.add(id);
  }

  /**
   * Adds context of hooks for the model: texts, or the context of an outcome. Returns the part that may enter the
   * conversation now: all of it, or nothing while calls wait.
   */
  inject(said) {
    const texts = said instanceof Outcome ? said.additionalContext : [said].flat();
    this.#pending.push(...texts);
    return this.#flushed();
  }

  /** Records the result of a call; returns the context that may enter the conversation after it. */
  answer(id) {
    if (!this.#open.delete(id)) throw new BecketError(`no call \`${id}\` waits for a result`);
    return this.#flushed();
  }

  /**
   * Ends the turn. Returns the calls that still need a result, so that none is left without, and the context that enters
   * the conversation after these.
   */
  interrupt() {
    const unanswered = this.open;
    this.#open.clear();
    return { unanswered, context: this.#flushed() };
  }

  #flushed() {
    return this.isOpen ? [] : this.#pending.splice(0);
  }
}
