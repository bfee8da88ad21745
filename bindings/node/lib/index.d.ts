/** The engine for the lifecycle hooks of AI agents, in the process of a Node program. */

import type { Circumstances, Facts, Fields, Outputs, UniversalOutput } from "./events.js";

export type { Fields, Outputs } from "./events.js";

/** An event's name. */
export type EventName = keyof Fields;

/** The input of a hook. */
export type HookInput<E extends EventName = EventName> = Facts & Circumstances & { hook_event_name: E } & Fields[E];

/** The fields of an event; those that the session knows may be left out. */
export type EventFields<E extends EventName> = Partial<Facts> & Circumstances & Fields[E];

export type PermissionDecision = "allow" | "deny" | "ask" | "defer";

/** The further fields of a decision about a permission request. */
interface RequestOutput {
  updatedInput?: Record<string, unknown>;
  updatedPermissions?: Record<string, unknown>[];
  interrupt?: boolean;
  decision?: "block" | "approve" | Outputs["PermissionRequest"]["decision"];
}

/** The answer of a hook: the JSON of a command, or its fields side by side. No answer decides nothing. */
export type HookResult<E extends EventName = EventName> =
  | (Omit<UniversalOutput, "decision"> &
      Omit<Outputs[E], "decision"> &
      (E extends "PermissionRequest" ? RequestOutput : Pick<UniversalOutput, "decision">) & {
        /** On events without a permission decision, `deny` blocks the event. */
        permissionDecision?: PermissionDecision;
      })
  | null
  | undefined
  | void;

/** The second argument of a hook. */
export interface HookContext {
  /** Aborted once the answer is no longer awaited: at the time limit, and when the event was cancelled. */
  readonly signal: AbortSignal;
}

/** A function as a hook. */
export type Handler<E extends EventName> = (
  input: HookInput<E>,
  context: HookContext,
) => HookResult<E> | PromiseLike<HookResult<E>>;

/** The condition of a hook, and the meaning of its failure. */
export interface HookOptions {
  /** The values of the event's subject that it runs for, as in a settings file; default: all. */
  matcher?: string;
  /** A permission rule that the tool call has to match. */
  condition?: string;
  /** Its position among the hooks; lower comes first. */
  order?: number;
  /** Its time limit in seconds. */
  timeout?: number;
  /**
   * The meaning of its failure. Default: it denies a tool call and rejects a prompt, and is reported elsewhere. `block` blocks
   * wherever a failure can, `continue` nowhere.
   */
  onFailure?: "continue" | "block";
  /** Its name for people; unique in an engine. */
  name?: string;
}

/** A question of a hook to the user. */
export interface Question {
  id: string;
  message: string;
  options: { key: string; label: string; description: string | null }[];
  askedBy: string;
}

/** A tool call that hooks or rules ask about. */
export interface ToolApproval {
  /** The tool. */
  toolName: string;
  /** A copy of the input that it would run with: a hook's rewrite if there is one. */
  toolInput: unknown;
  /** The id of the call. */
  toolCallId: string;
  /** The hook or rule that asks, and its reason. */
  reason?: string;
}

/** Answers for the user: only `true` approves the call. */
export type ToolApprovalCallback = (call: ToolApproval, context: HookContext) => boolean | PromiseLike<boolean>;

/** A run event of the engine, as `becket serve` reports it. */
export interface RunEvent {
  what:
    | "fired"
    | "skipped"
    | "started"
    | "output"
    | "finished"
    | "backgrounded"
    | "background_finished"
    | "decided";
  /** Counts the firings, from 1. */
  firing: number;
  [field: string]: unknown;
}

/** The sources of hooks. */
export interface HookSources {
  /** The directory in which the session starts; default: the working directory. */
  projectRoot?: string;
  /** The dialect, which selects files and names of variables; default: `claude`. */
  profile?: "agent" | "claude" | "becket";
  /** More settings, or a file of them. */
  settings?: Record<string, unknown> | string;
  /** The settings files to read; default: all. Managed ones are always read. */
  settingSources?: ("user" | "project" | "local")[];
  /** The MCP servers that `mcp_tool` hooks may call, by name, in the format of `mcpServers` in an `.mcp.json`. */
  mcpServers?: Record<string, object>;
  /** The MCP servers, as a file like `.mcp.json`. No file is searched for. */
  mcpConfig?: string;
  /** The directories of more plugins. */
  pluginDirs?: string[];
  /** The directory of managed settings, instead of the system's. */
  managedDir?: string;
  /** True if an error in the configuration prevents the engine from opening. */
  strict?: boolean;
  /** False if the folder is not trusted: then its settings grant nothing. Default: true. */
  trust?: boolean;
  /** Variables for hooks and MCP servers, in addition to those of the process; null removes one. */
  env?: Record<string, string | null>;
}

