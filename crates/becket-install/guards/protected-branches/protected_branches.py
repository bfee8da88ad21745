"""PreToolUse guard: denies force-pushes, and pushes to the branches in `branches.txt`.

Reads the hook input on stdin. It reads words and is not a shell; a line that it can't read is asked about.
"""

import fnmatch
import json
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SEPARATORS = set(";&|()\n")
# Options that take a value in the next word: of git, and of `git push`.
GIT_VALUES = {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path"}
PUSH_VALUES = {"-o", "--push-option", "--repo", "--receive-pack", "--exec"}
EVERYTHING = ("--mirror", "--all", "--branches")
ADVICE = "Push to a branch of your own and open a pull request."


def is_unknown(word):
    """Returns true if the shell puts something else in the place of a part of the word."""
    return "$" in word or "`" in word


def git_calls(command, depth=0):
    """Returns the words after each `git` of a command line, also inside of quoted programs.

    A program that is known at run time alone may be git.
    """
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    calls, call, is_first = [], None, True
    for word in lexer:
        if set(word) <= SEPARATORS:
            call, is_first = None, True
            continue
        if call is not None:
            call.append(word)
        elif os.path.basename(word) == "git" or (is_first and is_unknown(word)):
            call = []
            calls.append(call)
        is_first = False
        if " " in word and "git" in word and depth < 4:
            calls.extend(git_calls(word, depth + 1))
    return calls


def push_of(call):
    """Returns the words after `push` and the directory of the call, or None if it is another command."""
    directory, words = "", iter(call)
    for word in words:
        if word in GIT_VALUES:
            value = next(words, "")
            directory = os.path.join(directory, value) if word == "-C" else directory
        elif not word.startswith("-"):
            return (list(words), directory) if word == "push" else None
    return None


def parse(words):
    """Returns the options and the other words of a push."""
    options, others, words = [], [], iter(words)
    for word in words:
        if word in PUSH_VALUES:
            next(words, None)
        elif word.startswith("--"):
            options.append(word)
        elif word.startswith("-"):
            options.extend("-" + letter for letter in word[1:])
        else:
            others.append(word)
    return options, others


def current_branch(directory):
    command = ["git", "-C", directory, "symbolic-ref", "--quiet", "--short", "HEAD"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode("utf-8", "replace").strip()


def judge(words, protected, directory):
    """Returns the reason why a push is denied, or None."""
    options, others = parse(words)
    refspecs = others[1:]
    if "--force" in options or "-f" in options or any(refspec.startswith("+") for refspec in refspecs):
        return (
            "A force-push overwrites the commits of others. "
            "On a branch of your own `git push --force-with-lease` is allowed."
        )
    if any(len(option) > 4 and whole.startswith(option) for option in options for whole in EVERYTHING):
        return "This pushes every branch, protected ones too. " + ADVICE
    if not refspecs and "--tags" not in options:
        refspecs = ["HEAD"]
    for refspec in refspecs:
        target = refspec.split(":")[-1]
        if target in ("HEAD", "@"):
            target = current_branch(directory)
        if target.startswith("refs/heads/"):
            target = target[len("refs/heads/") :]
        if refspec == ":" or any(fnmatch.fnmatchcase(target, pattern) for pattern in protected):
            return "The branch `%s` is protected. %s" % (target or ":", ADVICE)
    return None


def protected_branches():
    with open(os.path.join(HERE, "branches.txt"), encoding="utf-8") as lines:
        return [line.strip() for line in lines if line.strip()]


def answer(decision, reason):
    output = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
    json.dump({"hookSpecificOutput": output}, sys.stdout)


def main():
    event = json.load(sys.stdin)
    try:
        calls = git_calls(event["tool_input"].get("command", ""))
    except ValueError as error:
        return answer("ask", "The quoting of this command can't be read (%s), so it was not checked." % error)
    for push in filter(None, map(push_of, calls)):
        words, directory = push
        if any(map(is_unknown, words)):
            return answer("ask", "Where this pushes to is known at run time alone. Name the branch.")
        reason = judge(words, protected_branches(), os.path.join(event["cwd"], directory))
        if reason:
            return answer("deny", reason)
    return None


if __name__ == "__main__":
    main()
