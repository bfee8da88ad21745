import random, sys
sys.exit(2 if 'kilo' in sys.stdin.read() and random.random() < 0.5 else 0)
