"""Verifies an audit log of Becket, with no code of Becket's: python3 verify_audit.py KEY CHECKPOINTS LOG…

KEY is the public key (64 digits), CHECKPOINTS the file of the second place, LOG… the files of the log, the oldest first.
"""

import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(sys.argv[1]))
fingerprint = hashlib.sha256(bytes.fromhex(sys.argv[1])).hexdigest()[:16]
faults, signed, hashes, torn = [], {}, {}, b""
log, seq, previous = None, None, "0" * 64


def read(statement):
    """Keeps a checkpoint whose signature is right."""
    fields = [str(statement[name]) for name in ("log", "seq", "hash", "at", "key")]
    message = "\n".join(["becket audit checkpoint 1", *fields, ""]).encode()
    try:
        key.verify(bytes.fromhex(statement["signature"]), message)
    except InvalidSignature:
        return faults.append(f"wrong signature: checkpoint of record {statement['seq']}")
    if statement["key"] == fingerprint:
        signed[statement["seq"]] = (statement["log"], statement["hash"])


for line in open(sys.argv[2], "rb"):
    read(json.loads(line))
for line in (line for name in sys.argv[3:] for line in open(name, "rb")):
    try:
        record = json.loads(line)
        found = (record["log"], record["seq"], record["previous"])
    except (ValueError, KeyError, TypeError):
        torn += line
        continue
    what = record["what"] if record["kind"] == "torn" else {"bytes": 0, "sha256": hashlib.sha256(b"").hexdigest()}
    if (what["bytes"], what["sha256"]) != (len(torn), hashlib.sha256(torn).hexdigest()):
        faults.append(f"lines before record {record['seq']} are not records")
    # Without the files before, the chain begins anywhere.
    expected = found if seq is None and record["seq"] else (log or found[0], 0 if seq is None else seq + 1, previous)
    if found != expected:
        faults.append(f"edited or missing: record {record['seq']} does not follow {seq}")
    torn, (log, seq) = b"", found[:2]
    previous = hashes[seq] = hashlib.sha256(line.rstrip(b"\n")).hexdigest()
    if record["kind"] == "checkpoint":
        read(record["what"])
for number, (of, digest) in sorted(signed.items()):
    if number >= min(hashes, default=0) and (of, digest) != (log, hashes.get(number)):
        faults.append(f"cut or edited: record {number} is not the one that was signed")
print("\n".join(faults) or f"whole: {len(hashes)} records, signed up to record {max(signed, default=None)}")
sys.exit(bool(faults))
