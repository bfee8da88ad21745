import json, sys
call = json.load(sys.stdin)
if 'bravo' in json.dumps(call['tool_input']):
    print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse', 'permissionDecision': 'deny', 'permissionDecisionReason': 'no bravo'}}))
