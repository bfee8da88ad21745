"""PreToolUse guard: denies force-pushes, and pushes to the branches in `branches.txt`.

Reads the hook input on stdin. It reads words and is not a shell; a line that it can't read is asked about. What a push
without a branch means is read from the configuration of the repository.
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
# Options of `git push` that concern branches which no word names. Git accepts the beginning of an option.
EVERYTHING = ("--mirror", "--all", "--branches", "--prune")
PUSHES = ("push", "send-pack", "http-push")
# Commands after which another branch may be the current one.
SWITCHES = {"checkout", "switch", "branch", "symbolic-ref", "config"}
# Commands that are no alias of anything: git looks for its own commands first.
KNOWN = {"add", "blame", "clone", "commit", "diff", "fetch", "grep", "init", "log", "ls-files", "merge", "pull", "reset"}
KNOWN |= {"rebase", "remote", "restore", "rev-parse", "show", "stash", "status", "tag", "worktree"} | SWITCHES
# Words after which a command begins.
KEYWORDS = {"then", "do", "else", "elif", "if", "while", "until", "{", "!", "time"}
ADVICE = "Push to a branch of your own and open a pull request."


def is_unknown(word):
    """Returns true if the shell puts something else in the place of a part of the word."""
    return "$" in word or "`" in word or ("{" in word and ("," in word or ".." in word or word == "{}"))


class Call:
    """A call of git: its words, and what the words before it on the line may have changed."""

    def __init__(self, directories, is_moved, is_fed, is_set):
        self.words, self.directories = [], directories
        self.is_moved, self.is_fed, self.is_set = is_moved, is_fed, is_set


def git_calls(command, depth=0):
    """Returns the calls of git on a command line, also inside of quoted programs.

    A program that is known at run time alone may be git.
    """
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    # The directory of the line counts as well: a `cd` may be in a subshell, or fail.
    directories, is_moved, is_set = [""], False, "GIT_CONFIG" in command
    calls, call, is_first, is_fed, before = [], None, True, False, ""
    for word in lexer:
        if set(word) <= SEPARATORS:
            call, is_first, is_fed, before = None, True, False, ""
            continue
        if before in ("cd", "pushd"):
            is_moved = is_moved or is_unknown(word) or word.startswith(("-", "~"))
            directories = directories + [os.path.join(directories[-1], word)]
        if call is not None:
            call.words.append(word)
            is_moved = is_moved or word in SWITCHES or "GIT_" in word
        elif os.path.basename(word) == "git" or (is_first and is_unknown(word)):
            call = Call(directories, is_moved, is_fed, is_set)
            calls.append(call)
        is_fed = is_fed or os.path.basename(word) in ("xargs", "parallel")
        is_moved = is_moved or word.startswith("GIT_")
        is_first, before = is_first and word in KEYWORDS, word if is_first else ""
        if " " in word and "git" in word and depth < 4:
            calls.extend(git_calls(word, depth + 1))
    return calls


def subcommand(words):
    """Returns the settings of a call of git, its subcommand, the words after it and its directory.

    The directory is None if only git can say which repository it is.
    """
    settings, directory, words = [], "", iter(words)
    for word in words:
        value = next(words, "") if word in GIT_VALUES else ""
        if word == "-C" and directory is not None:
            directory = os.path.join(directory, value)
        elif word in ("-c", "--config-env"):
            settings += [word, value]
        elif word.startswith(("--git-dir", "--namespace")):
            directory = None
        elif not word.startswith("-"):
            return settings, word, list(words), directory
    return settings, "", [], directory


def git(directory, settings, *words):
    command = ["git", *settings, "-C", directory, *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode("utf-8", "replace").strip()


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


def configured(directory, settings, branch):
    """Returns the refspecs of a push that names none."""
    wanted = r"^(push\.default|remote\..*\.(push|mirror)|branch\..*\.merge)$"
    refspecs = ["HEAD"]
    lines = git(directory, settings, "config", "--get-regexp", wanted).splitlines()
    values = [line.partition(" ")[::2] for line in lines]
    default = ([value for name, value in values if name == "push.default"] or ["simple"])[-1]
    for name, value in values:
        is_upstream = default in ("upstream", "tracking") and name == "branch.%s.merge" % branch
        if name.endswith(".push") or is_upstream:
            refspecs.append(value)
        elif name.endswith(".mirror") and value != "false":
            refspecs.append("+:")
    return refspecs + [":"] if default == "matching" else refspecs


def judge(words, protected, directory, settings):
    """Returns the reason why a push is denied, or None."""
    options, others = parse(words)
    refspecs = others[1:]
    branch = git(directory, [], "symbolic-ref", "--quiet", "--short", "HEAD")
    if not refspecs and "--tags" not in options:
        refspecs = configured(directory, settings, branch)
    if "--force" in options or "-f" in options or any(refspec.startswith("+") for refspec in refspecs):
        return (
            "A force-push overwrites the commits of others. "
            "On a branch of your own `git push --force-with-lease` is allowed."
        )
    is_all = any(len(option) > 2 and whole.startswith(option) for option in options for whole in EVERYTHING)
    if is_all or any("*" in refspec for refspec in refspecs):
        return "This pushes every branch, protected ones too. " + ADVICE
    for refspec in refspecs:
        target = refspec.split(":")[-1]
        if target in ("HEAD", "@"):
            target = branch
        for prefix in ("refs/heads/", "heads/"):
            target = target[len(prefix) :] if target.startswith(prefix) else target
        if refspec == ":" or any(fnmatch.fnmatchcase(target, pattern) for pattern in protected):
            return "The branch `%s` is protected. %s" % (target or ":", ADVICE)
    return None


def is_named(words):
    """Returns true if a push names its branches, so that they do not depend on the current one."""
    targets = [refspec.split(":")[-1] for refspec in parse(words)[1][1:]]
    return bool(targets) and not {"HEAD", "@"} & set(targets)


def protected_branches():
    with open(os.path.join(HERE, "branches.txt"), encoding="utf-8") as lines:
        return [line.strip() for line in lines if line.strip()]


def decisions(call, cwd, depth=0):
    """Yields the decisions about a call, with their reasons."""
    settings, name, words, directory = subcommand(call.words)
    is_moved, directory = call.is_moved or directory is None, directory or ""
    if name == "subtree" and "push" in words:
        name, words = "push", words[words.index("push") + 1 :]
    if name and name not in PUSHES and name not in KNOWN and depth < 4:
        if call.is_set:
            yield "ask", "The settings of `git %s` are known at run time alone, and it may be a push." % name
        alias = git(os.path.join(cwd, directory), settings, "config", "--get", "alias." + name)
        if alias.startswith("!"):
            inner = git_calls(alias[1:], 1)
        else:
            inner = [Call(call.directories, is_moved, call.is_fed, False)] if alias else []
            for one in inner:
                one.words = [*call.words[: call.words.index(name)], *shlex.split(alias), *words]
        for one in inner:
            yield from decisions(one, cwd, depth + 1)
    if name not in PUSHES:
        return
    if call.is_fed or any(map(is_unknown, words)):
        yield "ask", "Where this pushes to is known at run time alone. Name the branch."
    if is_moved and not is_named(words):
        yield "ask", "The current branch is another one by then. Name the branch that is pushed."
    for base in call.directories:
        is_read = git(os.path.join(cwd, base, directory), [], "symbolic-ref", "--quiet", "HEAD")
        if not (is_read or is_named(words) or "--tags" in words):
            yield "ask", "The current branch can't be read. Name the branch that is pushed."
        reason = judge(words, protected_branches(), os.path.join(cwd, base, directory), settings)
        if reason:
            yield "deny", reason


def answer(decision, reason):
    output = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
    json.dump({"hookSpecificOutput": output}, sys.stdout)


def main():
    event = json.load(sys.stdin)
    try:
        calls = git_calls(event["tool_input"].get("command", ""))
    except ValueError as error:
        return answer("ask", "The quoting of this command can't be read (%s), so it was not checked." % error)
    answers = [decision for call in calls for decision in decisions(call, event["cwd"])]
    for decision in ("deny", "ask"):
        for found, reason in answers:
            if found == decision:
                return answer(decision, reason)
    return None


if __name__ == "__main__":
    main()
