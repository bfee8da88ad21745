#!/usr/bin/env python3
"""Writes the sessions of this example, in the shape in which Claude Code 2.1 records a session.

Every verdict in them is the answer of a real hook: those in `.claude/hooks`, but of `push_guard.sh` the version before it
was weakened. The clock of `freeze.sh` and the branch of `main_guard.sh` are those of the story.
"""
import datetime
import json
import os
import pathlib
import subprocess
import tempfile
import uuid

HERE = pathlib.Path(__file__).resolve().parent
ROOT = "/home/ada/shop"
PUSH_GUARD = """case $(cat) in
    *"git push"*" --force"*main* | *"git push"*" -f"*main* | *"git push"*+main*)
        echo "This would overwrite main for everybody. Push to a branch of your own." >&2
        exit 2 ;;
esac
"""
SETTINGS = json.loads((HERE / ".claude/settings.json").read_text())

# The prompts of each session with their calls; the hour and the branch of the story.
SESSIONS = [
    ("2026-11-02", 10, "topic", [
        ("Add a coupon field to the cart.", [
            ("Read", {"file_path": "src/cart.js"}),
            ("Edit", {"file_path": "src/cart.js", "old_string": "total", "new_string": "total, coupon"}),
            ("Bash", {"command": "npm test"}),
            ("Bash", {"command": "git add -A && git commit -m 'Coupons'"}),
            ("Bash", {"command": "git push origin topic"}),
        ]),
        ("Rebase on main and publish it.", [
            ("Bash", {"command": "git fetch && git rebase origin/main"}),
            ("Bash", {"command": "git push --force origin topic"}),
            ("Bash", {"command": "git push --force origin main"}),
        ]),
    ]),
    ("2026-11-10", 21, "main", [
        ("Ship the fix.", [
            ("Bash", {"command": "git commit -am 'Fix rounding'"}),
            ("Bash", {"command": "git switch -c rounding && git log -1"}),
            ("Bash", {"command": "make deploy"}),
            ("Read", {"file_path": ".env"}),
            ("Bash", {"command": "curl -H 'Authorization: Bearer sk-live-4f9a8b7c6d5e4f3a2b1c' https://api.shop.example/health"}),
        ]),
        ("main is behind, bring it up to date.", [
            ("Bash", {"command": "git push -f origin main"}),
            ("Bash", {"command": "git push origin +main"}),
            ("Bash", {"command": "git status"}),
        ]),
    ]),
    ("2026-11-19", 14, "topic", [
        ("Why is the total wrong?", [
            ("Grep", {"pattern": "round", "path": "src"}),
            ("Write", {"file_path": "src/debug.js", "content": "console.log(total)\n"}),
            ("Edit", {"file_path": "src/debug.js", "old_string": "console.log", "new_string": "log.debug"}),
            ("Write", {"file_path": "src/round.js", "content": "export const round = (x) => Math.round(x * 100) / 100\n"}),
            ("Bash", {"command": "npm test && make deploy"}),
            ("Bash", {"command": "git commit -am 'Round once'"}),
            ("Bash", {"command": "git push -f origin main"}),
        ]),
    ]),
]


