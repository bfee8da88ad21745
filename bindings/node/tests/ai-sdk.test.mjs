import assert from "node:assert/strict";
import { test } from "node:test";
import { command, engine } from "./support.mjs";

const skip = process.env.BECKET_TEST_NODE_SKIP;
const { ToolLoopAgent, generateText, isStepCount, jsonSchema, streamText, tool } = skip ? {} : await import("ai");
const { MockLanguageModelV4, simulateReadableStream } = skip ? {} : await import("ai/test");
const { withHooks } = skip ? {} : await import("becket/ai-sdk");

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const calls = (...lines) => ({
  content: lines.map((line, nth) => ({
    type: "tool-call",
    toolCallId: `call_${line}_${nth}`,
    toolName: "Bash",
    input: JSON.stringify({ command: line }),
  })),
  finishReason: { unified: "tool-calls", raw: undefined },
  usage,
  warnings: [],
});
const says = (text) => ({
  content: [{ type: "text", text }],
  finishReason: { unified: "stop", raw: undefined },
  usage,
  warnings: [],
});

/** Runs a model that calls Bash with each of these lines and then ends; returns the results of the calls. */
function agent(t, { lines = ["ls"], hooks = {}, options = {}, settings = {}, beside, execute } = {}) {
  const made = engine(t, options);
  for (const [event, handler] of Object.entries(hooks)) made.hook(event, handler);
  const ran = [];
  const model = new MockLanguageModelV4({ doGenerate: [calls(...lines), says("done"), says("again")] });
  const inputSchema = jsonSchema(
    { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    { validate: (value) => (typeof value.command === "string" ? { success: true, value } : { success: false, error: new Error("no command") }) },
  );
  const Bash = tool({
    inputSchema,
    execute: async (input, context) => {
      ran.push(input.command);
      return execute === undefined ? `ran ${input.command}` : execute(input, context);
    },
  });
  const all = withHooks(made, { model, tools: { Bash }, prompt: "go", stopWhen: isStepCount(5), ...settings }, beside);
  return { all, model, ran, second: () => model.doGenerateCalls[1]?.prompt };
}

const results = (prompt) => prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content).map(({ output }) => output);

// rules: L1, D2
test("a denied call does not run, and the model reads why", { skip }, async (t) => {
  const one = agent(t, { options: { settings: command("PreToolUse", "echo 'not on a Friday' >&2; exit 2") } });
  const { text } = await generateText(one.all);
  assert.deepEqual([one.ran, text], [[], "done"]);
  assert.deepEqual(results(one.second()), [{ type: "execution-denied", reason: "not on a Friday" }]);
  const direct = one.all.tools.Bash.execute({ command: "ls" }, { toolCallId: "direct", messages: [] });
  await assert.rejects(direct, /not on a Friday/);
  assert.deepEqual(one.ran, []);
});

// rules: D4, D9
test("a tool runs on the rewritten input, which has to fit it", { skip }, async (t) => {
  const rewriting = (updatedInput) => ({ PreToolUse: () => ({ permissionDecision: "allow", updatedInput }) });
  const good = agent(t, { hooks: rewriting({ command: "ls -l" }) });
  await generateText(good.all);
  assert.deepEqual(good.ran, ["ls -l"]);
  const bad = agent(t, { hooks: rewriting({ command: 5 }) });
  await generateText(bad.all);
  assert.deepEqual(bad.ran, []);
  assert.match(JSON.stringify(results(bad.second())), /a hook rewrote the input/);
});

// rules: L1, D11
test("PostToolUse sees the result and may replace it; a failure has its own event", { skip }, async (t) => {
  const seen = [];
  const PostToolUse = (input) => {
    seen.push(input.tool_response, input.tool_input.command);
    return { updatedToolOutput: "hidden" };
  };
  const one = agent(t, { hooks: { PostToolUse } });
  await generateText(one.all);
  assert.deepEqual(seen, ["ran ls", "ls"]);
  assert.match(JSON.stringify(results(one.second())), /hidden/);
  const errors = [];
  const failing = agent(t, {
    hooks: { PostToolUseFailure: (input) => { errors.push(input.error); } },
    execute: () => { throw new Error("no disk"); },
  });
  await generateText(failing.all);
  assert.deepEqual(errors, ["no disk"]);
  assert.match(JSON.stringify(results(failing.second())), /no disk/);
});