/** Sources of hooks, and their content. Immutable. */
export interface HookConfig extends Readonly<HookSources> {
  readonly projectRoot: string;
  readonly profile: "agent" | "claude" | "becket";
  /** The events that a hook or a permission rule may affect; `PreToolUse` if there is any rule. */
  readonly events: readonly EventName[];
  /** The problems; valid entries work. */
  readonly findings: readonly Finding[];
}

/**
 * Reads all sources: managed, the user's, the project's, the local ones, plugins, and `settings`. It blocks, and throws
 * a `ConfigError` if the configuration forbids the start, or MCP servers can't be read; none of these is started.
 */
export function loadHookConfigFromSources(options?: HookSources): HookConfig;

export interface EngineOptions extends HookSources {
  /** Loaded sources, instead of all options that name one. Their files are read when the engine is created. */
  config?: HookConfig;
  /** The session's id, as hooks see it; default: a new one. */
  sessionId?: string;
  /** True if a user can be asked, so that an ask is not a denial; default: true if there is `askUser`. */
  interactive?: boolean;
  permissionMode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions";
  /** The path of the stored conversation. */
  transcriptPath?: string;
  /** The directory for private files of hooks. */
  sessionDir?: string;
  /**
   * Whether events wait for `async` and `asyncRewake` hooks, whose answers then count like any other's: for a host that can't go on
   * in the background. Default: false.
   */
  waitForAsync?: boolean;
  /** A script that answers instead of every model of a hook. */
  modelScript?: string;
  /** Asks the user; returns the selected key, or null. */
  askUser?: (question: Question, context: HookContext) => string | null | PromiseLike<string | null>;
  /**
   * Answers for the user if a hook or a rule asks about a tool call: only `true` approves, and one that throws or is late denies.
   * Without it such a call is blocked, or waits in an `interactive` session.
   */
  toolApprovalCallback?: ToolApprovalCallback;
  /** The time limit of the callback in seconds; default: 600. `Infinity` waits without a limit. */
  toolApprovalTimeout?: number;
  /** Called with each run event. */
  onRunEvent?: (event: RunEvent) => void;
}

/** A problem of a configuration. */
export interface Finding {
  severity: string;
  message: string;
  [field: string]: unknown;
}

/** A text of a hook, or its failure. */
export interface Told {
  source: string;
  label: string;
  to: string;
  text: string;
}

/** A hook that an event would run. */
export interface PlannedHook {
  source: string;
  label: string;
  kind: string;
  at: { file: string; line: number; column: number };
  matcher: string;
  timeout_s: number;
  note: string | null;
}

/** The hooks that an event would run, in order of listing. */
export interface Planned {
  event: string;
  runs: PlannedHook[];
}

/** The results of background hooks. */
export interface Background {
  background: { source: string; label: string; status: string; context: string[]; [field: string]: unknown }[];
  wakes: { source: string; label: string; reminder: string }[];
}

/** The runs and decisions of an event's hooks. */
export class Outcome {
  private constructor();
  /**
   * The host's next step. `wait`: the user answers first, or the session is resumed; else it is a `block`. If hooks stop the
   * agent after the event (`stop`) it is `block`, regardless of the event's own result.
   */
  readonly decision: "proceed" | "block" | "wait";
  /** True if an approval would let the call run, and no user has been asked yet. */
  readonly asks: boolean;
  /** Returns the same outcome with the user's answer: only `true` approves, and only if `asks`. */
  answered(approved: boolean): Outcome;
  /** The result of the event itself. */
  readonly result: "passed" | "blocked" | "waits";
  /** True if the event is blocked. */
  readonly blocked: boolean;
  /** The decision of hooks, permission rules and the user; null if it is undecided. */
  readonly permissionDecision: PermissionDecision | null;
  readonly reason: string | null;
  /** Texts for the model, in order. */
  readonly additionalContext: string[];
  /** The rewritten input of the call. */
  readonly updatedInput: Record<string, unknown> | null;
  /** Further fields that hooks set, as a hook would print them. */
  readonly fields: Record<string, unknown>;
  /** Texts for the user, in order. */
  readonly systemMessages: string[];
  /** True if the agent stops after the event. */
  readonly stop: boolean;
  readonly stopReason: string | null;
  /** The failures of hooks. */
  readonly failures: Told[];
  /** The JSON that `becket fire --json` prints, without the user's answer. */
  toJSON(): Record<string, unknown>;
}

/** The surroundings of a program. */
export interface ExecOptions {
  /** Its directory, relative to the project's root; default: the project's root. */
  cwd?: string;
  /** Variables in addition to those of the engine; null removes one. */
  env?: Record<string, string | null>;
  /** Its time limit in seconds; default: none. */
  timeout?: number;
  /** The maximum number of bytes that are kept of each of its streams; default: 1 MiB. */
  maxOutputBytes?: number;
  /** The supervising program `becket`; default: the one of this package, then the one in `PATH`. */
  becket?: string;
  /** Ends the program, with everything that it has started. */
  signal?: AbortSignal;
}

