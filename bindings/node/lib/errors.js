/** The errors of an engine, with a common base. */

/** The base class of all errors of this package. */
export class BecketError extends Error {
  static {
    this.prototype.name = "BecketError";
  }
}

/** No session starts with this configuration; `findings` contains the problems, as `becket check --json` does. */
export class ConfigError extends BecketError {
  static {
    this.prototype.name = "ConfigError";
  }

  constructor(message, findings = []) {
    super(message);
    this.findings = findings;
  }
}

/** An event with an unknown name or invalid fields. Its hooks did not run, so nothing was decided. */
export class EventError extends BecketError {
  static {
    this.prototype.name = "EventError";
  }
}

/**
 * A program without an exit code. `kind`: nothing was run (`not_run`), or it was ended at its time limit (`timed_out`) or with its
 * supervisor (`lost`).
 */
export class ExecError extends BecketError {
  static {
    this.prototype.name = "ExecError";
  }

  constructor(message, { kind = "not_run", ...options } = {}) {
    super(message, options);
    this.kind = kind;
  }
}

/** A hook that can't be registered. */
export class HookError extends BecketError {
  static {
    this.prototype.name = "HookError";
  }
}

/** The engine was closed: nothing was decided. */
export class SessionClosed extends BecketError {
  static {
    this.prototype.name = "SessionClosed";
  }

  constructor(message = "the engine is closed, so nothing was decided") {
    super(message);
  }
}