// rule: L2
test("what hooks say enters after the last result of a step, in order", { skip }, async (t) => {
  const one = agent(t, { lines: ["a", "b"], hooks: { PostToolUse: (input) => ({ additionalContext: `after ${input.tool_input.command}` }) } });
  await generateText(one.all);
  assert.deepEqual(one.second().map(({ role }) => role), ["user", "assistant", "tool", "user", "user"]);
  assert.equal(results(one.second()).length, 2);
  const context = one.second().slice(3).map(({ content }) => content[0].text);
  assert.deepEqual(context.sort(), ["after a", "after b"]);
});

// rule: D6
test("a stop ends the loop, with an end of the caller's and without", { skip }, async (t) => {
  const hooks = { PostToolUse: () => ({ continue: false, stopReason: "enough" }) };
  const one = agent(t, { hooks });
  await generateText(one.all);
  assert.equal(one.model.doGenerateCalls.length, 1);
  const { all, model } = agent(t, { hooks, settings: { stopWhen: undefined, prompt: undefined } });
  await new ToolLoopAgent(all).generate({ prompt: "go" });
  assert.deepEqual(model.doGenerateCalls[1].toolChoice, { type: "none" });
});

// rule: D3
test("an ask waits for the user, and the approved call runs under the hooks again", { skip }, async (t) => {
  let decision = "ask";
  const one = agent(t, { options: { interactive: true }, hooks: { PreToolUse: () => ({ permissionDecision: decision }) } });
  const first = await generateText(one.all);
  assert.deepEqual(one.ran, []);
  const request = first.content.find(({ type }) => type === "tool-approval-request");
  const approval = { role: "tool", content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: true }] };
  const messages = [{ role: "user", content: "go" }, ...first.responseMessages ?? first.response.messages, approval];
  await generateText({ ...one.all, prompt: undefined, messages });
  assert.deepEqual(one.ran, ["ls"]);
  decision = "deny";
  await generateText({ ...one.all, prompt: undefined, messages });
  assert.deepEqual(one.ran, ["ls"]);
});

// rule: D3
test("an ask reaches the approval callback, and only true is a yes", { skip }, async (t) => {
  for (const interactive of [false, true]) {
    for (const [answer, ran] of [[true, ["ls"]], [false, []], ["yes", []], [undefined, []], [new Error("x"), []]]) {
      const asked = [];
      const toolApprovalCallback = async (call) => {
        asked.push(call);
        if (answer instanceof Error) throw answer;
        return answer;
      };
      const PreToolUse = () => ({ permissionDecision: "ask", reason: "sure?" });
      const one = agent(t, { options: { interactive }, hooks: { PreToolUse }, beside: { toolApprovalCallback } });
      await generateText(one.all);
      assert.deepEqual([one.ran, asked.length], [ran, 1]);
      assert.deepEqual([asked[0].toolName, asked[0].toolInput], ["Bash", { command: "ls" }]);
      assert.match(asked[0].reason, /sure\?/);
    }
  }
  const PreToolUse = () => ({ permissionDecision: "deny", reason: "no" });
  const denied = agent(t, { hooks: { PreToolUse }, beside: { toolApprovalCallback: () => true } });
  await generateText(denied.all);
  assert.deepEqual(denied.ran, []);
  const unasked = agent(t, { hooks: { PreToolUse: () => ({ permissionDecision: "ask" }) } });
  await generateText(unasked.all);
  assert.deepEqual(unasked.ran, []);
});

// rule: D3
test("the engine's own callback is asked, once, and a late one says no", { skip }, async (t) => {
  const PreToolUse = () => ({ permissionDecision: "ask", reason: "sure?" });
  for (const [answer, ran] of [[true, ["ls"]], [false, []]]) {
    let asked = 0;
    const toolApprovalCallback = () => {
      asked += 1;
      return answer;
    };
    const beside = { toolApprovalCallback: () => assert.fail("the engine has asked") };
    const one = agent(t, { options: { toolApprovalCallback }, hooks: { PreToolUse }, beside });
    await generateText(one.all);
    assert.deepEqual([one.ran, asked], [ran, 1]);
  }
  const beside = { toolApprovalCallback: (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(true))) };
  const late = agent(t, { options: { toolApprovalTimeout: 0.1 }, hooks: { PreToolUse }, beside });
  await generateText(late.all);
  assert.deepEqual(late.ran, []);
});

