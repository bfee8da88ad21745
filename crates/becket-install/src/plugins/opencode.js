// Written by `becket install @agent`; `becket uninstall @agent` removes it.
// @shared

// The result of a server's tool is a list of contents, that of every other tool a text.
const isList = (result) => typeof result.output !== "string" && Array.isArray(result.content)

function textOf(result) {
  if (!isList(result)) return result.output ?? ""
  return result.content.map((part) => part.text ?? part.resource?.text).filter(Boolean).join("\n")
}

function replace(result, text) {
  if (isList(result)) {
    result.content = [{ type: "text", text }]
  } else {
    result.output = text
    delete result.attachments
  }
}

function append(result, text) {
  if (isList(result)) result.content = [...result.content, { type: "text", text }]
  else result.output = [result.output, text].join("\n")
}

export const Becket = async ({ client, directory }) => {
  const carried = new Map()
  const begun = new Set()
  const continued = new Set()
  process.once("exit", () => {
    for (const session of begun) tell("SessionEnd", directory, session, { reason: "other" })
  })
  return {
    "tool.execute.before": async (call, output) => {
      const answer = await ask("PreToolUse", directory, call.sessionID, {
        tool_name: call.tool,
        tool_input: output.args ?? {},
        tool_use_id: call.callID,
      })
      if (answer.decision) throw new Error(answer.reason)
      if (answer.input) put(output.args, answer.input)
      if (answer.context) carried.set(call.callID, answer.context)
    },
    "tool.execute.after": async (call, output) => {
      const result = output ?? {}
      const answer = await ask("PostToolUse", directory, call.sessionID, {
        tool_name: call.tool,
        tool_input: call.args ?? {},
        tool_use_id: call.callID,
        tool_response: textOf(result),
      })
      const texts = [carried.get(call.callID), answer.decision && answer.reason, answer.context].filter(Boolean)
      carried.delete(call.callID)
      if (typeof answer.output === "string") replace(result, answer.output)
      if (texts.length > 0) append(result, texts.join("\n"))
    },
    "chat.message": async (message, output) => {
      const session = message.sessionID
      const texts = []
      const parts = (output.parts ?? []).filter((part) => part.type === "text")
      if (!begun.has(session)) {
        begun.add(session)
        const answer = await ask("SessionStart", directory, session, { source: "startup" })
        if (answer.context) texts.push(answer.context)
      }
      continued.delete(session)
      const prompt = parts.map((part) => part.text).join("\n")
      const answer = await ask("UserPromptSubmit", directory, session, { prompt })
      if (answer.decision) throw new Error(answer.reason)
      if (answer.context) texts.push(answer.context)
      if (texts.length > 0 && parts.length > 0) parts[0].text = [parts[0].text, ...texts].join("\n\n")
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.deleted" && begun.delete(session)) {
        await ask("SessionEnd", directory, session, { reason: "other" })
      }
      if (event.type !== "session.idle" || !begun.has(session)) return
      const answer = await ask("Stop", directory, session, { stop_hook_active: continued.has(session) })
      if (answer.decision && !continued.has(session)) {
        continued.add(session)
        const body = { parts: [{ type: "text", text: answer.reason }] }
        await client.session.prompt({ path: { id: session }, body })
      }
    },
  }
}
