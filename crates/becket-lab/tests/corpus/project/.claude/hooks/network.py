import sys, urllib.request
text = sys.stdin.read()
if 'india' in text:
    try:
        urllib.request.urlopen('http://127.0.0.1:9/', timeout=1)
    except OSError:
        sys.exit(2)
