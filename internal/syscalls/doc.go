// Package syscalls decodes the system calls of x86-64 Linux as strace prints them: names, arguments, paths, flags,
// structures, errors and results. It does not trace: its caller passes it the registers and the memory of a thread at
// the entry of a call, and again at its exit.
//
// A tracer keeps one Call for each thread, and uses it again and again:
//
//	var call syscalls.Call                              // or with Bytes and Elements, which bound what is shown
//	call.Enter(syscalls.Entry{number, args, stack}, mem) // at the entry, before the kernel does anything
//	call.Exit(result, mem)                              // at the exit
//	line = call.Append(line[:0])                        // openat(AT_FDCWD, "x", O_RDONLY) = 3
//
// Enter reads what the program passes to the kernel: after execve that memory is gone, and another thread may change it.
// Exit reads what the kernel has written; if the call failed, the line has its address. Between the two, Append gives
// the line as far as it is known. End ends a call from which the thread does not return; its result is "?". When a
// tracer attaches to a thread inside a call, Enter may be late: the registers still have the arguments.
//
// Name, Args and Arg, Path, Result, Error and AppendResult give the parts of the line.
//
// With Paths, descriptors among the arguments, and those that open, dup, socket and the like return, are shown with what
// they stand for, as by strace -y; not those in structures and arrays.
//
// Enter and Exit each read memory at most 192 times, at most 4096 bytes each time; nearly all calls take three reads or
// fewer. What cannot be read is shown as its address. Strings are quoted, with unprintable characters in octal. Neither
// allocates once the buffers of the Call have grown. A Call is for one goroutine at a time.
//
// A Set has the calls that a user names, as for strace -e: names, classes (%file), all but some (!futex).
//
// "go generate" makes the tables in numbers.go, constants.go and failures.go. A call without a row in table.go has its
// arguments in hexadecimal, as many as undecoded.go tells.
package syscalls

//go:generate go run ./tables .
