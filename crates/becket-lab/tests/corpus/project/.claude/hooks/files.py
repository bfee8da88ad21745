import json, sys
path = json.load(sys.stdin)['tool_input'].get('file_path', '')
if path.endswith('.env'):
    print('secrets stay unread', file=sys.stderr)
    sys.exit(2)
