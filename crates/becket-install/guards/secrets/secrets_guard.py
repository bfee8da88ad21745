"""PreToolUse guard: keeps keys and tokens out of files, commands and commits.

Reads the hook input on stdin, and searches the input of the tool. Before a `git commit` it searches what would be
committed as well.
"""

import json
import os
import re
import subprocess
import sys

PATTERNS = [
    ("an AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{40,}\b"),
    ("a GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("a Slack token", r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    ("a Google API key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("an Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    ("an OpenAI key", r"\bsk-(?:proj-)?[A-Za-z0-9]{32,}\b"),
    ("a Stripe key", r"\b[rs]k_live_[A-Za-z0-9]{20,}\b"),
    ("an npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("a private key", r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"),
]
COMPILED = [(name, re.compile(pattern)) for name, pattern in PATTERNS]
COMMIT = re.compile(r"\bgit\b[^;&|\n]*\bcommit\b")
ADDS = re.compile(r"\bgit\b[^;&|\n]*\b(?:add|stage)\b|\bcommit\b[^;&|\n]* (?:-[a-zA-Z]*a|--all\b|-[a-zA-Z]*i|--include\b)")
LONGEST = 1 << 20


def found_in(text):
    for name, pattern in COMPILED:
        match = pattern.search(text)
        if match:
            return name, text.count("\n", 0, match.start()) + 1
    return None


def texts(value, path=""):
    """Yields each text of the input with its name."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from texts(inner, "%s.%s" % (path, key) if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner, path)


def git(directory, *arguments):
    done = subprocess.run(["git", "-C", directory, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode("utf-8", "replace")


def committed(directory, adds):
    """Yields what would be committed: the lines that are added, and new files if the command adds files."""
    for cached in [["--cached"], []] if adds else [["--cached"]]:
        diff = git(directory, "diff", "--no-ext-diff", "--no-color", "--unified=0", *cached)
        yield "the commit", "\n".join(line[1:] for line in diff.splitlines() if line.startswith("+"))
    if adds:
        for name in git(directory, "ls-files", "-z", "--others", "--exclude-standard").split("\0"):
            path = os.path.join(directory, name)
            if name and os.path.isfile(path) and os.path.getsize(path) <= LONGEST:
                with open(path, encoding="utf-8", errors="replace") as file:
                    yield name, file.read()


def deny(reason):
    print(reason, file=sys.stderr)
    sys.exit(2)


def main():
    event = json.load(sys.stdin)
    for name, text in texts(event["tool_input"]):
        found = found_in(text)
        if found:
            deny("Line %d of `%s` holds what looks like %s. Read it from the environment instead." % (found[1], name, found[0]))
    command = event["tool_input"].get("command", "") if event["tool_name"] == "Bash" else ""
    if COMMIT.search(command):
        for name, text in committed(event["cwd"], bool(ADDS.search(command))):
            found = found_in(text)
            if found:
                deny("`%s` holds what looks like %s. Take it out before you commit." % (name, found[0]))


if __name__ == "__main__":
    main()
