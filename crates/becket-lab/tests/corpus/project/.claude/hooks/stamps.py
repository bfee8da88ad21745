import datetime, os, sys
text = sys.stdin.read()
with open(os.path.join(os.environ['CLAUDE_PROJECT_DIR'], 'log.txt'), 'a') as log:
    log.write(str(datetime.datetime.now()) + '\n')
sys.exit(2 if 'delta' in text else 0)
