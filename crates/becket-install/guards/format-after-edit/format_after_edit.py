"""PostToolUse hook: formats the file that was edited, by the first line of `formatters.txt` that matches its name.

A formatter that is not installed changes nothing. One that fails is shown to the agent: the file can't be parsed.
"""

import fnmatch
import json
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def formatter_of(path):
    with open(os.path.join(HERE, "formatters.txt"), encoding="utf-8") as lines:
        for line in lines:
            words = shlex.split(line, comments=True)
            if words and fnmatch.fnmatchcase(os.path.basename(path), words[0]):
                return words[1:]
    return None


def content(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    event = json.load(sys.stdin)
    project = os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or event["cwd"])
    path = os.path.realpath(os.path.join(event["cwd"], event["tool_input"].get("file_path", "")))
    if not path.startswith(project + os.sep) or not os.path.isfile(path):
        return 0
    command = formatter_of(path)
    if not command:
        return 0
    before = content(path)
    try:
        done = subprocess.run(
            [*command, path], cwd=project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
    except FileNotFoundError:
        return 0
    name = os.path.relpath(path, project)
    if done.returncode != 0:
        print("`%s` could not format `%s`:\n%s" % (command[0], name, done.stdout.decode("utf-8", "replace")), file=sys.stderr)
        return 2
    if content(path) != before:
        told = "`%s` was reformatted by `%s`: read it again before the next edit." % (name, command[0])
        json.dump({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": told}}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
