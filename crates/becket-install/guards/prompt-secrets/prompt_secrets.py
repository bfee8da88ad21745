"""UserPromptSubmit guard: refuses a prompt that holds a key or a token."""

import json
import re
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


def main():
    prompt = json.load(sys.stdin)["prompt"]
    for name, pattern in PATTERNS:
        if re.search(pattern, prompt):
            print("The prompt holds what looks like %s, and was not sent. Revoke it if it is real." % name, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
