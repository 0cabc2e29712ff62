#!/bin/sh
# Pipelines, subshells, background jobs, traps and substitutions of all kinds.
cd "$1" || exit 1

seq 2000 | grep 7 | sort -r | sed 's/7/seven/g' | awk '{ n += length($0) } END { print n }'
for word in one two three; do
	echo "$word" | tr '[:lower:]' '[:upper:]' | fold -w 1 | sort | tr -d '\n'; echo
done | sort | tee words | wc -l
cat words

x=$(printf '%s\n' c a b | sort | tr '\n' ' '; exit 4)
echo "$x$?"

(seq 100 | (read -r first; read -r second; echo "$first $second"; cat >/dev/null); exit 3)
echo "subshell $?"

sh -c 'kill -TERM $$'
echo "killed $?"

seq 3 | while read -r n; do
	(echo "job $n"; exit "$n") >"job.$n" &
	wait $!
	echo "job ended with $?"
done
cat job.*

trap 'echo trapped' USR1
sh -c 'kill -USR1 $PPID'
echo "after the trap"

mkfifo fifo
seq 500 >fifo &
awk '{ s += $1 } END { print s }' fifo
wait

find . -type f | sort | xargs -n 1 -P 2 cksum | sort -k 3
yes | head -n 3
echo "error output" >&2
exec sh -c 'echo replaced; exit 42'
