"""An MCP server over stdio that behaves as its arguments say: well, or in one of the ways that servers misbehave.

Standard library only, JSON lines by hand: nothing may come between the test and the wire. With LOG in the environment
every message it gets is appended to that file.
"""

import json
import os
import signal
import subprocess
import sys
import time

FLAGS = set(sys.argv[1:])
SLEEPER = [sys.executable, "-c", "import time; time.sleep(1000)"]
tools = ["echo", "text", "mixed", "null", "environment", "refuse", "hang", "die", "line", "burst", "noise", "banner",
         "unknown_block", "no_id", "bad_answer", "deep", "input_required", "late", "grow", "child", "heir", "leaver", "daemon",
         "close_stdout", "close_stdin", "stop_reading", "fails", "empty", "strange"]
if "--progress" in FLAGS:
    tools.append("progress")


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(id, result):
    send({"jsonrpc": "2.0", "id": id, "result": result})


def refuse(id, code, message):
    send({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})


def text(*texts, **more):
    return {"content": [{"type": "text", "text": each} for each in texts], **more}


def note(event):
    """Into the log, as if it were a message."""
    with open(os.environ["LOG"], "a") as file:
        file.write(json.dumps({"method": event}) + "\n")


def sleeper(**how):
    subprocess.Popen(SLEEPER, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **how)


