"""An MCP server over stdio with one tool: `secrets` reads a text and denies it where it holds a key.

It speaks JSON-RPC, one message a line: what comes on stdin is answered on stdout.
"""

import json
import re
import sys

KEYS = {
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "an access key of AWS": re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
}

TOOL = {
    "name": "secrets",
    "description": "Denies a text that holds a key.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


def secrets(text):
    """The answer of a hook: a denial, or nothing."""
    found = [name for name, pattern in KEYS.items() if pattern.search(text)]
    if not found:
        return ""
    reason = f"the text holds {' and '.join(found)}"
    denial = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **denial}})


def result(method, params):
    """What a request is answered; None for one that this server does not know."""
    if method == "initialize":
        server = {"name": "review", "version": "1.0.0"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call" and params["name"] == "secrets":
        return {"content": [{"type": "text", "text": secrets(params["arguments"]["text"])}]}
    return {} if method == "ping" else None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue  # a notification asks for nothing
    answer = result(message["method"], message.get("params", {}))
    unknown = {"error": {"code": -32601, "message": f"unknown method {message['method']}"}}
    said = unknown if answer is None else {"result": answer}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}), flush=True)
