import { spawn, spawnSync } from "node:child_process"

const AGENT = "@agent"
const COMMAND = "@command"
const REFUSED = "@reason"
const LIMIT = "@limit"

// Asks Becket about one event. Whatever is not an answer is a denial.
function ask(event, cwd, session, fields) {
  return new Promise((resolve) => {
    let out = ""
    let err = ""
    let timer
    const refused = (why) => {
      clearTimeout(timer)
      resolve({ decision: "deny", reason: `${REFUSED} (${why})` })
    }
    const child = spawn(COMMAND[0], COMMAND.slice(1), { cwd, stdio: ["pipe", "pipe", "pipe"] })
    timer = setTimeout(() => {
      child.kill("SIGKILL")
      refused("it took too long")
    }, LIMIT)
    child.on("error", (error) => refused(String(error)))
    child.stdout.setEncoding("utf8").on("data", (text) => (out += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (err += text))
    child.on("close", (code) => {
      clearTimeout(timer)
      try {
        const answer = JSON.parse(out)
        if (code === 0 && answer !== null && typeof answer === "object" && !Array.isArray(answer)) return resolve(answer)
      } catch {}
      refused(err.trim() || `exit code ${code}`)
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify({ dialect: AGENT, hook_event_name: event, session_id: session, cwd, ...fields }))
  })
}

// Tells Becket about an event whose answer has nobody left to take it: the process is about to exit.
function tell(event, cwd, session, fields) {
  const input = JSON.stringify({ dialect: AGENT, hook_event_name: event, session_id: session, cwd, ...fields })
  spawnSync(COMMAND[0], COMMAND.slice(1), { cwd, input, timeout: LIMIT, stdio: ["pipe", "ignore", "ignore"] })
}

// The new input in place of the old one, in the same object.
function put(target, input) {
  for (const key of Object.keys(target)) delete target[key]
  Object.assign(target, input)
}