class Session:
    def __init__(self, day, hour, branch):
        self.id = str(uuid.uuid5(uuid.NAMESPACE_URL, day))
        self.time = datetime.datetime.fromisoformat(f"{day}T{hour:02}:00:00+00:00")
        self.hour, self.branch, self.lines, self.parent = hour, branch, [], None

    def line(self, **own):
        self.time += datetime.timedelta(seconds=7)
        self.lines.append({
            "parentUuid": self.parent, "isSidechain": False, "userType": "external", "cwd": ROOT, "sessionId": self.id,
            "version": "2.1.329", "gitBranch": self.branch, **own,
            "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.id}{len(self.lines)}")),
            "timestamp": self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        })
        self.parent = self.lines[-1]["uuid"]

    def attachment(self, kind, event, tool, call, command, ran, **own):
        self.line(type="attachment", attachment={
            "type": kind, "hookName": f"{event}:{tool}", "toolUseID": call, "hookEvent": event, "command": command,
            "durationMs": ran["ms"], **own,
        })

    def run(self, command, event):
        """Runs a hook in a repository on the branch of the story, with the clock of the story."""
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            subprocess.run(["git", "init", "-q", "-b", self.branch, place / "shop"], check=True)
            (place / "date").write_text(f"#!/bin/sh\necho {self.hour:02}\n")
            (place / "date").chmod(0o755)
            if "push_guard" in command:
                command = PUSH_GUARD
            started = datetime.datetime.now()
            environment = {"PATH": f"{place}:{os.environ['PATH']}", "CLAUDE_PROJECT_DIR": str(HERE)}
            ended = subprocess.run(["sh", "-c", command], input=json.dumps(event).encode(), cwd=place / "shop",
                                   capture_output=True, env=environment)
            took = datetime.datetime.now() - started
        stdout, stderr = ended.stdout.decode(), ended.stderr.decode()
        return {"exit": ended.returncode, "stdout": stdout, "stderr": stderr, "ms": round(took.total_seconds() * 1000)}

    def hooks(self, event, tool, call, given):
        """Runs the hooks of an event; returns the reason of the one that holds it back, with its command."""
        refusal = None
        for group in SETTINGS["hooks"].get(event, []):
            if tool not in group["matcher"].split("|"):
                continue
            for hook in group["hooks"]:
                ran = self.run(hook["command"], given)
                denied = json.loads(ran["stdout"])["hookSpecificOutput"] if ran["stdout"] else None
                if ran["exit"] == 2 and event == "PreToolUse":
                    refusal = hook["command"], ran["stderr"].strip()
                elif ran["exit"] == 2:
                    error = {"blockingError": ran["stderr"].strip(), "command": hook["command"]}
                    self.attachment("hook_blocking_error", event, tool, call, hook["command"], ran, blockingError=error)
                elif denied:
                    self.attachment("hook_success", event, tool, call, hook["command"], ran, content="",
                                    stdout=ran["stdout"], stderr="", exitCode=0)
                    refusal = hook["command"], denied["permissionDecisionReason"]
        return refusal

    def call(self, number, tool, given):
        call = f"toolu_{self.id[:8]}{number:02}"
        given = {key: f"{ROOT}/{value}" if key in ("file_path", "path") else value for key, value in given.items()}
        use = {"type": "tool_use", "id": call, "name": tool, "input": given}
        self.line(type="assistant", message={"id": f"msg_{call}", "role": "assistant", "stop_reason": "tool_use", "content": [use]})
        event = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}
        refusal = self.hooks("PreToolUse", tool, call, event)
        if refusal:
            text = f"PreToolUse:{tool} hook error: [{refusal[0]}]: {refusal[1]}"
            result = {"type": "tool_result", "tool_use_id": call, "is_error": True, "content": text}
            return self.line(type="user", message={"role": "user", "content": [result]}, toolUseResult=f"Error: {text}")
        result = {"type": "tool_result", "tool_use_id": call, "content": "done"}
        self.line(type="user", message={"role": "user", "content": [result]}, toolUseResult={"stdout": "done", "stderr": ""})
        self.hooks("PostToolUse", tool, call, {**event, "hook_event_name": "PostToolUse"})


for day, hour, branch, prompts in SESSIONS:
    session, number = Session(day, hour, branch), 0
    for prompt, calls in prompts:
        session.line(type="user", permissionMode="default", message={"role": "user", "content": prompt})
        for tool, given in calls:
            session.call(number, tool, given)
            number += 1
        text = [{"type": "text", "text": "Done."}]
        session.line(type="assistant", message={"id": f"msg_{number}", "role": "assistant", "stop_reason": "end_turn", "content": text})
    text = "".join(json.dumps(line) + "\n" for line in session.lines)
    (HERE / "sessions" / f"{session.id}.jsonl").write_text(text)
