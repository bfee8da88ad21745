/** The public interface of the engine. */

import { resolve } from "node:path";
import { approved, checkedCallback, checkedTimeout, toolCall } from "./approval.js";
import { ToolBarrier } from "./barrier.js";
import { known, session, SOURCES, sourcesOf } from "./config.js";
import { Core } from "./core.js";
import { BecketError, EventError, HookError } from "./errors.js";
import { EVENTS } from "./events.js";
import { request } from "./exec.js";
import { isPlain, named, written } from "./json.js";

const OPTIONS = new Set([
  ...SOURCES,
  "config",
  "sessionId",
  "interactive",
  "permissionMode",
  "transcriptPath",
  "sessionDir",
  "waitForAsync",
  "modelScript",
  "askUser",
  "toolApprovalCallback",
  "toolApprovalTimeout",
  "onRunEvent",
]);
const EXEC_OPTIONS = new Set(["cwd", "env", "timeout", "maxOutputBytes", "becket", "signal"]);
const HOOK_OPTIONS = new Set(["matcher", "condition", "order", "timeout", "onFailure", "name"]);

/** Runs the hooks of one session. */
export class HookEngine {
  #core;
  #opened;
  #approve;
  #approvalTimeout;
  #permissionMode;
  #isInteractive;

  /** Opens a session. It reads files; `HookEngine.open` does so without blocking. */
  constructor(options = {}) {
    known(options, OPTIONS, "option");
    this.#core = new Core(functions(options));
    this.#approve = checkedCallback(options.toolApprovalCallback);
    this.#approvalTimeout = checkedTimeout(options.toolApprovalTimeout);
    this.#permissionMode = options.permissionMode;
    this.#isInteractive = isInteractive(options);
    if (options[LATER] !== true) this.#opened = this.#core.open(wants(options));
  }

  /** Opens a session without blocking. */
  static async open(options = {}) {
    const engine = new HookEngine({ ...options, [LATER]: true });
    engine.#opened = await engine.#core.openLater(wants(options));
    return engine;
  }

  /** The session's id, as hooks see it. */
  get sessionId() {
    return this.#opened.session;
  }

  /** The problems of the configuration at the opening of the session; valid entries work. */
  get findings() {
    return this.#opened.findings;
  }

  /** The time limit of `toolApprovalCallback`, in seconds. */
  get toolApprovalTimeout() {
    return this.#approvalTimeout;
  }

  /** Registers a function for an event; returns a function that removes it. */
  hook(event, ...rest) {
    const [options, handler] = rest.length > 1 ? rest : [{}, rest[0]];
    if (typeof handler !== "function") throw new HookError(`the handler of ${event} is ${named(handler)}, not a function`);
    if (!Object.hasOwn(EVENTS, event)) this.plan(event);
    const kind = Object.prototype.toString.call(handler).slice(8, -1);
    if (kind.endsWith("GeneratorFunction")) throw new HookError(`the handler of ${event} is a generator: make it a function`);
    known(options, HOOK_OPTIONS, "option of a hook");
    const { name, onFailure, ...when } = options;
    return this.#core.register({ name, handler, wants: { event, ...when, on_failure: onFailure } });
  }

  /** Runs the hooks of an event. Fields that the session knows may be left out. */
  async runEvent(event, fields = {}, { signal } = {}) {
    const asksNobody = (checked(fields).permission_mode ?? this.#permissionMode) === "dontAsk";
    const person = asksNobody ? "never" : this.#isInteractive ? "here" : "none";
    const outcome = await this.#core.fire(event, fields, signal, person);
    if (event !== "PreToolUse" || this.#approve === undefined || !outcome.asks) return outcome;
    const call = toolCall(fields.tool_name, fields.tool_input, fields.tool_use_id, outcome);
    const isApproved = await approved(this.#approve, call, this.#approvalTimeout, signal);
    this.#core.assertOpen();
    return outcome.answered(isApproved);
  }

  /** Runs a program, and everything that it starts, under the rules and rights of the settings. An abort ends all of it. */
  async exec(program, args = [], options = {}) {
    known(options, EXEC_OPTIONS, "option of a program");
    return this.#core.exec(request(program, args, options), options.signal);
  }

  /** Returns the hooks that an event would run. */
  plan(event, fields = {}) {
    const text = written(checked(fields));
    return this.#core.ask(EventError, (native) => native.plan(event, text));
  }

  /** Returns also the skipped hooks with their reasons, as `becket explain --json` prints them. */
  explain(event, fields = {}) {
    const text = written(checked(fields));
    return this.#core.ask(EventError, (native) => native.explain(event, text));
  }

  /** Returns the problems of the configuration, as `becket check --json` prints them. */
  check() {
    return this.#core.ask(BecketError, (native) => native.check());
  }

  /** The events that a hook or a permission rule may affect. */
  events() {
    return this.#core.ask(BecketError, (native) => native.events());
  }

  /** Takes the results of background hooks, and the texts that wake an idle model. */
  background() {
    return this.#core.ask(BecketError, (native) => native.background());
  }

  /** Returns the environment files that hooks have filled; later ones win. */
  envFiles() {
    return this.#core.ask(BecketError, (native) => native.envFiles());
  }

  /** Reads the configuration again. */
  reload() {
    return this.#core.ask(BecketError, (native) => native.reload());
  }

  /** Returns a barrier for the calls of one conversation. */
  toolBarrier() {
    return new ToolBarrier();
  }

  /** Ends everything that it runs; resolves at its end. */
  close() {
    return this.#core.close();
  }
}

const LATER = Symbol("later");

// Node 20.0–20.3 has no such symbol.
if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(HookEngine.prototype, Symbol.asyncDispose, { value: HookEngine.prototype.close });
}

function checked(fields) {
  if (!isPlain(fields)) throw new EventError(`the fields of the event are ${named(fields)}, not a plain object`);
  return fields;
}

function functions({ askUser, onRunEvent }) {
  for (const [name, given] of Object.entries({ askUser, onRunEvent })) {
    if (given !== undefined && typeof given !== "function") throw new BecketError(`\`${name}\` is ${named(given)}, not a function`);
  }
  return { askUser, onRunEvent };
}

/** Returns whether a user can be asked during the session. */
function isInteractive(options) {
  return options.interactive ?? options.askUser !== undefined;
}

/** Returns the options, as the native engine reads them. */
function wants(options) {
  const { around, open } = session(sourcesOf(options));
  const script = options.modelScript;
  return {
    around: { ...around, model_script: script === undefined ? undefined : resolve(open.start, script) },
    is_told: options.onRunEvent !== undefined,
    open: {
      ...open,
      session: options.sessionId,
      interactive: isInteractive(options),
      permission_mode: options.permissionMode,
      transcript_path: options.transcriptPath,
      session_dir: options.sessionDir,
      wait_for_async: options.waitForAsync,
    },
  };
}
