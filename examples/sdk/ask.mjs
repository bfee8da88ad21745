import { query } from "@anthropic-ai/claude-agent-sdk";

const options = { pathToClaudeCodeExecutable: "becket" };
for await (const message of query({ prompt: "What does the till do?", options })) {
  if (message.type === "result") process.stdout.write(message.result);
}
