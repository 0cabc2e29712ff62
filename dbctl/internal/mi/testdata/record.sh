#!/bin/sh
# record.sh: prints what gdb says in an MI session that has every kind of
# record that dbctl meets. Its output is kept as gdb13.mi:
#
#   sh record.sh > gdb13.mi
set -eu
here=$(dirname "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cc -g -O0 -pthread -ffile-prefix-map="$here"=/src -o "$dir/target" "$here/target.c"
cd "$dir"
{
	cat <<-'END'
		-gdb-version
		-list-features
		set startup-with-shell off
		set print thread-events off
		handle SIGURG stop print nopass
		break inner if depth == 3
		-break-insert main
		-break-commands 2 "silent" "print argc"
		catch fork
		-break-list
		tbreak nosuchfunction
		-nonsense
		nonsense
		echo \033\a\342\202\254\n
		-exec-run
	END
	for _ in 1 2 3 4; do
		cat <<-'END'
			-stack-list-frames
			-stack-list-arguments 1
			-stack-list-arguments 2
			-stack-list-variables --all-values
			-stack-list-frames 0 3
			backtrace
			backtrace 4
			-thread-info
			up 3
			print *p
			print s
			print nosuch
			-data-evaluate-expression v
			-stack-select-frame 3
			-stack-list-variables --simple-values
			-data-evaluate-expression buf
			-data-evaluate-expression "\"\303\274\\033\\377\""
			-data-list-register-values x
			-data-read-memory-bytes $sp 512
			-exec-continue
		END
	done
	echo '-exec-continue'
	echo '-gdb-exit'
} | awk '{ print NR $0 }' >commands
gdb -q -nx --interpreter=mi3 -ex 'set debuginfod enabled off' ./target <commands | sed "s|$dir|/src|g"
