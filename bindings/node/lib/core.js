/**
 * The state of an engine behind its public interface: the hooks, and the pending requests.
 *
 * The native engine calls back through one function, which holds the core weakly. So an engine without references is
 * collected, hooks and all, and ends what it still runs. A core with pending requests is held here, and keeps the
 * process alive; an idle one does neither.
 */

import { answered, InPart } from "./answer.js";
import { BecketError, ConfigError, EventError, ExecError, HookError, SessionClosed } from "./errors.js";
import { notExecuted, report } from "./exec.js";
import { isPlain, named, written } from "./json.js";
import { NativeEngine } from "./native.js";
import { Outcome } from "./outcome.js";

/** Cores with pending requests. */
const busy = new Set();
/** A timer that keeps the process alive while there are any. */
const upkeep = setInterval(() => {}, 2 ** 31 - 1);
upkeep.unref();

const LAST_ID = 2 ** 32 - 1;

/** The state of one engine, on the thread that created it. */
export class Core {
  #native;
  #hooks = new Map();
  #names = new Set();
  /** The contexts of unanswered calls of functions, by number. */
  #calls = new Map();
  /** Pending requests by number, each with the handlers of its result. */
  #waiting = new Map();
  #last = 0;
  /** Immediate messages that are not handled yet, while they are being handled. */
  #heard;
  #closing;
  #asks;
  #tells;

  /** @param {{ askUser?: Function, onRunEvent?: Function }} asked */
  constructor({ askUser, onRunEvent }) {
    this.#asks = askUser;
    this.#tells = onRunEvent;
    const core = new WeakRef(this);
    this.#native = new NativeEngine((word, whom, more, text) => core.deref()?.#hear(word, whom, more, text));
  }

