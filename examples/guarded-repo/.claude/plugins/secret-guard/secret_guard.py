"""PreToolUse guard: what looks like a key or a token is neither written to a file nor put into a command.

It never repeats what it found: the reason goes into the conversation.
"""

import json
import re
import sys

PATTERNS = [
    ("a private key", r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"),
    ("an AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{36,}\b"),
    ("a Slack token", r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    ("an API key", r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}"),
]
# Where the tools hold what would be written or run.
FIELDS = ["content", "new_string", "command"]


def find(text):
    """What the text seems to hold and in which line, or None."""
    for name, pattern in PATTERNS:
        match = re.search(pattern, text)
        if match:
            return name, text.count("\n", 0, match.start()) + 1
    return None


def main():
    tool_input = json.load(sys.stdin)["tool_input"]
    for field in FIELDS:
        found = find(str(tool_input.get(field, "")))
        if found:
            name, line = found
            print(
                f"Line {line} of `{field}` holds what looks like {name}. "
                "Read it from the environment or a secret store instead.",
                file=sys.stderr,
            )
            sys.exit(2)


if __name__ == "__main__":
    main()
