"""A policy server for HTTP hooks: while the file freeze.txt is there, nothing is let through, and the file says why.

    POLICY_TOKEN=… python3 policy_server.py PORT
"""

import hmac
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

EXPECTED = f"Bearer {os.environ['POLICY_TOKEN']}".encode()
FREEZE = Path("freeze.txt")


def judge(event):
    """What a hook's input is answered; nothing where nothing speaks against it."""
    if not FREEZE.exists():
        return None
    denial = {"permissionDecision": "deny", "permissionDecisionReason": FREEZE.read_text().strip()}
    return {"hookSpecificOutput": {"hookEventName": event["hook_event_name"], **denial}}


class Policy(BaseHTTPRequestHandler):
    def do_POST(self):
        if not hmac.compare_digest(self.headers.get("Authorization", "").encode(), EXPECTED):
            return self.answer(401, "the token is not right")
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = judge(event)
        self.answer(200, json.dumps(answer) if answer else "")

    def answer(self, status, text):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        """Says nothing for each request."""


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Policy)
print(f"the policy server listens on port {server.server_port}", flush=True)
server.serve_forever()
