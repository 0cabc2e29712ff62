# work.py ROUNDS: calls, recursion, JSON, regular expressions, a sort with a function.
import json, re, sys
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def queens(n, row=0, columns=0, left=0, right=0):
    if row == n:
        return 1
    found = 0
    for i in range(n):
        if not (columns >> i & 1 or left >> row + i & 1 or right >> row - i + n & 1):
            found += queens(n, row + 1, columns | 1 << i, left | 1 << row + i, right | 1 << row - i + n)
    return found
total = 0
for _ in range(int(sys.argv[1])):
    total += fib(19) + queens(6)
    text = json.dumps({str(i): [i, 2 * i, {"a": str(i)}] for i in range(6000)})
    total += len(json.loads(text)) + len(re.findall(r'"a": "(\d+)"', text))
    total += len(sorted(text.split(","), key=lambda w: w[::-1]))
print(total)
