"""An MCP server over stdio that keeps notes: two tools, a resource and a prompt.

It speaks JSON-RPC, one message a line: what comes on stdin is answered on stdout. The notes are in `notes.txt`.
"""

import json
import pathlib
import sys

FILE = pathlib.Path("notes.txt")
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS = [
    {"name": "add", "description": "Adds a note.", "inputSchema": TEXT, "annotations": {"destructiveHint": False}},
    {"name": "clear", "description": "Forgets all notes.", "inputSchema": {"type": "object"}},
]
RESOURCE = {"uri": "notes://all", "name": "all notes", "mimeType": "text/plain"}
ABOUT = {"name": "about", "description": "what they are about", "required": True}
PROMPT = {"name": "summary", "description": "A summary of the notes.", "arguments": [ABOUT]}


def notes():
    return FILE.read_text() if FILE.exists() else ""


def text(said):
    return {"type": "text", "text": said}


def call(name, arguments):
    if name == "add":
        FILE.write_text(notes() + arguments["text"] + "\n")
        return {"content": [text(f"noted: {arguments['text']}")]}
    if not notes():
        return {"content": [text("there are no notes")], "isError": True}
    FILE.unlink()
    return {"content": [text("all notes are gone")]}


def result(method, params):
    """What a request is answered; None for one that this server does not know."""
    if method == "initialize":
        capabilities = {"tools": {}, "resources": {}, "prompts": {}}
        server = {"name": "notes", "version": "1.0.0"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": capabilities, "serverInfo": server}
    if method == "tools/call" and params["name"] in ("add", "clear"):
        return call(params["name"], params.get("arguments", {}))
    if method == "resources/read" and params["uri"] == RESOURCE["uri"]:
        return {"contents": [{"uri": RESOURCE["uri"], "mimeType": "text/plain", "text": notes()}]}
    if method == "prompts/get" and params["name"] == "summary":
        asked = text(f"Sum up what these notes say about {params['arguments']['about']}:\n{notes()}")
        return {"messages": [{"role": "user", "content": asked}]}
    lists = {
        "tools/list": {"tools": TOOLS},
        "resources/list": {"resources": [RESOURCE]},
        "resources/templates/list": {"resourceTemplates": []},
        "prompts/list": {"prompts": [PROMPT]},
        "ping": {},
    }
    return lists.get(method)


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue  # a notification asks for nothing
    answer = result(message["method"], message.get("params", {}))
    unknown = {"error": {"code": -32601, "message": f"unknown method {message['method']}"}}
    said = unknown if answer is None else {"result": answer}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}), flush=True)
