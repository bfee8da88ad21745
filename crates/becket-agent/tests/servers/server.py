"""An MCP server over stdio that answers, fails, and asks its user. Standard library only; every message it gets goes to
the file LOG."""

import json
import os
import sys

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}, "text": {"type": "string"}}}
FORM = {"type": "object", "properties": {"name": {"type": "string", "minLength": 2}}, "required": ["name"]}
LONG = "a_name_that_is_longer_than_any_model_takes_and_so_has_to_be_cut_short"
TOOLS = [
    {"name": "echo", "description": "echoes", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}},
    {"name": "picture", "inputSchema": {"type": "object"}},
    {"name": "fails", "inputSchema": {"type": "object"}},
    {"name": "hang", "inputSchema": {"type": "object"}},
    {"name": "personal", "inputSchema": {"type": "object"}, "_meta": {"anthropic/requiresUserInteraction": True}},
    {"name": "ask", "inputSchema": {"type": "object"}},
    {"name": "visit", "inputSchema": {"type": "object"}},
    {"name": LONG, "inputSchema": SCHEMA},
]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

waiting = {}
asked = 0


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(*texts, **more):
    return {"content": [{"type": "text", "text": each} for each in texts], **more}


def ask(call, **params):
    global asked
    asked += 1
    waiting[f"q{asked}"] = call
    send(id=f"q{asked}", method="elicitation/create", params={"message": "who are you?", **params})


def call(id, name, arguments):
    if name in ("echo", "personal", LONG):
        send(id=id, result=text(json.dumps(arguments)))
    elif name == "picture":
        image = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
        send(id=id, result={"content": [{"type": "text", "text": "look"}, image]})
    elif name == "fails":
        send(id=id, result=text("it did not work", isError=True))
    elif name == "ask":
        ask(id, mode="form", requestedSchema=FORM)
    elif name == "visit":
        ask(id, mode="url", url="https://example.org/login", elicitationId="e1")
    elif name != "hang":
        send(id=id, error={"code": -32602, "message": "unknown tool " + name})


def handle(message):
    id, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if method is None:
        answered = message.get("result", message.get("error"))
        send(id=waiting.pop(id), result=text(json.dumps(answered, sort_keys=True)))
    elif method == "initialize":
        info = {"name": "server.py", "version": "1"}
        send(id=id, result={"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info})
    elif method == "tools/list":
        send(id=id, result={"tools": TOOLS})
    elif method == "tools/call":
        call(id, params["name"], params.get("arguments") or {})
    elif id is not None:
        send(id=id, error={"code": -32601, "message": "unknown method " + str(method)})


for line in sys.stdin:
    with open(os.environ["LOG"], "a") as log:
        log.write(line)
    handle(json.loads(line))
