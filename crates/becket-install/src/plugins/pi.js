// Written by `becket install @agent`; `becket uninstall @agent` removes it.
// @shared

export default function (pi) {
  const carried = new Map()
  const session = `pi-${process.pid}-${Date.now()}`
  let waiting = []
  let isBegun = false
  let isContinued = false
  const text = (content) => (content ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n")

  pi.on("input", async (event, context) => {
    if (event.source === "extension") return
    isContinued = false
    const answer = await ask("UserPromptSubmit", context.cwd, session, { prompt: event.text })
    if (answer.decision) {
      process.stderr.write(`${answer.reason}\n`)
      return { action: "handled" }
    }
    if (answer.context) waiting.push(answer.context)
  })
  pi.on("before_agent_start", async (event, context) => {
    if (!isBegun) {
      isBegun = true
      const answer = await ask("SessionStart", context.cwd, session, { source: "startup" })
      if (answer.context) waiting.unshift(answer.context)
    }
    const content = waiting.join("\n")
    waiting = []
    if (content) return { message: { customType: "becket", content, display: false } }
  })
  pi.on("tool_call", async (event, context) => {
    const answer = await ask("PreToolUse", context.cwd, session, {
      tool_name: event.toolName,
      tool_input: event.input ?? {},
      tool_use_id: event.toolCallId,
    })
    if (answer.decision) return { block: true, reason: answer.reason }
    if (answer.input) put(event.input, answer.input)
    if (answer.context) carried.set(event.toolCallId, answer.context)
  })
  pi.on("tool_result", async (event, context) => {
    const answer = await ask("PostToolUse", context.cwd, session, {
      tool_name: event.toolName,
      tool_input: event.input ?? {},
      tool_use_id: event.toolCallId,
      tool_response: text(event.content),
    })
    const texts = [carried.get(event.toolCallId), answer.decision && answer.reason, answer.context].filter(Boolean)
    carried.delete(event.toolCallId)
    const isReplaced = typeof answer.output === "string"
    if (!isReplaced && texts.length === 0) return
    const content = isReplaced ? [{ type: "text", text: answer.output }] : event.content ?? []
    return { content: texts.length > 0 ? [...content, { type: "text", text: texts.join("\n") }] : content }
  })
  pi.on("agent_end", async (event, context) => {
    const answer = await ask("Stop", context.cwd, session, { stop_hook_active: isContinued })
    if (answer.decision && !isContinued) {
      isContinued = true
      pi.sendUserMessage(answer.reason, { deliverAs: "followUp" })
    }
  })
  pi.on("session_shutdown", async (event, context) => {
    await ask("SessionEnd", context.cwd, session, { reason: "other" })
  })
}
