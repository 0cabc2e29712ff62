# Completion of pct and profile for bash: names of reports, flags, run directories.
# What there is, their own -h says. `make install` puts this where the package
# bash-completion looks; without that: source pct.bash
# shellcheck shell=bash

_pct_flags() { sed -n 's/^  \(-[A-Za-z][a-z-]*\).*/\1/p'; }

# The names of reports, also those with a percent sign.
_pct_reports() { sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p; s/^With % at the end, \(.*%\).*/\1/p'; }

_pct() {
	local word=$2 run runs=${PCT_DIR:-/tmp/pct}
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" -h | _pct_reports) -h -version" -- "$word")
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" "${COMP_WORDS[1]}" -h 2>/dev/null | _pct_flags)" -- "$word")
	else
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		for run in "$runs/$word"*/; do
			[ ! -d "$run" ] || COMPREPLY+=("${run%/}")
		done
	fi
}

_profile() {
	if [[ $2 == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" -h | _pct_flags)" -- "$2")
	elif [[ $2 != */* ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$2")
	fi
}

complete -o default -F _pct pct
complete -o default -F _profile profile