// rule: D3
test("nothing runs that is approved after an abort, or after the end of the session", { skip }, async (t) => {
  const PreToolUse = () => ({ permissionDecision: "ask", reason: "sure?" });
  for (const by of ["engine", "adapter"]) {
    const abort = new AbortController();
    const toolApprovalCallback = (_, { signal }) => {
      const answer = new Promise((resolve) => signal.addEventListener("abort", () => resolve(true)));
      abort.abort(new Error("enough"));
      return answer;
    };
    const asks = { toolApprovalCallback };
    const options = by === "engine" ? asks : {};
    const settings = { abortSignal: abort.signal };
    const one = agent(t, { options, hooks: { PreToolUse }, settings, beside: by === "adapter" ? asks : {} });
    await assert.rejects(generateText(one.all), /enough/);
    assert.deepEqual(one.ran, [], by);
  }
  const made = engine(t);
  made.hook("PreToolUse", PreToolUse);
  const toolApprovalCallback = async () => {
    await made.close();
    return true;
  };
  const one = agent(t);
  const ran = [];
  const Bash = tool({ inputSchema: jsonSchema({ type: "object" }), execute: () => { ran.push("ran"); } });
  const all = withHooks(made, { model: one.model, tools: { Bash }, prompt: "go", stopWhen: isStepCount(1) }, { toolApprovalCallback });
  const { content } = await generateText(all);
  assert.deepEqual(ran, []);
  assert.match(String(content.find(({ type }) => type === "tool-error")?.error), /closed/);
});

// rules: D3, P14
test("in `dontAsk` the adapter asks nobody", { skip }, async (t) => {
  const beside = { toolApprovalCallback: () => assert.fail("nobody is to be asked") };
  const hooks = { PreToolUse: () => ({ permissionDecision: "ask" }) };
  for (const interactive of [false, true]) {
    const one = agent(t, { options: { interactive, permissionMode: "dontAsk" }, hooks, beside });
    await generateText(one.all);
    assert.deepEqual(one.ran, []);
  }
});

// rules: D3, P11
test("an ask rule is asked about, and an approved call runs on the rewrite that was shown", { skip }, async (t) => {
  const settings = { permissions: { ask: ["Bash"] } };
  const shown = [];
  const beside = { toolApprovalCallback: ({ toolInput }) => shown.push(toolInput.command) > 0 };
  const ruled = agent(t, { options: { settings }, beside });
  await generateText(ruled.all);
  const rewritten = agent(t, { hooks: { PreToolUse: () => ({ permissionDecision: "ask", updatedInput: { command: "ls -l" } }) }, beside });
  await generateText(rewritten.all);
  assert.deepEqual([ruled.ran, rewritten.ran, shown], [["ls"], ["ls -l"], ["ls", "ls -l"]]);
  const unasked = agent(t, { options: { settings } });
  await generateText(unasked.all);
  assert.deepEqual(unasked.ran, []);
});

test("the caller's own approval, step and end count beside the hooks", { skip }, async (t) => {
  const denying = agent(t, { settings: { toolApproval: { Bash: { type: "denied", reason: "mine" } } } });
  await generateText(denying.all);
  assert.deepEqual(denying.ran, []);
  const stepping = agent(t, { hooks: { PreToolUse: () => ({ additionalContext: "c" }) }, settings: { prepareStep: () => ({ providerOptions: { own: { set: 1 } } }) } });
  await generateText(stepping.all);
  assert.deepEqual(stepping.model.doGenerateCalls[1].providerOptions, { own: { set: 1 } });
  assert.equal(stepping.second().at(-1).content[0].text, "c");
});

// rule: H9
test("a hook that fails denies the call, and an engine that is closed lets nothing run", { skip }, async (t) => {
  const failing = agent(t, { hooks: { PreToolUse: () => { throw new Error("broke"); } } });
  await generateText(failing.all);
  assert.deepEqual(failing.ran, []);
  const made = engine(t);
  await made.close();
  const closed = agent(t);
  const all = withHooks(made, { ...closed.all, toolApproval: undefined });
  await assert.rejects(generateText(all), { name: "SessionClosed" });
  assert.deepEqual(closed.ran, []);
});

