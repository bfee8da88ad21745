"""PreToolUse guard: keeps shared branches from being overwritten.

Reads the hook input on stdin. Denies a force-push to a protected branch and its deletion, asks before work is thrown
away, and says nothing about everything else. It reads words and is not a shell: that it runs at all for
`env X=1 git push -f` or `(cd a && git push -f)` is the work of the handler's `if`.
"""

import fnmatch
import json
import os
import re
import shlex
import sys

PROTECTED = os.path.join(os.path.dirname(__file__), "..", "protected-branches")
FORCE = re.compile(r"^(--force|--force-with-lease(=.*)?|--force-if-includes|--mirror|-[a-zA-Z]*f[a-zA-Z]*)$")
DELETE = re.compile(r"^(--delete|-[a-zA-Z]*d[a-zA-Z]*)$")
ENDS = set(";&|()\n")
# Options of git itself that take a value in the next word.
TAKES_VALUE = {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"}
# Options of `git push` that take a value in the next word.
PUSH_TAKES_VALUE = {"-o", "--push-option", "--repo", "--receive-pack", "--exec"}


def protected_patterns(path=PROTECTED):
    with open(path, encoding="utf-8") as lines:
        names = [line.split("#")[0].strip() for line in lines]
    return [name for name in names if name]


def git_calls(command, depth=0):
    """The words after each `git` in a command line, also inside quoted commands such as `sh -c '…'`."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    calls, call = [], None
    for word in lexer:
        if set(word) <= ENDS:
            call = None
        elif call is not None:
            call.append(word)
        elif os.path.basename(word) == "git":
            call = []
            calls.append(call)
        if " " in word and "git" in word and depth < 4:
            calls.extend(git_calls(word, depth + 1))
    return calls


def subcommand(call):
    words = iter(call)
    for word in words:
        if word in TAKES_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            return word, list(words)
    return None, []


def judge_push(words, patterns):
    forced = deleted = everything = False
    places, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in PUSH_TAKES_VALUE:
            skip = True
        elif word.startswith("-"):
            forced |= bool(FORCE.match(word))
            deleted |= bool(DELETE.match(word))
            everything |= word in ("--all", "--branches", "--mirror")
        else:
            places.append(word)
    refspecs = places[1:]
    for refspec in refspecs:
        target = refspec.lstrip("+").split(":")[-1].removeprefix("refs/heads/")
        kind = None
        if deleted or refspec.startswith(":"):
            kind = "delete"
        elif forced or refspec.startswith("+"):
            kind = "force-push to"
        if kind and any(fnmatch.fnmatchcase(target, pattern) for pattern in patterns):
            return "deny", (
                f"This would {kind} the protected branch `{target}`, and others would lose their commits. "
                "Push to a branch of your own and open a pull request, or undo with `git revert`."
            )
    if forced and (everything or not refspecs):
        return "ask", "A force-push without a branch name may overwrite a protected branch. Name the branch."
    return None


def judge(command, patterns):
    """`(decision, reason)`, or None where nothing speaks against the command."""
    try:
        calls = git_calls(command)
    except ValueError as error:
        return "ask", f"The quoting of this command can't be read ({error}), so it was not checked."
    found = None
    for call in calls:
        name, words = subcommand(call)
        verdict = None
        if name == "push":
            verdict = judge_push(words, patterns)
        elif name == "reset" and "--hard" in words:
            verdict = "ask", "`git reset --hard` throws away work that is not committed."
        elif name == "clean" and any(re.match(r"^(--force|-[a-zA-Z]*f)", word) for word in words):
            verdict = "ask", "`git clean -f` deletes files that git does not know."
        elif name == "branch" and any(re.match(r"^-[a-zA-Z]*D", word) for word in words):
            verdict = "ask", "`git branch -D` deletes a branch that may not be merged."
        if verdict and (found is None or verdict[0] == "deny"):
            found = verdict
        if found and found[0] == "deny":
            break
    return found


def main():
    event = json.load(sys.stdin)
    verdict = judge(event["tool_input"].get("command", ""), protected_patterns())
    if verdict:
        decision, reason = verdict
        answer = {"permissionDecision": decision, "permissionDecisionReason": reason}
        json.dump({"hookSpecificOutput": {"hookEventName": event["hook_event_name"], **answer}}, sys.stdout)


if __name__ == "__main__":
    main()