def daemon():
    """Somebody who is nobody's child, in a session of their own."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nothing, number)
            os.execv(SLEEPER[0], SLEEPER)
        os._exit(0)
    os.wait()


def stop_forever():
    while True:
        time.sleep(1000)


def call(id, name, arguments, meta):
    if name == "echo":
        answer(id, text(json.dumps(arguments), structuredContent={"got": arguments}))
    elif name == "text":
        answer(id, text("one", "two"))
    elif name == "mixed":
        image = {"type": "image", "data": "eA==", "mimeType": "image/png"}
        link = {"type": "resource_link", "uri": "file:///a", "name": "a"}
        embedded = {"type": "resource", "resource": {"uri": "file:///b", "text": "b"}}
        answer(id, {"content": [image, {"type": "text", "text": "t"}, link, embedded]})
    elif name == "null":
        answer(id, {"content": [], "structuredContent": None})
    elif name == "unknown_block":
        blocks = [{"type": "text", "text": "known"}, {"type": "hologram", "depth": 3}]
        answer(id, {"content": blocks, "isError": True})
    elif name == "environment":
        who = {"environment": dict(os.environ), "cwd": os.getcwd(), "leads": os.getpid() == os.getsid(0)}
        answer(id, text(json.dumps(who)))
    elif name == "fails":
        answer(id, text("it did not work", isError=True))
    elif name == "refuse":
        refuse(id, -32602, "no such thing")
    elif name == "no_id":
        send({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "could not read that"}})
    elif name == "bad_answer":
        send({"jsonrpc": "2.0", "id": id, "error": "not an object"})
    elif name == "deep":
        sys.stdout.write('{"jsonrpc":"2.0","id":%d,"result":%s1%s}\n' % (id, "[" * 5000, "]" * 5000))
        sys.stdout.flush()
    elif name == "empty":
        answer(id, {})
    elif name == "strange":
        answer(id, {"tools": []})
    elif name == "input_required":
        answer(id, {"resultType": "input_required", "requestState": "s"})
    elif name == "line":
        answer(id, text("x" * arguments["size"]))
    elif name == "burst":
        for _ in range(arguments["lines"]):
            sys.stdout.write("x" * arguments["size"] + "\n")
        answer(id, text("after the burst"))
    elif name == "noise":
        for _ in range(arguments["chunks"]):
            sys.stderr.write("noise " * 1000)
        sys.stderr.write("the end of the noise\n")
        sys.stderr.flush()
        answer(id, text("made noise"))
    elif name == "banner":
        print("Server ready", flush=True)
        print("{not json", flush=True)
        print("\r", flush=True)
        answer(id, text("after the banner"))
    elif name == "late":
        time.sleep(arguments["seconds"])
        answer(id, text("late"))
    elif name == "grow":
        tools.append("grown")
        send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        answer(id, text("grew"))
    elif name == "grown":
        answer(id, text("I am new"))
    elif name == "child":
        sleeper()
        answer(id, text("made a child"))
    elif name == "heir":
        subprocess.Popen(SLEEPER)
        answer(id, text("made a child that holds my pipes"))
    elif name == "leaver":
        sleeper(start_new_session=True)
        answer(id, text("made a child that left"))
    elif name == "daemon":
        daemon()
        answer(id, text("made a daemon"))
    elif name == "close_stdout":
        os.close(1)
        stop_forever()
    elif name == "close_stdin":
        os.close(0)
        answer(id, text("closed stdin"))
        stop_forever()
    elif name == "stop_reading":
        answer(id, text("not reading"))
        stop_forever()
    elif name == "die":
        sys.stderr.write("dying as told\n")
        sys.stderr.flush()
        os._exit(arguments.get("code", 3))
    elif name == "progress":
        for step in range(1, arguments["steps"] + 1):
            told = {"progressToken": meta["progressToken"], "progress": step, "total": arguments["steps"]}
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {**told, "message": f"step {step}"}})
        while not os.path.exists(arguments["until"]):
            time.sleep(0.01)
        answer(id, text("progressed"))
    elif name == "hang":
        pass
    else:
        refuse(id, -32602, "unknown tool " + name)


def listed(id, params):
    if "--hang-list" in FLAGS:
        return
    if "--same-cursor" in FLAGS:
        return answer(id, {"tools": [], "nextCursor": "again"})
    if "--endless-cursor" in FLAGS:
        return answer(id, {"tools": [], "nextCursor": str(int(params.get("cursor", 0)) + 1)})
    begin = int(params.get("cursor", 0))
    page = [{"name": name, "inputSchema": {"type": "object"}} for name in tools[begin:begin + 10]]
    more = {"nextCursor": str(begin + 10)} if begin + 10 < len(tools) else {}
    answer(id, {"tools": page, **more})


def handle(message):
    id, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if method == "initialize":
        if "--hang-initialize" in FLAGS:
            return
        if FLAGS & {"--discover", "--bad-discover", "--refuse-all"}:
            return refuse(id, -32601, "initialize is not known here")
        version = "1999-01-01" if "--old-version" in FLAGS else params["protocolVersion"]
        capabilities = {} if "--no-tools" in FLAGS else {"tools": {"listChanged": True}}
        info = {"name": "server.py", "version": "1"}
        answer(id, {"protocolVersion": version, "capabilities": capabilities, "serverInfo": info})
    elif method == "server/discover" and "--discover" in FLAGS:
        answer(id, {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                    "ttlMs": 0, "cacheScope": "private"})
    elif method == "server/discover" and "--bad-discover" in FLAGS:
        answer(id, {"resultType": "complete"})
    elif method == "tools/list":
        listed(id, params)
    elif method == "tools/call":
        call(id, params["name"], params.get("arguments") or {}, params.get("_meta") or {})
    elif id is not None:
        refuse(id, -32601, "unknown method " + str(method))


def note_and_leave(*_):
    note("test/term")
    # Long enough for a second signal to be noted as well.
    time.sleep(0.3)
    os._exit(0)


def start():
    if "--ignore-term" in FLAGS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "--note-end" in FLAGS:
        signal.signal(signal.SIGTERM, note_and_leave)
    if "--child" in FLAGS:
        sleeper()
    if "--leaver" in FLAGS:
        sleeper(start_new_session=True)
    if "--die" in FLAGS:
        sys.stderr.write("can't find my database\n")
        sys.exit(7)
    if "--garbage" in FLAGS:
        print("Welcome to the shell of 1979", flush=True)
        stop_forever()
    if "--endless-line" in FLAGS:
        while True:
            sys.stdout.write("x" * 65536)


def main():
    start()
    log = os.environ.get("LOG")
    for line in sys.stdin:
        if log:
            with open(log, "a") as file:
                file.write(line)
        handle(json.loads(line))
    if "--note-end" in FLAGS:
        # Long enough for a signal that comes too early to be seen.
        time.sleep(0.2)
        note("test/eof")
    if "--ignore-eof" in FLAGS:
        stop_forever()


if __name__ == "__main__":
    main()
