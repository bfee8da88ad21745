#!/usr/bin/env python3
"""Files with secrets are for people."""
import json
import pathlib
import sys

call = json.load(sys.stdin)
name = pathlib.Path(call["tool_input"].get("file_path", "")).name
if name == ".env" or name.startswith(".env."):
    answer = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": f"{name} holds secrets. Ask for the name of the variable instead.",
    }
    print(json.dumps({"hookSpecificOutput": answer}))
