"""An agent that follows the prompts it gets: each line of a prompt is a JSON message, sent as it is, or a word.

`ask` before a message waits for its answer and reports it; `say TEXT` is a chunk of the agent's message. Every line that it
gets is appended to the file in LOG.
"""

import json
import os
import sys

LOG = open(os.environ["LOG"], "a")


def send(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def receive():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    LOG.write(line)
    LOG.flush()
    return json.loads(line)


def update(session, **what):
    send(json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": what}}))


def say(session, text):
    update(session, sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


def answered(id):
    while True:
        message = receive()
        if message.get("id") == id and "method" not in message:
            return message
        if message.get("method") == "session/cancel":
            return {"cancelled": True}


def follow(session, line):
    """Does one line; true if the turn was cancelled."""
    if line.startswith("ask "):
        message = json.loads(line[4:])
        send(line[4:])
        answer = answered(message.get("id"))
        if answer.get("cancelled"):
            return True
        say(session, "answer " + json.dumps(answer.get("result", answer.get("error"))))
    elif line.startswith("{"):
        send(line)
    elif line.startswith("raw "):
        send(line[4:])
    elif line == "die":
        os._exit(7)
    elif line == "wait":
        receive()
        return True
    else:
        say(session, "heard " + line)
    return False


def prompt(params):
    lines = [line for block in params["prompt"] for line in block.get("text", "").split("\n")]
    for line in lines:
        if follow(params["sessionId"], line):
            return {"stopReason": "cancelled"}
    return {"stopReason": "end_turn"}


def result(message):
    method, params = message["method"], message.get("params") or {}
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "agentCapabilities": {"loadSession": True}}
    if method == "session/new":
        return {"sessionId": os.environ.get("SESSION", "s1")}
    if method == "session/prompt":
        return prompt(params)
    return {"method": method}


while True:
    message = receive()
    if "id" in message and "method" in message:
        if (message.get("params") or {}).get("fails"):
            answer = {"error": {"code": -32002, "message": "it is gone"}}
        else:
            answer = {"result": result(message)}
        send(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}))