/** A program that was not run. */
export interface ExecDenial {
  /** Its arguments, joined by blanks. */
  command: string;
  /** The programs that led to it, itself last. */
  chain: string[];
  reason: string;
}

/** An access that rights have refused to a program, which continued. */
export interface ExecRefusal {
  /** The arguments of the program, joined by blanks; empty if it had already ended. */
  command: string;
  /** The programs that led to it, itself last. */
  chain: string[];
  right: "read" | "execute" | "write" | "socket" | "connect";
  /** The path, or the host and the port. */
  target: string | null;
  /** A description of the refusal. */
  text: string;
}

/** The end of a program, and its refusals. */
export interface ExecReport {
  /** The exit code as a shell reports it. 126 if the program itself was denied. */
  code: number;
  /** The beginning of its stdout; bytes that are not UTF-8 are replaced. */
  stdout: string;
  /** The beginning of its stderr. */
  stderr: string;
  /** True if it printed more than is kept. */
  isCut: boolean;
  /** The programs that were not run. */
  denied: ExecDenial[];
  /** The accesses that rights have refused. */
  refusals: ExecRefusal[];
}

/** Holds the context of hooks back while calls wait for their results. */
export class ToolBarrier {
  /** The calls that wait for their results. */
  readonly open: string[];
  readonly isOpen: boolean;
  /** Records an assistant's message with these calls. */
  begin(...ids: string[]): void;
  /** Adds the context of hooks for the model; returns the part that may enter the conversation now. */
  inject(said: Outcome | string | string[]): string[];
  /** Records the result of a call; returns the context that may enter the conversation after it. */
  answer(id: string): string[];
  /** Ends the turn; returns the calls that still need a result, and the context that follows them. */
  interrupt(): { unanswered: string[]; context: string[] };
}

/** Runs the hooks of one session. */
export class HookEngine implements AsyncDisposable {
  /** Opens a session. It reads files, so it blocks. */
  constructor(options?: EngineOptions);
  /** Opens a session without blocking. */
  static open(options?: EngineOptions): Promise<HookEngine>;
  /** The session's id, as hooks see it. */
  readonly sessionId: string;
  /** The problems of the configuration at the opening of the session; valid entries work. */
  readonly findings: Finding[];
  /** The time limit of `toolApprovalCallback`, in seconds. */
  readonly toolApprovalTimeout: number;
  /** Registers a function for an event; returns a function that removes it, and returns whether it was registered. */
  hook<E extends EventName>(event: E, options: HookOptions, handler: Handler<E>): () => boolean;
  hook<E extends EventName>(event: E, handler: Handler<E>): () => boolean;
  /** Runs the hooks of an event. An abort ends them, and rejects once they have ended. */
  runEvent<E extends EventName>(
    event: E,
    ...rest: Record<never, never> extends Fields[E]
      ? [fields?: EventFields<E>, options?: { signal?: AbortSignal }]
      : [fields: EventFields<E>, options?: { signal?: AbortSignal }]
  ): Promise<Outcome>;
  /**
   * Runs a program, and everything that it starts, under the rules and rights of the settings, as `becket exec`. It reads nothing
   * from stdin. Programs that an ask rule holds are denied, and hooks are not asked. An abort ends it, and rejects once everything
   * that it has started has ended. Rejects with an `ExecError` if there is no exit code.
   */
  exec(program: string, args?: readonly string[], options?: ExecOptions): Promise<ExecReport>;
  /** Returns the hooks that an event would run. */
  plan<E extends EventName>(event: E, fields: EventFields<E>): Planned;
  /** Returns the JSON of `becket explain --json`. */
  explain<E extends EventName>(event: E, fields: EventFields<E>): Record<string, unknown>;
  /** Returns the JSON of `becket check --json`. */
  check(): { findings: Finding[]; [field: string]: unknown };
  /** The events that a hook or a permission rule may affect; `PreToolUse` if there is any rule. */
  events(): EventName[];
  /** Takes the results of background hooks, and the texts that wake an idle model. */
  background(): Background;
  /** Returns the environment files that hooks have filled; later ones win. */
  envFiles(): string[];
  /** Reads the configuration again. */
  reload(): { findings: Finding[]; [field: string]: unknown };
  /** Returns a barrier for the calls of one conversation. */
  toolBarrier(): ToolBarrier;
  /** Ends everything that it runs; resolves at its end. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The base class of all errors of this package. */
export class BecketError extends Error {}
/** No session starts with this configuration. */
export class ConfigError extends BecketError {
  readonly findings: Finding[];
}
/** An event with an unknown name or invalid fields: its hooks did not run. */
export class EventError extends BecketError {}
/** A program without an exit code. */
export class ExecError extends BecketError {
  /** `not_run`: nothing was run. `timed_out`, `lost`: it was ended, at its time limit or with its supervisor. */
  readonly kind: "not_run" | "timed_out" | "lost";
}
/** A hook that can't be registered. */
export class HookError extends BecketError {}
/** The engine was closed: nothing was decided. */
export class SessionClosed extends BecketError {}
