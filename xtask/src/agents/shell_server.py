"""An MCP server with a shell: what the gateway guards when agents are run behind it."""

import json
import subprocess
import sys

TEXT = {"type": "string"}
TOOLS = {"run": ["command"], "write": ["file_path", "content"]}


def tool(name):
    keys = TOOLS[name]
    schema = {"type": "object", "properties": dict.fromkeys(keys, TEXT), "required": keys}
    return {"name": name, "description": name, "inputSchema": schema}


def call(params):
    given = params["arguments"]
    if params["name"] == "write":
        with open(given["file_path"], "w", encoding="utf-8") as file:
            file.write(given["content"])
        text = "written"
    else:
        ended = subprocess.run(["sh", "-c", given["command"]], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        text = ended.stdout + ended.stderr
    return {"content": [{"type": "text", "text": text}]}


def answer(method, params):
    if method == "initialize":
        info = {"name": "shell", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [tool(name) for name in TOOLS]}
    return call(params) if method == "tools/call" else {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