  open(wants) {
    try {
      return JSON.parse(this.#native.open(written(wants)));
    } catch (error) {
      throw notOpened(error.message);
    }
  }

  openLater(wants) {
    let text;
    try {
      text = written(wants);
    } catch (error) {
      throw notOpened(error.message);
    }
    return this.#begin((id) => this.#native.openLater(id, text), JSON.parse, notOpened);
  }

  register(hook) {
    const { name, handler, wants } = hook;
    const id = name ?? this.#free(wants.event);
    const number = this.#next();
    this.#attempt(HookError, (native) => native.register(number, written({ ...wants, id })));
    this.#names.add(id);
    this.#hooks.set(number, { event: wants.event, handler });
    return () => this.#unregister(number, id);
  }

  #unregister(number, id) {
    if (!this.#hooks.delete(number)) return false;
    this.#names.delete(id);
    if (this.#closing === undefined) this.#native.unregister(id);
    return true;
  }

  /** Returns the outcome of an event, as a promise. */
  async fire(event, fields, signal, person) {
    signal?.throwIfAborted();
    const id = this.#next();
    const said = this.#attempt(EventError, (native) => native.fire(id, event, written(fields)));
    const ends = this.#wait(id, (text) => new Outcome(text, person), broken, signal);
    this.#hearAll(said);
    return this.#ended(id, ends, signal);
  }

  /** Returns the report of a program, as a promise. */
  async exec(request, signal) {
    signal?.throwIfAborted();
    const id = this.#next();
    this.#attempt(ExecError, (native) => native.exec(id, written(request)));
    return this.#ended(id, this.#wait(id, report, notExecuted, signal), signal);
  }

  /** Returns the result of a request, which the signal cancels. */
  #ended(id, ends, signal) {
    if (signal === undefined || !this.#waiting.has(id)) return ends;
    const cancel = () => this.#native.cancel(id);
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    return ends.finally(() => signal.removeEventListener("abort", cancel));
  }

  /** Returns the engine's immediate answer, parsed. */
  ask(error, what) {
    return JSON.parse(this.#attempt(error, what));
  }

  /** Ends everything that it runs; resolves at its end. */
  close() {
    this.#closing ??= this.#begin((id) => this.#native.closeLater(id), () => this.#hooks.clear(), broken);
    return this.#closing;
  }

  /** Throws if the engine was closed. */
  assertOpen() {
    if (this.#closing !== undefined) throw new SessionClosed();
  }

  #attempt(Wrong, what) {
    this.assertOpen();
    try {
      return what(this.#native);
    } catch (error) {
      throw new Wrong(error.message, { cause: error });
    }
  }

  /** Returns an unused number: a hook keeps its own, regardless of the number of events since. */
  #next() {
    do this.#last = this.#last === LAST_ID ? 1 : this.#last + 1;
    while (this.#hooks.has(this.#last) || this.#waiting.has(this.#last));
    return this.#last;
  }

  #free(event) {
    let nth = 1;
    while (this.#names.has(`${event} ${nth}`)) nth += 1;
    return `${event} ${nth}`;
  }

  #begin(what, read, failed) {
    const id = this.#next();
    const ends = this.#wait(id, read, failed);
    what(id);
    return ends;
  }

  #wait(id, read, failed, signal) {
    if (busy.size === 0) upkeep.ref();
    busy.add(this);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject, read, failed, signal }));
  }

  /**
   * Handles immediate messages. Messages that result from them come later, but an event that is fired meanwhile is handled
   * first: one that fires itself endlessly runs out of stack, and fails.
   */
  #hearAll(said) {
    if (said === null) return;
    const before = this.#heard;
    this.#heard = said;
    try {
      while (said.length > 0) {
        const { word, whom, more, text } = said.shift();
        this.#hear(word, whom, more, text);
      }
    } finally {
      this.#heard = before;
      if (said.length > 0) queueMicrotask(() => this.#hearAll(said));
    }
  }

  #answer(call, answer, failure) {
    const said = this.#native.answer(call, answer, failure);
    if (this.#heard === undefined) this.#hearAll(said);
    else if (said !== null) this.#heard.push(...said);
  }

  #hear(word, whom, more, text) {
    if (word === "call") this.#call(whom, more, text);
    else if (word === "ask") this.#ask(whom, text);
    else if (word === "withdrawn") this.#withdraw(whom);
    else if (word === "told") this.#tell(text);
    else this.#end(word, whom, text);
  }

  #end(word, id, text) {
    const waits = this.#waiting.get(id);
    if (waits === undefined) return;
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) busy.delete(this);
    if (busy.size === 0) upkeep.unref();
    const { resolve, reject, read, failed, signal } = waits;
    if (word === "done") resolve(read(text));
    else if (word === "failed") reject(failed(text));
    else reject(signal?.aborted ? signal.reason : new SessionClosed(text || undefined));
  }

  #call(call, number, input) {
    const hook = this.#hooks.get(number);
    if (hook === undefined) return this.#answer(call, null, "it is registered no longer");
    this.#settle(call, (context) => hook.handler(JSON.parse(input), context), (said) => answered(hook.event, said));
  }

  #ask(call, text) {
    const key = (said) => (typeof said === "string" ? JSON.stringify(said) : null);
    this.#settle(call, (context) => this.#asks(JSON.parse(text), context), key);
  }

  /** Calls a function of the program. Any error is its failure; the answer to a withdrawn call is ignored. */
  #settle(call, ask, read) {
    const context = new Context();
    this.#calls.set(call, context);
    const done = (say) => {
      if (!this.#calls.delete(call)) return;
      let [answer, failure] = [null, null];
      try {
        answer = say() ?? "null";
      } catch (error) {
        [answer, failure] = isInPart(error) ? [error.text, reason(error.cause)] : [null, reason(error)];
      }
      this.#answer(call, answer, failure);
    };
    try {
      const said = ask(context);
      if (!isThenable(said)) return done(() => read(said));
      said.then(
        (value) => done(() => read(value)),
        (error) => done(() => raise(error)),
      );
    } catch (error) {
      done(() => raise(error));
    }
  }

  #withdraw(call) {
    const context = this.#calls.get(call);
    this.#calls.delete(call);
    context?.abort();
  }

  /** An observer must not end the process by an error, at once or later. */
  #tell(text) {
    const failed = (error) => process.emitWarning(`onRunEvent failed: ${reason(error)}`, "BecketWarning");
    try {
      const told = this.#tells?.(JSON.parse(text));
      if (isThenable(told)) told.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }
}

/** The second argument of a function of the program. */
class Context {
  #abort;
  #isOver = false;

  /** Aborted once the answer is no longer awaited. */
  get signal() {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#isOver) this.abort();
    }
    return this.#abort.signal;
  }

  abort() {
    this.#isOver = true;
    this.#abort?.abort(new BecketError("the answer is no longer needed"));
  }
}

function isThenable(value) {
  return (typeof value === "object" || typeof value === "function") && value !== null && typeof value.then === "function";
}

function raise(error) {
  throw error;
}

/** Returns whether it is an answer in part. A proxy may throw even at this question. */
function isInPart(error) {
  try {
    return error instanceof InPart;
  } catch {
    return false;
  }
}

/** Describes a thrown value, which need not be an error. Never throws: the call would wait until its limit. */
function reason(error) {
  for (const describe of [described, (thrown) => `it threw ${named(thrown)}`]) {
    try {
      return describe(error);
    } catch {
      // The next one asks less of it.
    }
  }
  return "it threw a value that can't be described";
}

function described(error) {
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return isPlain(error) ? written(error) : String(error);
}

function broken(text) {
  return new BecketError(text);
}

function notOpened(text) {
  try {
    const { why, findings } = JSON.parse(text);
    return new ConfigError(why, findings);
  } catch {
    return new ConfigError(text);
  }
}
