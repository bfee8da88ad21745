/** The engine for the lifecycle hooks of AI agents, in the process of a Node program. */

import type { Circumstances, Facts, Fields, Outputs, UniversalOutput } from "./events.js";

export type { Fields, Outputs } from "./events.js";

/** An event's name. */
export type EventName = keyof Fields;

/** What a hook is handed. */
export type HookInput<E extends EventName = EventName> = Facts & Circumstances & { hook_event_name: E } & Fields[E];

/** What an event is fired with: what the session knows may be left out. */
export type EventFields<E extends EventName> = Partial<Facts> & Circumstances & Fields[E];

export type PermissionDecision = "allow" | "deny" | "ask" | "defer";

/** Beside a decision about a permission request. */
interface RequestOutput {
  updatedInput?: Record<string, unknown>;
  updatedPermissions?: Record<string, unknown>[];
  interrupt?: boolean;
  decision?: "block" | "approve" | Outputs["PermissionRequest"]["decision"];
}

/** What a hook may return: the JSON of a command, or its fields side by side. Nothing is no opinion. */
export type HookResult<E extends EventName = EventName> =
  | (Omit<UniversalOutput, "decision"> &
      Omit<Outputs[E], "decision"> &
      (E extends "PermissionRequest" ? RequestOutput : Pick<UniversalOutput, "decision">) & {
        /** Where an event has no permission to give, `deny` blocks it. */
        permissionDecision?: PermissionDecision;
      })
  | null
  | undefined
  | void;

/** What a hook is handed beside its input. */
export interface HookContext {
  /** Aborted once nobody waits for the answer any more: at the time limit, and when the event was cancelled. */
  readonly signal: AbortSignal;
}

/** A function as a hook. */
export type Handler<E extends EventName> = (
  input: HookInput<E>,
  context: HookContext,
) => HookResult<E> | PromiseLike<HookResult<E>>;

/** When a function is called, and what its failure means. */
export interface HookOptions {
  /** Which values of the event's subject it runs for, as in a settings file; default: all. */
  matcher?: string;
  /** A permission rule that the tool call has to match. */
  condition?: string;
  /** Its place among the hooks; lower comes first. */
  order?: number;
  /** Its time limit in seconds. */
  timeout?: number;
  /**
   * The meaning of its failure. Default: it denies a tool call and rejects a prompt, and is reported elsewhere. `block` blocks
   * wherever a failure can, `continue` nowhere.
   */
  onFailure?: "continue" | "block";
  /** What people know it by; no two of an engine are alike. */
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
  /** Who asks, and why. */
  reason?: string;
}

/** Answers for the user: only `true` approves the call. */
export type ToolApprovalCallback = (call: ToolApproval, context: HookContext) => boolean | PromiseLike<boolean>;

/** Something that happened in the engine, as `becket serve` tells it. */
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

/** What hooks come from. */
export interface HookSources {
  /** The directory in which the session starts; default: the working directory. */
  projectRoot?: string;
  /** The dialect: which files are read, and the names of variables; default: `claude`. */
  profile?: "agent" | "claude" | "becket";
  /** More settings, or a file of them. */
  settings?: Record<string, unknown> | string;
  /** Which settings files are read; default: all. Managed ones always are. */
  settingSources?: ("user" | "project" | "local")[];
  /** The MCP servers that `mcp_tool` hooks may call, by their names, as they stand under `mcpServers` of an `.mcp.json`. */
  mcpServers?: Record<string, object>;
  /** The same as a file. No such file is looked for. */
  mcpConfig?: string;
  /** More plugins, by their directories. */
  pluginDirs?: string[];
  /** Where managed settings lie, in the place of the system's directory. */
  managedDir?: string;
  /** Whether an error in the configuration keeps the engine from being made. */
  strict?: boolean;
  /** Whether the folder is trusted, so that what it brings along may grant something. Default: true. */
  trust?: boolean;
  /** Variables that hooks and MCP servers see beside those of the process; null takes one out. */
  env?: Record<string, string | null>;
}

/** Sources of hooks, and what was found in them. Nothing of it can be changed. */
export interface HookConfig extends Readonly<HookSources> {
  readonly projectRoot: string;
  readonly profile: "agent" | "claude" | "becket";
  /** The events that a hook or a permission rule has something to say on; `PreToolUse` wherever there is a rule. */
  readonly events: readonly EventName[];
  /** What is wrong; what is good of it works. */
  readonly findings: readonly Finding[];
}

/**
 * Reads all sources: managed, the user's, the project's, the local ones, plugins, and `settings`. It blocks meanwhile, and throws
 * a `ConfigError` where the configuration forbids the start, or MCP servers can't be read; none of these is started.
 */
export function loadHookConfigFromSources(options?: HookSources): HookConfig;

export interface EngineOptions extends HookSources {
  /** Sources that were loaded, in the place of all that name one. Their files count as they are when the engine is made. */
  config?: HookConfig;
  /** The session's id, as hooks see it; default: a new one. */
  sessionId?: string;
  /** Whether a person can be asked, so that an ask stands; default: whether there is `askUser`. */
  interactive?: boolean;
  permissionMode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions";
  /** Where the conversation is stored. */
  transcriptPath?: string;
  /** Where the session keeps private files of hooks. */
  sessionDir?: string;
  /**
   * Whether events wait for `async` and `asyncRewake` hooks, whose answers then count like any other's: for a host that can't go on
   * in the background. Default: false.
   */
  waitForAsync?: boolean;
  /** A script that answers in the place of every model that a hook asks. */
  modelScript?: string;
  /** Asks the user; the key that was chosen, or null. */
  askUser?: (question: Question, context: HookContext) => string | null | PromiseLike<string | null>;
  /**
   * Answers for the user if a hook or a rule asks about a tool call: only `true` approves, and one that throws or is late denies.
   * Without it such a call is blocked, or waits in an `interactive` session.
   */
  toolApprovalCallback?: ToolApprovalCallback;
  /** How many seconds the callback has; default: 600. `Infinity` waits without a limit. */
  toolApprovalTimeout?: number;
  /** Is told all that happens. */
  onRunEvent?: (event: RunEvent) => void;
}

