"""Stop guard: sends the agent back while the tests fail.

Runs the lines of `command.txt` in the project. The agent is sent back once for each turn, so that a test that nobody
can mend does not hold it for good. The end of the output of a failure is kept in the directory of git, where the guard
`session-context` finds it.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SHOWN = 40


def kept_failure(project):
    done = subprocess.run(
        ["git", "-C", project, "rev-parse", "--absolute-git-dir"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    directory = done.stdout.decode("utf-8", "replace").strip()
    return os.path.join(directory, "becket-last-failure") if directory else None


def keep(text, project):
    try:
        path = kept_failure(project)
        if path and text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        elif path and os.path.exists(path):
            os.remove(path)
    except OSError:
        # A record for the next session alone: that it is missing changes no decision.
        pass


def main():
    event = json.load(sys.stdin)
    if event.get("stop_hook_active"):
        return 0
    project = os.environ.get("CLAUDE_PROJECT_DIR") or event["cwd"]
    with open(os.path.join(HERE, "command.txt"), encoding="utf-8") as file:
        command = file.read().strip()
    done = subprocess.run(
        ["sh", "-c", command], cwd=project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode == 0:
        keep("", project)
        return 0
    lines = done.stdout.decode("utf-8", "replace").rstrip().splitlines()
    text = "`%s` failed:\n%s\n" % (command, "\n".join(lines[-SHOWN:]))
    keep(text, project)
    print("The tests fail; mend them before you stop, or say why you can't.\n" + text, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
