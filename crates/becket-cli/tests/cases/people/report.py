#!/usr/bin/env python3
"""A Stop hook as people write them: reads the transcript, and leaves a report of the session beside it."""

import json
import os
import sys
from datetime import datetime

hook = json.load(sys.stdin)
entries = []
with open(os.path.expanduser(hook["transcript_path"])) as transcript:
    for line in transcript:
        entries.append(json.loads(line))

prompts, texts, calls, results, tokens = [], [], {}, {}, 0
for entry in entries:
    message = entry.get("message") or {}
    content = message.get("content")
    if entry["type"] == "user" and not entry.get("isMeta"):
        if isinstance(content, str):
            prompts.append(content)
        else:
            for block in content:
                if block["type"] == "tool_result":
                    results[block["tool_use_id"]] = block.get("is_error", False)
    elif entry["type"] == "assistant":
        assert message["role"] == "assistant"
        tokens += message["usage"]["output_tokens"]
        for block in content:
            if block["type"] == "text":
                texts.append(block["text"])
            elif block["type"] == "tool_use":
                calls[block["id"]] = block["name"]

known = {entry["uuid"] for entry in entries}
messages = [entry for entry in entries if entry["type"] in ("user", "assistant", "system")]
report = {
    "prompts": prompts,
    "last": texts[-1],
    "calls": [[name, results.get(id)] for id, name in calls.items()],
    "tokens": tokens,
    "unique": len(known) == len(entries),
    "chained": [entry["parentUuid"] for entry in messages] == [None] + [entry["uuid"] for entry in messages[:-1]],
    "of_session": all(entry["sessionId"] == hook["session_id"] for entry in entries),
    "cwd": entries[-1]["cwd"],
    "in_order": all(
        datetime.fromisoformat(one["timestamp"].replace("Z", "+00:00"))
        <= datetime.fromisoformat(other["timestamp"].replace("Z", "+00:00"))
        for one, other in zip(entries, entries[1:])
    ),
}
with open(os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "report.json"), "w") as file:
    json.dump(report, file)
