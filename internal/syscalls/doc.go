// Package syscalls decodes the system calls of x86-64 Linux as strace prints them: names, arguments, paths, flags,
// structures, errors and results. It makes no call itself: whoever traces tells it what a thread asks, lends the
// thread's memory, and later tells what the kernel returned.
//
// A tracer keeps one Call for each thread, and uses it again and again:
//
//	var call syscalls.Call                              // or with Bytes and Elements, which bound what is shown
//	call.Enter(syscalls.Entry{number, args, stack}, mem) // at the entry, before the kernel does anything
//	call.Exit(result, mem)                              // at the exit
//	line = call.Append(line[:0])                        // openat(AT_FDCWD, "x", O_RDONLY) = 3
//
// What a program tells the kernel is read at the entry: after execve its memory is gone, and another thread may change
// it. What the kernel tells the program is read at the exit; if the call failed, it is an address. Between the two,
// Append gives the line as far as it is known. A call from which the thread does not return is ended by End, and its
// result is "?". Of a call that a tracer finds a thread in, when it attaches, Enter may be late: its arguments are in
// the registers still.
//
// The pieces are had by Name, Args and Arg, Path, Result, Error and AppendResult. Their texts are those of the line.
//
// Memory is read through one interface, at most 192 times at each end, at most 4096 bytes each time; nearly all calls
// take none to three reads. What can't be read is shown as its address. The texts are quoted: what can't be seen in
// octal. Neither end allocates once the buffers of the Call have grown. Two goroutines need two Calls.
//
// A Set has the calls that a user names, as strace -e: names, classes (%file), all but some (!futex).
//
// The tables in numbers.go, constants.go and failures.go are made by "go generate". A call that has no row in table.go
// has its arguments in hexadecimal, as many as undecoded.go tells.
package syscalls

//go:generate go run ./tables .
