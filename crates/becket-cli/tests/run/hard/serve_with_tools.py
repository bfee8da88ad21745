"""Serves a small model on the loopback, as servers with an interface like OpenAI's do, tools included.

Usage: serve_with_tools.py MODEL.gguf. Prints `PORT <n>` once it listens, and ends when its standard input does.

The model has no template for tools, and does what such servers do with such models: as long as nothing has been called, it
writes under a grammar that lets nothing through but the call of a tool that was offered, its input by that tool's schema.
What it puts there is its own. Once a tool has answered, it writes as it likes, within a few dozen tokens.
"""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import xllamacpp

LONGEST_CALL = 120
LONGEST_ANSWER = 40


def model(path):
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    return xllamacpp.Server(params)


def plain(message):
    """A message in words alone: the template knows no tools."""
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "\n".join(part.get("text", "") for part in content)
    if message["role"] == "tool":
        return {"role": "user", "content": "The tool answers: " + content}
    for call in message.get("tool_calls") or []:
        content += "\nI call " + call["function"]["name"] + " with " + call["function"]["arguments"]
    return {"role": message["role"], "content": content.strip() or "."}


def narrowed(parameters):
    """What a call must have, and nothing else; texts of a few words."""
    wanted = {name: dict(parameters["properties"][name]) for name in parameters.get("required", [])}
    for field in wanted.values():
        if field.get("type") == "string":
            field["maxLength"] = 40
    return {"type": "object", "properties": wanted, "required": list(wanted), "additionalProperties": False}


def call_schema(tools):
    def one(tool):
        function = tool["function"]
        fields = {"name": {"const": function["name"]}, "arguments": narrowed(function["parameters"])}
        return {"type": "object", "properties": fields, "required": ["name", "arguments"], "additionalProperties": False}

    return {"anyOf": [one(tool) for tool in tools]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("/chat/completions") or not asked.get("stream"):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        with self.server.one_at_a_time:
            delta, finish, usage = self.answer(asked)
        self.chunk({"choices": [{"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}]})
        self.chunk({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        self.chunk({"choices": [], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def answer(self, asked):
        messages = [plain(message) for message in asked["messages"]]
        request = {"messages": messages, "temperature": 0, "max_tokens": LONGEST_ANSWER}
        calls = asked.get("tools") and not any(message["role"] == "tool" for message in asked["messages"])
        if calls:
            schema = {"name": "call", "schema": call_schema(asked["tools"])}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
            request["max_tokens"] = LONGEST_CALL
        answer = self.server.model.handle_chat_completions(request)
        content, usage = answer["choices"][0]["message"]["content"], answer["usage"]
        if not calls:
            return {"content": content}, "stop", usage
        call = json.loads(content)
        function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        return {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}, "tool_calls", usage

    def chunk(self, fields):
        line = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "small", **fields}
        self.wfile.write(f"data: {json.dumps(line)}\n\n".encode())

    def log_message(self, *_):
        pass


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.model = model(sys.argv[1])
    server.one_at_a_time = threading.Lock()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"PORT {server.server_address[1]}", flush=True)
    sys.stdin.buffer.read()
    # Without the library's own way to stop, which waits for requests under way.
    os._exit(0)


main()
