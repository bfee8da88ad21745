import json, sys
command = json.load(sys.stdin)['tool_input'].get('command', '')
sys.exit(2 if len(command) > 120 else 0)
