"""PermissionRequest: says yes to edits of the till and of its tests, and to running the tests.

An allow rule of a repository counts only where its folder is trusted. A hook answers wherever hooks run, so it looks
closely: links are followed before a path is compared, a command is plain words alone, and about all else it keeps silent.
"""

import json
import os
import re
import sys

PLACES = ("till", "tests")
TESTS = re.compile(r"python3 -m unittest( [\w./-]+)*")


def is_small(event, project):
    """Whether the call is a step that nobody needs to be asked about."""
    call = event["tool_input"]
    if event["tool_name"] == "Bash":
        return TESTS.fullmatch(call.get("command", "")) is not None
    file = os.path.realpath(call.get("file_path", ""))
    return any(file.startswith(os.path.join(project, place, "")) for place in PLACES)


def main():
    event = json.load(sys.stdin)
    if is_small(event, os.path.realpath(os.environ["CLAUDE_PROJECT_DIR"])):
        answer = {"decision": {"behavior": "allow"}}
        json.dump({"hookSpecificOutput": {"hookEventName": event["hook_event_name"], **answer}}, sys.stdout)


if __name__ == "__main__":
    main()
