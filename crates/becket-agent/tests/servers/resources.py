"""An MCP server over stdio with resources, and no tools. Standard library only; the URI of each read goes to the file LOG, if
that is set. Without the argument `resources` it offers none."""

import base64
import json
import os
import sys

OFFERED = "resources" in sys.argv
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
RESOURCES = [
    {"uri": "note://1", "name": "one", "mimeType": "text/plain", "description": "the first note"},
    {"uri": "note://both", "name": "both"},
    {"uri": "note://long", "name": "long"},
    {"uri": "ui://panel", "name": "panel", "mimeType": "text/html"},
]


def contents(uri):
    if uri == "note://both":
        data = base64.b64encode(b"\x00\x01zip").decode()
        return [
            {"uri": uri, "mimeType": "image/png", "blob": PIXEL},
            {"uri": uri, "mimeType": "application/zip", "blob": data},
            {"uri": uri, "blob": "no base64!"},
            {"uri": uri, "text": "and a text"},
        ]
    if uri == "note://long":
        return [{"uri": uri, "text": "long " * 100_000}]
    if uri == "ui://panel":
        return [{"uri": uri, "mimeType": "text/html", "text": "<p>hi</p>", "_meta": {"a": 1}}]
    if uri == "note://none":
        return []
    return [{"uri": uri, "mimeType": "text/plain", "text": "text of " + uri}]


def answer(method, params):
    if method == "initialize":
        capabilities = {"resources": {}} if OFFERED else {}
        info = {"name": "resources.py", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": capabilities, "serverInfo": info}
    if method == "resources/list":
        return {"resources": RESOURCES}
    if method == "resources/templates/list":
        return {"resourceTemplates": []}
    if method == "resources/read":
        if "LOG" in os.environ:
            with open(os.environ["LOG"], "a") as log:
                log.write(params["uri"] + "\n")
        return {"contents": contents(params["uri"])}
    return {"tools": []} if method == "tools/list" else {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
