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
