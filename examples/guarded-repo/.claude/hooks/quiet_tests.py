"""PreToolUse: has the tests tell what fails and nothing else, so that they fill no context.

Rewrites `python3 -m unittest …` where it stands alone in the command, and keeps silent about everything else. It decides
nothing: permission rules look at the command as it is rewritten.
"""

import json
import sys

CALL = "python3 -m unittest "
ENDS = set(";&|<>$`\n")


def quiet(command):
    """The command with `-q`, or None where it stays as it is."""
    rest = command.removeprefix(CALL)
    if rest == command or ENDS & set(rest):
        return None
    words = rest.split()
    if {"-q", "--quiet", "-v", "--verbose"} & set(words):
        return None
    at = 1 if words[:1] == ["discover"] else 0
    return CALL + " ".join(words[:at] + ["-q"] + words[at:])


def main():
    event = json.load(sys.stdin)
    command = quiet(event["tool_input"].get("command", ""))
    if command:
        answer = {"updatedInput": {**event["tool_input"], "command": command}}
        json.dump({"hookSpecificOutput": {"hookEventName": event["hook_event_name"], **answer}}, sys.stdout)


if __name__ == "__main__":
    main()
