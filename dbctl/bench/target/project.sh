#!/bin/sh
# project.sh DIR N: makes a C project of N source files in DIR, with a Makefile
# that builds a library and the program "sum" of them.
set -eu
dir=$1 n=$2
mkdir -p "$dir"
cd "$dir"

i=0
while [ $i -lt "$n" ]; do
	cat >part$i.c <<-END
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include "parts.h"

	struct entry$i { char name[16]; int value; struct entry$i *next; };

	static int compare$i(const void *a, const void *b)
	{
		const struct entry$i *x = a, *y = b;
		return x->value - y->value ? x->value - y->value : strcmp(x->name, y->name);
	}

	int part$i(int n)
	{
		struct entry$i *table = calloc((size_t)n, sizeof *table);
		unsigned sum = $i;

		for (int k = 0; k < n; k++) {
			snprintf(table[k].name, sizeof table[k].name, "entry%d", k * $i % 17);
			table[k].value = (k * 7919 + $i) % 101;
			table[k].next = k ? &table[k - 1] : NULL;
		}
		qsort(table, (size_t)n, sizeof *table, compare$i);
		for (int k = 0; k < n; k++)
			sum = sum * 31 + (unsigned)table[k].value + (unsigned)strlen(table[k].name);
		free(table);
		return (int)(sum % 9973);
	}
	END
	echo "int part$i(int n);"
	i=$((i + 1))
done >parts.h

{
	echo '#include <stdio.h>'
	echo '#include "parts.h"'
	echo 'static int (*const parts[])(int) = {'
	i=0
	while [ $i -lt "$n" ]; do
		echo "	part$i,"
		i=$((i + 1))
	done
	cat <<-'END'
	};

	int main(void)
	{
		int sum = 0;
		for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
			sum += parts[i](100);
		printf("%d\n", sum);
		return 0;
	}
	END
} >main.c

cat >Makefile <<'END'
CC      = gcc
CFLAGS  = -O1 -Wall
OBJECTS = $(patsubst %.c,%.o,$(sort $(wildcard part*.c)))

check: sum
	./sum > result && grep -q '^[0-9]*$$' result

sum: main.o libparts.a
	$(CC) -o $@ main.o libparts.a

libparts.a: $(OBJECTS)
	ar rcD $@ $(OBJECTS)

main.o $(OBJECTS): parts.h

%.o: %.c
	$(CC) $(CFLAGS) -c -o $@ $<

clean:
	rm -f *.o *.a sum result
END
