"""PreToolUse guard: keeps keys and tokens out of files, commands, requests and commits.

Reads the hook input on stdin, and searches the input of the tool. Before a `git commit` it searches what would be
committed as well. What the same line writes before it commits is not there yet, and is not seen.
"""

import json
import os
import re
import shlex
import subprocess
import sys

PATTERNS = [
    ("an AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{40,}\b"),
    ("a GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("a Slack token", r"\b(?:xox[abeprs]|xapp)-[A-Za-z0-9.-]{10,}"),
    ("a Google API key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("an Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    ("an OpenAI key", r"\bsk-[A-Za-z0-9]{32,}\b|\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{32,}"),
    ("a Stripe key", r"\b[rs]k_live_[A-Za-z0-9]{20,}\b"),
    ("an npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("a private key", r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----"),
]
COMPILED = [(name, re.compile(pattern)) for name, pattern in PATTERNS]
COMMIT = re.compile(r"\bgit\b[^;&|\n]*\bcommit\b")
ADDS = re.compile(r"\bgit\b[^;&|\n]*\b(?:add|stage)\b")
FORCED = re.compile(r"\b(?:add|stage)\b[^;&|\n]* (?:-[a-zA-Z]*f|--fo)")
MOVES = re.compile(r"(?:^|[\s;&|(])(?:cd|pushd) +(\"[^\"]*\"|'[^']*'|[^\s;&|)]+)|\bgit\b[^;&|\n]* -C +(\"[^\"]*\"|'[^']*'|\S+)")
# Options of `git commit` whose value is in the next word, and those that take files which are not staged.
VALUES = {"--message", "--file", "--template", "--author", "--date", "--fixup", "--squash", "--trailer", "--cleanup"}
VALUES |= {"--reuse-message", "--reedit-message"}
TAKES = ("--all", "--include", "--only", "--patch", "--pathspec", "--interactive")
LONGEST = 8 << 20


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


def takes_files(command):
    """Returns true if a commit takes files that are not staged: all changed ones, or those that it names."""
    try:
        words = shlex.split(command.replace("\n", " ; "))
    except ValueError:
        return True
    return any(word == "commit" and takes(words[index + 1 :]) for index, word in enumerate(words))


def takes(words):
    words = iter(words)
    for word in words:
        if word in ("&&", "||", "|", ";", "&"):
            return False
        if word.startswith("--"):
            if word.startswith(TAKES):
                return True
            if word in VALUES:
                next(words, None)
        elif word.startswith("-"):
            # In a cluster, the letters behind one that has a value are that value.
            letters, value, rest = re.fullmatch(r"-([^mFCctSu]*)([mFCctSu]?)(.*)", word, re.DOTALL).groups()
            if set(letters) & set("aiop"):
                return True
            if value in tuple("mFCct") and not rest:
                next(words, None)
        else:
            return True
    return False


def directories(command, cwd):
    """Returns the directories in which the commit may be made."""
    found, last = [cwd], cwd
    for matches in MOVES.findall(command):
        for path in matches:
            if path:
                last = os.path.join(last, os.path.expanduser(path.strip("\"'")))
                found.append(last)
    return found


def added(line):
    return line[1:] if line.startswith("+") else ""


def committed(directory, command):
    """Yields what would be committed, with its name: added lines, and new files if the command adds files.

    A text of None is one that is too large to be searched.
    """
    adds = bool(ADDS.search(command))
    for cached in [["--cached"], []] if adds or takes_files(command) else [["--cached"]]:
        diff = git(directory, "diff", "--no-ext-diff", "--no-color", "--unified=0", *cached)
        yield "the commit", "\n".join(map(added, diff.splitlines()))
    if adds:
        listed = ["ls-files", "-z", "--others"] + ([] if FORCED.search(command) else ["--exclude-standard"])
        for name in git(directory, *listed).split("\0"):
            path = os.path.join(directory, name)
            if name and os.path.isfile(path):
                if os.path.getsize(path) > LONGEST:
                    yield name, None
                    continue
                with open(path, encoding="utf-8", errors="replace") as file:
                    yield name, file.read()


def deny(reason):
    print(reason, file=sys.stderr)
    sys.exit(2)


def ask(reason):
    output = {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": reason}
    json.dump({"hookSpecificOutput": output}, sys.stdout)


def main():
    event = json.load(sys.stdin)
    for name, text in texts(event["tool_input"]):
        found = found_in(text)
        if found:
            deny("Line %d of `%s` holds what looks like %s. Read it from the environment instead." % (found[1], name, found[0]))
    command = event["tool_input"].get("command", "") if event["tool_name"] == "Bash" else ""
    if not COMMIT.search(command):
        return
    unsearched = None
    for directory in directories(command, event["cwd"]):
        for name, text in committed(directory, command):
            found = text is not None and found_in(text)
            if found:
                deny("`%s` holds what looks like %s. Take it out before you commit." % (name, found[0]))
            unsearched = name if text is None else unsearched
    if unsearched:
        ask("`%s` is too large to be searched for keys. Commit it only if it holds none." % unsearched)


if __name__ == "__main__":
    main()
