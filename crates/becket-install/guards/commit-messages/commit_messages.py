"""PreToolUse guard: looks at the message of a `git commit -m`.

A message that comes from a file, an editor or a program is not known yet, and passes.
"""

import json
import os
import re
import shlex
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COMMIT = re.compile(r"\bgit\b[^;&|\n]*?\bcommit\b")
HEREDOC = re.compile(r"""^\$\(cat <<-?\s*(['"]?)(\w+)\1\n(.*?)\n\s*\2\s*\)$""", re.DOTALL)
LONGEST = 72


def messages(command):
    """Returns the texts of each `-m` of a commit."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()")
    lexer.whitespace_split = True
    lexer.commenters = ""
    words, found, commits = list(lexer), [], False
    for index, word in enumerate(words):
        if set(word) <= set(";&|()"):
            commits = False
        elif word == "commit" and "git" in words[:index]:
            commits = True
        elif commits and (re.fullmatch(r"-[aeinopqsv]*m", word) or (word.startswith("--m") and "--message".startswith(word))):
            found.append(words[index + 1] if index + 1 < len(words) else "")
        elif commits and re.match(r"--m[a-z]*=", word):
            found.append(word.split("=", 1)[1])
        elif commits and re.match(r"-[aeinopqsv]*m", word):
            found.append(re.sub(r"^-[aeinopqsv]*m", "", word))
    return found


def text_of(message):
    heredoc = HEREDOC.match(message)
    return heredoc.group(3) if heredoc else message


def fault(message, pattern):
    subject, *rest = message.split("\n")
    subject = subject.strip()
    if not subject:
        return "it is empty"
    if len(subject) > LONGEST:
        return "its subject has %d characters: at most %d, and an empty line before more" % (len(subject), LONGEST)
    if subject.endswith("."):
        return "its subject ends with a full stop"
    if rest and rest[0].strip():
        return "its second line is not empty"
    if not re.search(pattern, subject):
        return "its subject does not have the form `%s`" % pattern
    return None


def main():
    command = json.load(sys.stdin)["tool_input"].get("command", "")
    if not COMMIT.search(command):
        return 0
    with open(os.path.join(HERE, "pattern.txt"), encoding="utf-8") as file:
        pattern = file.read().strip()
    try:
        found = messages(command)
    except ValueError:
        return 0
    # Only the first message has the subject.
    message = text_of(found[0]) if found else None
    if message is None or (message.startswith("$") and message != "$"):
        return 0
    why = fault(message, pattern)
    if why:
        print("The commit message is refused: %s." % why, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