/** What is wrong in a configuration. */
export interface Finding {
  severity: string;
  message: string;
  [field: string]: unknown;
}

/** What a hook said, or what went wrong in it. */
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

/** What an event would run, in order of listing. */
export interface Planned {
  event: string;
  runs: PlannedHook[];
}

/** What background hooks have come to. */
export interface Background {
  background: { source: string; label: string; status: string; context: string[]; [field: string]: unknown }[];
  wakes: { source: string; label: string; reminder: string }[];
}

/** What the hooks of an event did and decided. */
export class Outcome {
  private constructor();
  /**
   * What the host does next. `wait`: a person answers first, or the session is resumed; else it is a `block`. If hooks stop the
   * agent after the event (`stop`) it is `block`, whatever became of the event itself.
   */
  readonly decision: "proceed" | "block" | "wait";
  /** Whether a person's yes would let the call run, and nobody has been asked yet. */
  readonly asks: boolean;
  /** Returns the same outcome with the person's answer: only `true` approves, and only what `asks`. */
  answered(approved: boolean): Outcome;
  /** What becomes of the event itself. */
  readonly result: "passed" | "blocked" | "waits";
  /** Whether what the event is about is held back. */
  readonly blocked: boolean;
  /** What hooks, permission rules and the person who was asked come to; null where nobody decided. */
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
  /** Whether the agent stops after the event. */
  readonly stop: boolean;
  readonly stopReason: string | null;
  /** What went wrong in hooks. */
  readonly failures: Told[];
  /** Exactly what `becket fire --json` prints; a person's answer is not in it. */
  toJSON(): Record<string, unknown>;
}

/** Holds back what hooks say while calls wait for their results. */
export class ToolBarrier {
  /** The calls that wait for their results. */
  readonly open: string[];
  readonly isOpen: boolean;
  /** The assistant has asked for these calls. */
  begin(...ids: string[]): void;
  /** What hooks have to say to the model; returns what may enter the conversation now. */
  inject(said: Outcome | string | string[]): string[];
  /** A call is answered; returns what may enter the conversation after its result. */
  answer(id: string): string[];
  /** The turn was interrupted; returns the calls that still need a result, and what enters after these. */
  interrupt(): { unanswered: string[]; context: string[] };
}

/** Runs the hooks of one session. */
export class HookEngine implements AsyncDisposable {
  /** Opens a session. It reads files, and blocks meanwhile. */
  constructor(options?: EngineOptions);
  /** Opens a session without blocking. */
  static open(options?: EngineOptions): Promise<HookEngine>;
  /** The session's id, as hooks see it. */
  readonly sessionId: string;
  /** What was wrong in the configuration when the session was opened; what was good of it works. */
  readonly findings: Finding[];
  /** How many seconds a `toolApprovalCallback` has to answer. */
  readonly toolApprovalTimeout: number;
  /** Has a function called on an event; returns what takes it out again, and says whether it was still in. */
  hook<E extends EventName>(event: E, options: HookOptions, handler: Handler<E>): () => boolean;
  hook<E extends EventName>(event: E, handler: Handler<E>): () => boolean;
  /** Runs the hooks of an event. Aborted, it ends them, and rejects once they are. */
  runEvent<E extends EventName>(
    event: E,
    ...rest: Record<never, never> extends Fields[E]
      ? [fields?: EventFields<E>, options?: { signal?: AbortSignal }]
      : [fields: EventFields<E>, options?: { signal?: AbortSignal }]
  ): Promise<Outcome>;
  /** Which hooks an event would run. */
  plan<E extends EventName>(event: E, fields: EventFields<E>): Planned;
  /** What `becket explain --json` prints. */
  explain<E extends EventName>(event: E, fields: EventFields<E>): Record<string, unknown>;
  /** What `becket check --json` prints. */
  check(): { findings: Finding[]; [field: string]: unknown };
  /** The events that a hook or a permission rule has something to say on; `PreToolUse` wherever there is a rule. */
  events(): EventName[];
  /** Takes what background hooks have come to, and what wakes an idle model. */
  background(): Background;
  /** The environment files that hooks have filled; later ones win. */
  envFiles(): string[];
  /** Reads the configuration again. */
  reload(): { findings: Finding[]; [field: string]: unknown };
  /** A barrier for the calls of one conversation. */
  toolBarrier(): ToolBarrier;
  /** Ends all that it runs; resolves once it is gone. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Everything that this package throws on purpose. */
export class BecketError extends Error {}
/** No session starts with this configuration. */
export class ConfigError extends BecketError {
  readonly findings: Finding[];
}
/** An event that can't be made of what was given: its hooks did not run. */
export class EventError extends BecketError {}
/** A hook that can't be registered. */
export class HookError extends BecketError {}
/** The engine was closed: nothing was decided. */
export class SessionClosed extends BecketError {}