test("a stream has the same hooks", { skip }, async (t) => {
  const one = agent(t, { hooks: { PreToolUse: () => ({ permissionDecision: "deny", reason: "no streams" }) } });
  const { content: [call], finishReason } = calls("ls");
  const chunks = [{ type: "stream-start", warnings: [] }, call, { type: "finish", finishReason, usage }];
  const model = new MockLanguageModelV4({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
  const result = streamText({ ...one.all, model, stopWhen: isStepCount(1) });
  await result.consumeStream();
  assert.deepEqual(one.ran, []);
  assert.match(JSON.stringify((await result.response).messages), /no streams/);
});

/** Two calls with one id, as some models number them. */
function twice(one, first, second) {
  const both = calls(first, second);
  for (const part of both.content) part.toolCallId = "call_0";
  one.all.model = new MockLanguageModelV4({ doGenerate: [both, says("done")] });
  return generateText(one.all);
}

// rules: D4, D9
test("each of two calls with one id runs on what was said of it", { skip }, async (t) => {
  const PreToolUse = ({ tool_input }) =>
    tool_input.command === "wide" ? { permissionDecision: "allow", updatedInput: { command: "narrow" } } : null;
  const one = agent(t, { hooks: { PreToolUse } });
  await twice(one, "wide", "ls");
  assert.deepEqual(one.ran.sort(), ["ls", "narrow"]);
});

// rule: D3
test("where a hook asks, nothing runs that the SDK has not put to the user", { skip }, async (t) => {
  const one = agent(t, { options: { interactive: true }, hooks: { PreToolUse: () => ({ permissionDecision: "ask", reason: "sure?" }) } });
  await assert.rejects(one.all.tools.Bash.execute({ command: "ls" }, { toolCallId: "c", messages: [] }), /sure\?/);
  await generateText(one.all);
  const { toolApproval, ...others } = one.all;
  await generateText({ ...others, model: new MockLanguageModelV4({ doGenerate: [calls("ls"), says("done")] }) });
  assert.deepEqual(one.ran, []);
});

// rule: D6
test("after a stop no other call of the step runs, and the next prompt begins anew", { skip }, async (t) => {
  const PreToolUse = ({ tool_input }) => (tool_input.command === "a" ? { continue: false, stopReason: "enough" } : null);
  const one = agent(t, { lines: ["a", "b"], hooks: { PreToolUse } });
  await generateText(one.all);
  assert.deepEqual(one.ran, []);
  const model = new MockLanguageModelV4({ doGenerate: [calls("c"), says("done")] });
  await generateText({ ...one.all, model });
  assert.deepEqual(one.ran, ["c"]);
});

// rule: D4
test("a rewrite that can't be brought to a tool is a denial", { skip }, async (t) => {
  const one = agent(t, { hooks: { PreToolUse: () => ({ permissionDecision: "allow", updatedInput: { command: "ls" } }) } });
  const elsewhere = tool({ inputSchema: jsonSchema({ type: "object" }) });
  const all = withHooks(engine(t), { ...one.all, tools: { Bash: elsewhere } });
  const { toolApproval } = one.all;
  const { steps } = await generateText({ ...all, toolApproval });
  assert.match(JSON.stringify(steps[0].content), /runs elsewhere/);
});

// rule: D11
test("what a hook says of a failure reaches the model", { skip }, async (t) => {
  const one = agent(t, {
    hooks: { PostToolUseFailure: () => ({ decision: "block", reason: "look at the disk" }) },
    execute: () => { throw new Error("no disk"); },
  });
  await generateText(one.all);
  assert.equal(one.second().at(-1).content[0].text, "look at the disk");
});

test("a result that is no JSON is told in words, and comes back as it is", { skip }, async (t) => {
  const seen = [];
  const one = agent(t, { hooks: { PostToolUse: (input) => { seen.push(input.tool_response); } }, execute: () => new Map([["a", 1]]) });
  await generateText(one.all);
  assert.deepEqual(seen, ["Map(1) { 'a' => 1 }"]);
});

test("tools that an agent's `prepareCall` brings are guarded, too", { skip }, async (t) => {
  const one = agent(t, { hooks: { PreToolUse: () => ({ permissionDecision: "deny", reason: "no" }) } });
  const ran = [];
  const Bash = tool({ inputSchema: jsonSchema({ type: "object" }), execute: () => { ran.push("bare"); } });
  const prepareCall = (options) => ({ ...options, tools: { Bash }, toolApproval: undefined });
  const all = withHooks(engineOf(t), { ...one.all, toolApproval: undefined, prepareStep: undefined, tools: {}, prompt: undefined, prepareCall });
  await new ToolLoopAgent(all).generate({ prompt: "go" });
  assert.deepEqual(ran, []);
});

/** An engine that denies every call. */
function engineOf(t) {
  const made = engine(t);
  made.hook("PreToolUse", () => ({ permissionDecision: "deny", reason: "no" }));
  return made;
}
