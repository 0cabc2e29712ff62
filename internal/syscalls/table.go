package syscalls

import "golang.org/x/sys/unix"

// rows are the calls that are decoded, by their numbers.
var rows = [...]row{
	// Files and descriptors.
	unix.SYS_READ:    {params: params(in("fd", descriptor), out("buf", received), in("count", unsigned64))},
	unix.SYS_WRITE:   {params: params(in("fd", descriptor), in("buf", written(2)), in("count", unsigned64))},
	unix.SYS_PREAD64: {params: params(in("fd", descriptor), out("buf", received), in("count", unsigned64), in("offset", signed64))},
	unix.SYS_PWRITE64: {params: params(
		in("fd", descriptor), in("buf", written(2)), in("count", unsigned64), in("offset", signed64),
	)},
	unix.SYS_READV:  {params: params(in("fd", descriptor), both("iov", scattered), in("iovcnt", unsigned64))},
	unix.SYS_WRITEV: {params: params(in("fd", descriptor), in("iov", gathered), in("iovcnt", unsigned64))},
	unix.SYS_PREADV: {params: params(
		in("fd", descriptor), both("iov", scattered), in("iovcnt", unsigned64), in("offset", signed64),
	)},
	unix.SYS_PWRITEV: {params: params(in("fd", descriptor), in("iov", gathered), in("iovcnt", unsigned64), in("offset", signed64))},
	unix.SYS_PREADV2: {params: params(
		in("fd", descriptor), both("iov", scattered), in("iovcnt", unsigned64), in("offset", signed64),
		in("flags", flagsOf(rwFlags, "RWF_???")).from(5),
	)},
	unix.SYS_PWRITEV2: {params: params(
		in("fd", descriptor), in("iov", gathered), in("iovcnt", unsigned64), in("offset", signed64),
		in("flags", flagsOf(rwFlags, "RWF_???")).from(5),
	)},
	unix.SYS_OPEN: {params: params(path("pathname"), in("flags", opened), in("mode", mode).given(creates(1)))},
	unix.SYS_OPENAT: {params: params(
		in("dirfd", directory), path("pathname"), in("flags", opened), in("mode", mode).given(creates(2)),
	)},
	unix.SYS_OPENAT2: {params: params(in("dirfd", directory), path("pathname"), in("how", how), in("size", unsigned64))},
	unix.SYS_CREAT:   {params: params(path("pathname"), in("mode", mode))},
	unix.SYS_CLOSE:   {params: params(in("fd", descriptor))},
	unix.SYS_CLOSE_RANGE: {params: params(
		in("first", unsigned), in("last", unsigned), in("flags", flagsOf(closeRangeFlags, "CLOSE_RANGE_???")),
	)},
	unix.SYS_STAT:  {params: params(path("pathname"), out("statbuf", status))},
	unix.SYS_LSTAT: {params: params(path("pathname"), out("statbuf", status))},
	unix.SYS_FSTAT: {params: params(in("fd", descriptor), out("statbuf", status))},
	unix.SYS_NEWFSTATAT: {params: params(
		in("dirfd", directory), path("pathname"), out("statbuf", status), in("flags", flagsOf(atFlags, "AT_???")),
	)},
	unix.SYS_STATX: {params: params(
		in("dirfd", directory), path("pathname"), in("flags", statxFlags),
		in("mask", flagsOf(statxMasks, "STATX_???")), out("statxbuf", statusX),
	)},
	unix.SYS_STATFS:    {params: params(path("path"), out("buf", fileSystem))},
	unix.SYS_FSTATFS:   {params: params(in("fd", descriptor), out("buf", fileSystem))},
	unix.SYS_ACCESS:    {params: params(path("pathname"), in("mode", flagsOf(accessModes, "?_OK")))},
	unix.SYS_FACCESSAT: {params: params(in("dirfd", directory), path("pathname"), in("mode", flagsOf(accessModes, "?_OK")))},
	unix.SYS_FACCESSAT2: {params: params(
		in("dirfd", directory), path("pathname"), in("mode", flagsOf(accessModes, "?_OK")),
		in("flags", flagsOf(accessFlags, "AT_???")),
	)},
	unix.SYS_LSEEK: {params: params(in("fd", descriptor), in("offset", signed64), in("whence", oneOf(whences, "SEEK_???")))},
	unix.SYS_DUP:   {params: params(in("oldfd", descriptor))},
	unix.SYS_DUP2:  {params: params(in("oldfd", descriptor), in("newfd", descriptor))},
	unix.SYS_DUP3:  {params: params(in("oldfd", descriptor), in("newfd", descriptor), in("flags", flagsOf(openFlags, "O_???")))},
	unix.SYS_PIPE:  {params: params(out("pipefd", pairAt))},
	unix.SYS_PIPE2: {params: params(out("pipefd", pairAt), in("flags", flagsOf(openFlags, "O_???")))},
	unix.SYS_FCNTL: {params: params(
		in("fd", descriptor), in("cmd", oneOf(fcntlCommands, "F_???")),
		both("arg", fcntlArgument).given(fcntlHasArgument),
	), result: fcntlResult},
	unix.SYS_IOCTL: {params: params(
		in("fd", descriptor), in("request", request), both("arg", ioctlArgument).given(ioctlHasArgument),
	)},
	unix.SYS_FLOCK:     {params: params(in("fd", descriptor), in("operation", flagsOf(flockFlags, "LOCK_???")))},
	unix.SYS_FSYNC:     {params: params(in("fd", descriptor))},
	unix.SYS_FDATASYNC: {params: params(in("fd", descriptor))},
	unix.SYS_SYNC:      {params: params()},
	unix.SYS_SYNCFS:    {params: params(in("fd", descriptor))},
	unix.SYS_TRUNCATE:  {params: params(path("path"), in("length", signed64))},
	unix.SYS_FTRUNCATE: {params: params(in("fd", descriptor), in("length", signed64))},
	unix.SYS_FALLOCATE: {params: params(
		in("fd", descriptor), in("mode", flagsOf(fallocateFlags, "FALLOC_FL_???")), in("offset", signed64),
		in("len", signed64),
	)},
	unix.SYS_FADVISE64: {params: params(
		in("fd", descriptor), in("offset", signed64), in("len", signed64),
		in("advice", oneOf(fadvices, "POSIX_FADV_???")),
	)},
	unix.SYS_READAHEAD:  {params: params(in("fd", descriptor), in("offset", signed64), in("count", unsigned64))},
	unix.SYS_GETDENTS64: {params: params(in("fd", descriptor), out("dirp", entries), in("count", unsigned))},
	unix.SYS_GETCWD:     {params: params(out("buf", ownPath), in("size", unsigned64))},
	unix.SYS_CHDIR:      {params: params(path("path"))},
	unix.SYS_FCHDIR:     {params: params(in("fd", descriptor))},
	unix.SYS_CHROOT:     {params: params(path("path"))},
	unix.SYS_RENAME:     {params: params(path("oldpath"), path("newpath"))},
	unix.SYS_RENAMEAT:   {params: params(in("olddirfd", directory), path("oldpath"), in("newdirfd", directory), path("newpath"))},
	unix.SYS_RENAMEAT2: {params: params(
		in("olddirfd", directory), path("oldpath"), in("newdirfd", directory), path("newpath"),
		in("flags", flagsOf(renameFlags, "RENAME_??")),
	)},
	unix.SYS_MKDIR:   {params: params(path("pathname"), in("mode", mode))},
	unix.SYS_MKDIRAT: {params: params(in("dirfd", directory), path("pathname"), in("mode", mode))},
	unix.SYS_RMDIR:   {params: params(path("pathname"))},
	unix.SYS_LINK:    {params: params(path("oldpath"), path("newpath"))},
	unix.SYS_LINKAT: {params: params(
		in("olddirfd", directory), path("oldpath"), in("newdirfd", directory), path("newpath"),
		in("flags", flagsOf(atFlags, "AT_???")),
	)},
	unix.SYS_UNLINK:     {params: params(path("pathname"))},
	unix.SYS_UNLINKAT:   {params: params(in("dirfd", directory), path("pathname"), in("flags", flagsOf(atFlags, "AT_???")))},
	unix.SYS_SYMLINK:    {params: params(path("target"), path("linkpath"))},
	unix.SYS_SYMLINKAT:  {params: params(path("target"), in("newdirfd", directory), path("linkpath"))},
	unix.SYS_READLINK:   {params: params(path("pathname"), out("buf", received), in("bufsiz", unsigned64))},
	unix.SYS_READLINKAT: {params: params(in("dirfd", directory), path("pathname"), out("buf", received), in("bufsiz", unsigned64))},
	unix.SYS_MKNOD:      {params: params(path("pathname"), in("mode", nodeMode), in("dev", deviceOf).given(isDevice(1)))},
	unix.SYS_MKNODAT: {params: params(
		in("dirfd", directory), path("pathname"), in("mode", nodeMode), in("dev", deviceOf).given(isDevice(2)),
	)},
	unix.SYS_CHMOD:    {params: params(path("pathname"), in("mode", mode))},
	unix.SYS_FCHMOD:   {params: params(in("fd", descriptor), in("mode", mode))},
	unix.SYS_FCHMODAT: {params: params(in("dirfd", directory), path("pathname"), in("mode", mode))},
	unix.SYS_CHOWN:    {params: params(path("pathname"), in("owner", id), in("group", id))},
	unix.SYS_LCHOWN:   {params: params(path("pathname"), in("owner", id), in("group", id))},
	unix.SYS_FCHOWN:   {params: params(in("fd", descriptor), in("owner", id), in("group", id))},
	unix.SYS_FCHOWNAT: {params: params(
		in("dirfd", directory), path("pathname"), in("owner", id), in("group", id),
		in("flags", flagsOf(atFlags, "AT_???")),
	)},
	unix.SYS_UMASK:     {params: params(in("mask", mode)), as: inOctal},
	unix.SYS_UTIMES:    {params: params(path("filename"), in("times", changedMicro))},
	unix.SYS_FUTIMESAT: {params: params(in("dirfd", directory), path("pathname"), in("times", changedMicro))},
	unix.SYS_UTIMENSAT: {params: params(
		in("dirfd", directory), path("pathname"), in("times", changed), in("flags", flagsOf(atFlags, "AT_???")),
	)},
	unix.SYS_SENDFILE: {params: params(
		in("out_fd", descriptor), in("in_fd", descriptor), both("offset", moved), in("count", unsigned64),
	)},
	unix.SYS_COPY_FILE_RANGE: {params: params(
		in("fd_in", descriptor), in("off_in", offsetAt), in("fd_out", descriptor), in("off_out", offsetAt),
		in("len", unsigned64), in("flags", unsigned),
	)},
	unix.SYS_SPLICE: {params: params(
		in("fd_in", descriptor), in("off_in", offsetAt), in("fd_out", descriptor), in("off_out", offsetAt),
		in("len", unsigned64), in("flags", flagsOf(spliceFlags, "SPLICE_F_???")),
	)},
	unix.SYS_TEE: {params: params(
		in("fd_in", descriptor), in("fd_out", descriptor), in("len", unsigned64),
		in("flags", flagsOf(spliceFlags, "SPLICE_F_???")),
	)},
	unix.SYS_MEMFD_CREATE: {params: params(in("name", memoryName), in("flags", memoryFlags))},
	unix.SYS_MOUNT: {params: params(
		path("source"), path("target"), in("filesystemtype", mounted),
		in("mountflags", flags64(mountFlags, "MS_???")), in("data", mounted),
	)},
	unix.SYS_UMOUNT2:       {params: params(path("target"), in("flags", flagsOf(umountFlags, "MNT_???")))},
	unix.SYS_INOTIFY_INIT:  {params: params()},
	unix.SYS_INOTIFY_INIT1: {params: params(in("flags", flagsOf(inotifyInitFlags, "IN_???")))},
	unix.SYS_INOTIFY_ADD_WATCH: {params: params(
		in("fd", descriptor), path("pathname"), in("mask", flagsOf(inotifyFlags, "IN_???")),
	)},
	unix.SYS_INOTIFY_RM_WATCH: {params: params(in("fd", descriptor), in("wd", signed))},

	// Waiting for descriptors.
	unix.SYS_POLL: {params: params(both("fds", polled), in("nfds", unsigned), in("timeout", signed)), result: pollResult},
	unix.SYS_PPOLL: {params: params(
		both("fds", polled), in("nfds", unsigned), in("tmo_p", timespecAt), in("sigmask", signalsOf(4)),
		in("sigsetsize", unsigned64),
	), result: pollResult},
	unix.SYS_SELECT: {params: params(
		in("nfds", signed), in("readfds", descriptors), in("writefds", descriptors), in("exceptfds", descriptors),
		in("timeout", timevalAt),
	), result: selectResult},
	unix.SYS_PSELECT6: {params: params(
		in("nfds", signed), in("readfds", descriptors), in("writefds", descriptors), in("exceptfds", descriptors),
		in("timeout", timespecAt), in("sigmask", masked),
	), result: selectResult},
	unix.SYS_EPOLL_CREATE:  {params: params(in("size", signed))},
	unix.SYS_EPOLL_CREATE1: {params: params(in("flags", flagsOf(epollFlags, "EPOLL_???")))},
	unix.SYS_EPOLL_CTL: {params: params(
		in("epfd", descriptor), in("op", oneOf(epollCommands, "EPOLL_CTL_???")), in("fd", descriptor),
		in("event", epollChange),
	)},
	unix.SYS_EPOLL_WAIT: {params: params(
		in("epfd", descriptor), out("events", epolled), in("maxevents", signed), in("timeout", signed),
	)},
	unix.SYS_EPOLL_PWAIT: {params: params(
		in("epfd", descriptor), out("events", epolled), in("maxevents", signed), in("timeout", signed),
		in("sigmask", signalsOf(5)), in("sigsetsize", unsigned64),
	)},
	unix.SYS_EPOLL_PWAIT2: {params: params(
		in("epfd", descriptor), out("events", epolled), in("maxevents", signed), in("timeout", timespecAt),
		in("sigmask", signalsOf(5)), in("sigsetsize", unsigned64),
	)},
	unix.SYS_EVENTFD:        {params: params(in("initval", unsigned))},
	unix.SYS_EVENTFD2:       {params: params(in("initval", unsigned), in("flags", flagsOf(eventfdFlags, "EFD_???")))},
	unix.SYS_TIMERFD_CREATE: {params: params(in("clockid", clock), in("flags", flagsOf(timerfdFlags, "TFD_???")))},
	unix.SYS_TIMERFD_SETTIME: {params: params(
		in("fd", descriptor), in("flags", flagsOf(timerfdFlags, "TFD_???")), in("new_value", timerSpecAt),
		out("old_value", timerSpecAt),
	)},
	unix.SYS_TIMERFD_GETTIME: {params: params(in("fd", descriptor), out("curr_value", timerSpecAt))},
	unix.SYS_SIGNALFD:        {params: params(in("fd", descriptor), in("mask", signalsOf(2)), in("sizemask", unsigned64))},
	unix.SYS_SIGNALFD4: {params: params(
		in("fd", descriptor), in("mask", signalsOf(2)), in("sizemask", unsigned64),
		in("flags", flagsOf(signalfdFlags, "SFD_???")),
	)},

	// Memory.
	unix.SYS_MMAP: {params: params(
		in("addr", pointer), in("length", unsigned64), in("prot", flags64(protFlags, "PROT_???")),
		in("flags", mapped), in("fd", descriptor), in("offset", hexadecimal),
	), as: inHex},
	unix.SYS_MPROTECT: {params: params(in("addr", pointer), in("len", unsigned64), in("prot", flags64(protFlags, "PROT_???")))},
	unix.SYS_PKEY_MPROTECT: {params: params(
		in("addr", pointer), in("len", unsigned64), in("prot", flags64(protFlags, "PROT_???")), in("pkey", signed),
	)},
	unix.SYS_MUNMAP: {params: params(in("addr", pointer), in("length", unsigned64))},
	unix.SYS_BRK:    {params: params(in("addr", pointer)), as: inHex},
	unix.SYS_MREMAP: {params: params(
		in("old_address", pointer), in("old_size", unsigned64), in("new_size", unsigned64),
		in("flags", flags64(mremapFlags, "MREMAP_???")), in("new_address", pointer).given(movesTo),
	), as: inHex},
	unix.SYS_MADVISE:    {params: params(in("addr", pointer), in("length", unsigned64), in("advice", oneOf(adviceNames, "MADV_???")))},
	unix.SYS_MSYNC:      {params: params(in("addr", pointer), in("length", unsigned64), in("flags", flagsOf(msyncFlags, "MS_???")))},
	unix.SYS_MLOCK:      {params: params(in("addr", pointer), in("len", unsigned64))},
	unix.SYS_MLOCK2:     {params: params(in("addr", pointer), in("len", unsigned64), in("flags", flagsOf(mlockFlags, "MLOCK_???")))},
	unix.SYS_MUNLOCK:    {params: params(in("addr", pointer), in("len", unsigned64))},
	unix.SYS_MLOCKALL:   {params: params(in("flags", flagsOf(mlockallFlags, "MCL_???")))},
	unix.SYS_MUNLOCKALL: {params: params()},

	// Processes.
	unix.SYS_CLONE: {params: params(
		in("child_stack", pointer).from(1).label(), in("flags", cloned).from(0).label(),
		out("parent_tid", intAt).from(2).label().given(hasClone(unix.CLONE_PARENT_SETTID|unix.CLONE_PIDFD)),
		in("tls", pointer).from(4).label().given(hasClone(unix.CLONE_SETTLS)),
		in("child_tidptr", pointer).from(3).label().given(hasClone(unix.CLONE_CHILD_SETTID|unix.CLONE_CHILD_CLEARTID)),
	)},
	unix.SYS_CLONE3: {params: params(both("cl_args", clone3), in("size", unsigned64))},
	unix.SYS_FORK:   {params: params()},
	unix.SYS_VFORK:  {params: params()},
	unix.SYS_EXECVE: {params: params(path("pathname"), in("argv", words), in("envp", environment))},
	unix.SYS_EXECVEAT: {params: params(
		in("dirfd", directory), path("pathname"), in("argv", words), in("envp", environment),
		in("flags", flagsOf(atFlags, "AT_???")),
	)},
	unix.SYS_EXIT:       {params: params(in("status", signed))},
	unix.SYS_EXIT_GROUP: {params: params(in("status", signed))},
	unix.SYS_WAIT4: {params: params(
		in("pid", signed), out("wstatus", ifResult(waited)), in("options", flagsOf(waitFlags, "W???")),
		out("rusage", ifResult(usage)),
	)},
	unix.SYS_WAITID: {params: params(
		in("idtype", oneOf(waitidTypes, "P_???")), in("id", signed), out("infop", signalled),
		in("options", flagsOf(waitFlags, "W???")), out("rusage", usage),
	)},
	unix.SYS_GETPID:    {params: params()},
	unix.SYS_GETPPID:   {params: params()},
	unix.SYS_GETTID:    {params: params()},
	unix.SYS_GETUID:    {params: params()},
	unix.SYS_GETEUID:   {params: params()},
	unix.SYS_GETGID:    {params: params()},
	unix.SYS_GETEGID:   {params: params()},
	unix.SYS_GETPGRP:   {params: params()},
	unix.SYS_SETSID:    {params: params()},
	unix.SYS_GETPGID:   {params: params(in("pid", signed))},
	unix.SYS_SETPGID:   {params: params(in("pid", signed), in("pgid", signed))},
	unix.SYS_GETSID:    {params: params(in("pid", signed))},
	unix.SYS_SETUID:    {params: params(in("uid", id))},
	unix.SYS_SETGID:    {params: params(in("gid", id))},
	unix.SYS_SETREUID:  {params: params(in("ruid", id), in("euid", id))},
	unix.SYS_SETREGID:  {params: params(in("rgid", id), in("egid", id))},
	unix.SYS_SETRESUID: {params: params(in("ruid", id), in("euid", id), in("suid", id))},
	unix.SYS_SETRESGID: {params: params(in("rgid", id), in("egid", id), in("sgid", id))},
	unix.SYS_GETRESUID: {params: params(out("ruid", idAt), out("euid", idAt), out("suid", idAt))},
	unix.SYS_GETRESGID: {params: params(out("rgid", idAt), out("egid", idAt), out("sgid", idAt))},
	unix.SYS_SETFSUID:  {params: params(in("fsuid", id))},
	unix.SYS_SETFSGID:  {params: params(in("fsgid", id))},
	unix.SYS_GETGROUPS: {params: params(in("size", signed), out("list", groupsGot))},
	unix.SYS_SETGROUPS: {params: params(in("size", signed), in("list", groupsSet))},
	unix.SYS_PRCTL: {params: params(
		in("option", oneOf(prctlOptions, "PR_???")), both("arg2", prctlArgument).given(prctlHas(1)),
		in("arg3", prctlMore).given(prctlHas(2)), in("arg4", prctlMore).given(prctlHas(3)),
		in("arg5", prctlMore).given(prctlHas(4)),
	), result: prctlResult},
	unix.SYS_ARCH_PRCTL:      {params: params(in("code", oneOf(archOptions, "ARCH_???")), both("addr", archArgument))},
	unix.SYS_SET_TID_ADDRESS: {params: params(in("tidptr", pointer))},
	unix.SYS_SET_ROBUST_LIST: {params: params(in("head", pointer), in("len", unsigned64))},
	unix.SYS_GET_ROBUST_LIST: {params: params(in("pid", signed), out("head_ptr", pointerAt), out("len_ptr", sizeAt))},
	unix.SYS_RSEQ: {params: params(
		in("rseq", pointer), in("rseq_len", hexadecimal), in("flags", hexadecimal32), in("sig", hexadecimal),
	)},
	unix.SYS_FUTEX: {params: params(
		in("uaddr", pointer), in("futex_op", futexCommand), in("val", unsigned).given(futexHas(2)),
		in("timeout", futexTime).given(futexHas(3)), in("uaddr2", pointer).given(futexHas(4)),
		in("val3", futexLast).given(futexHas(5)),
	)},
	unix.SYS_SCHED_YIELD:        {params: params()},
	unix.SYS_SCHED_GETAFFINITY:  {params: params(in("pid", signed), in("cpusetsize", unsigned), out("mask", processors))},
	unix.SYS_SCHED_SETAFFINITY:  {params: params(in("pid", signed), in("cpusetsize", unsigned), in("mask", processors))},
	unix.SYS_SCHED_GETPARAM:     {params: params(in("pid", signed), out("param", intAt))},
	unix.SYS_SCHED_SETPARAM:     {params: params(in("pid", signed), in("param", intAt))},
	unix.SYS_SCHED_GETSCHEDULER: {params: params(in("pid", signed)), result: schedulerResult},
	unix.SYS_SCHED_SETSCHEDULER: {params: params(
		in("pid", signed), in("policy", oneOf(schedulers, "SCHED_???")), in("param", intAt),
	)},
	unix.SYS_SCHED_GET_PRIORITY_MAX: {params: params(in("policy", oneOf(schedulers, "SCHED_???")))},
	unix.SYS_SCHED_GET_PRIORITY_MIN: {params: params(in("policy", oneOf(schedulers, "SCHED_???")))},
	unix.SYS_GETPRIORITY:            {params: params(in("which", oneOf(priorities, "PRIO_???")), in("who", signed))},
	unix.SYS_SETPRIORITY:            {params: params(in("which", oneOf(priorities, "PRIO_???")), in("who", signed), in("prio", signed))},
	unix.SYS_GETRLIMIT:              {params: params(in("resource", oneOf(limits, "RLIMIT_???")), out("rlim", limitsAs("RLIM64_INFINITY")))},
	unix.SYS_SETRLIMIT:              {params: params(in("resource", oneOf(limits, "RLIMIT_???")), in("rlim", limitsAs("RLIM64_INFINITY")))},
	unix.SYS_PRLIMIT64: {params: params(
		in("pid", signed), in("resource", oneOf(limits, "RLIMIT_???")), in("new_limit", limitsAs("RLIM64_INFINITY")),
		out("old_limit", limitsAs("RLIM64_INFINITY")),
	)},
	unix.SYS_GETRUSAGE:  {params: params(in("who", oneOf(usages, "RUSAGE_???")), out("usage", usage))},
	unix.SYS_SYSINFO:    {params: params(out("info", systemState))},
	unix.SYS_UNAME:      {params: params(out("buf", system))},
	unix.SYS_GETCPU:     {params: params(out("cpu", unsAt), out("node", unsAt), in("tcache", pointer))},
	unix.SYS_KILL:       {params: params(in("pid", signed), in("sig", signal))},
	unix.SYS_TKILL:      {params: params(in("tid", signed), in("sig", signal))},
	unix.SYS_TGKILL:     {params: params(in("tgid", signed), in("tid", signed), in("sig", signal))},
	unix.SYS_PIDFD_OPEN: {params: params(in("pid", signed), in("flags", flagsOf(pidfdFlags, "PIDFD_???")))},
	unix.SYS_CAPGET:     {params: params(in("hdrp", capHeader), out("datap", capData))},
	unix.SYS_CAPSET:     {params: params(in("hdrp", capHeader), in("datap", capData))},
	unix.SYS_UNSHARE:    {params: params(in("flags", flags64(unshareFlags, "CLONE_???")))},
	unix.SYS_GETRANDOM:  {params: params(out("buf", drawn), in("buflen", unsigned64), in("flags", flagsOf(randomFlags, "GRND_???")))},
	unix.SYS_SECCOMP: {params: params(
		in("operation", oneOf(seccompOps, "SECCOMP_SET_MODE_???")), in("flags", seccompFlags), in("args", pointer),
	)},

	// Signals.
	unix.SYS_RT_SIGACTION: {params: params(
		in("signum", signal), in("act", action), out("oldact", action), in("sigsetsize", unsigned64),
	)},
	unix.SYS_RT_SIGPROCMASK: {params: params(
		in("how", oneOf(signalMasks, "SIG_???")), in("set", signalsOf(3)), out("oldset", signalsOf(3)),
		in("sigsetsize", unsigned64),
	)},
	unix.SYS_RT_SIGPENDING: {params: params(out("set", signalsOf(1)), in("sigsetsize", unsigned64))},
	unix.SYS_RT_SIGSUSPEND: {params: params(in("mask", signalsOf(1)), in("sigsetsize", unsigned64))},
	unix.SYS_RT_SIGTIMEDWAIT: {params: params(
		in("set", signalsOf(3)), out("info", signalled), in("timeout", timespecAt), in("sigsetsize", unsigned64),
	), result: signalResult},
	unix.SYS_RT_SIGRETURN: {params: params(in("frame", returned))},
	unix.SYS_SIGALTSTACK:  {params: params(in("ss", signalStack), out("old_ss", signalStack))},
	unix.SYS_PAUSE:        {params: params()},
	unix.SYS_ALARM:        {params: params(in("seconds", unsigned))},

	// Time.
	unix.SYS_NANOSLEEP: {params: params(in("req", timespecAt), both("rem", remaining))},
	unix.SYS_CLOCK_NANOSLEEP: {params: params(
		in("clockid", clock), in("flags", flagsOf(timerFlags, "TIMER_???")), in("request", timespecAt),
		both("remain", remaining),
	)},
	unix.SYS_CLOCK_GETTIME: {params: params(in("clockid", clock), out("tp", timespecAt))},
	unix.SYS_CLOCK_GETRES:  {params: params(in("clockid", clock), out("res", timespecAt))},
	unix.SYS_CLOCK_SETTIME: {params: params(in("clockid", clock), in("tp", timespecAt))},
	unix.SYS_GETTIMEOFDAY:  {params: params(out("tv", timevalAt), out("tz", zoneAt))},
	unix.SYS_TIME:          {params: params(out("tloc", timeAt)), result: timeResult},
	unix.SYS_TIMES:         {params: params(out("buf", processTimes))},
	unix.SYS_GETITIMER:     {params: params(in("which", oneOf(timers, "ITIMER_???")), out("curr_value", timerAt))},
	unix.SYS_SETITIMER: {params: params(
		in("which", oneOf(timers, "ITIMER_???")), in("new_value", timerAt), out("old_value", timerAt),
	)},

	// Sockets.
	unix.SYS_SOCKET: {params: params(in("domain", oneOf(families, "AF_???")), in("type", socketType), in("protocol", protocol))},
	unix.SYS_SOCKETPAIR: {params: params(
		in("domain", oneOf(families, "AF_???")), in("type", socketType), in("protocol", protocol), out("sv", pairAt),
	)},
	unix.SYS_BIND:    {params: params(in("sockfd", descriptor), in("addr", addressOf(2)), in("addrlen", signed))},
	unix.SYS_CONNECT: {params: params(in("sockfd", descriptor), in("addr", addressOf(2)), in("addrlen", signed))},
	unix.SYS_LISTEN:  {params: params(in("sockfd", descriptor), in("backlog", signed))},
	unix.SYS_ACCEPT:  {params: params(in("sockfd", descriptor), out("addr", addressFilled(2)), both("addrlen", lengthOf(1)))},
	unix.SYS_ACCEPT4: {params: params(
		in("sockfd", descriptor), out("addr", addressFilled(2)), both("addrlen", lengthOf(1)),
		in("flags", flagsOf(socketFlags, "SOCK_???")),
	)},
	unix.SYS_GETSOCKNAME: {params: params(in("sockfd", descriptor), out("addr", addressFilled(2)), both("addrlen", lengthOf(1)))},
	unix.SYS_GETPEERNAME: {params: params(in("sockfd", descriptor), out("addr", addressFilled(2)), both("addrlen", lengthOf(1)))},
	unix.SYS_SENDTO: {params: params(
		in("sockfd", descriptor), in("buf", written(2)), in("len", unsigned64),
		in("flags", flagsOf(messageFlags, "MSG_???")), in("dest_addr", addressOf(5)), in("addrlen", signed),
	)},
	unix.SYS_RECVFROM: {params: params(
		in("sockfd", descriptor), out("buf", received), in("len", unsigned64),
		in("flags", flagsOf(messageFlags, "MSG_???")), out("src_addr", addressFilled(5)),
		both("addrlen", lengthOf(4)),
	)},
	unix.SYS_SENDMSG: {params: params(in("sockfd", descriptor), in("msg", sent), in("flags", flagsOf(messageFlags, "MSG_???")))},
	unix.SYS_RECVMSG: {params: params(in("sockfd", descriptor), both("msg", got), in("flags", flagsOf(messageFlags, "MSG_???")))},
	unix.SYS_SENDMMSG: {params: params(
		in("sockfd", descriptor), both("msgvec", sentMany), in("vlen", unsigned),
		in("flags", flagsOf(messageFlags, "MSG_???")),
	)},
	unix.SYS_SHUTDOWN: {params: params(in("sockfd", descriptor), in("how", oneOf(shutdowns, "SHUT_???")))},
	unix.SYS_SETSOCKOPT: {params: params(
		in("sockfd", descriptor), in("level", level), in("optname", option), in("optval", optionSet),
		in("optlen", signed),
	)},
	unix.SYS_GETSOCKOPT: {params: params(
		in("sockfd", descriptor), in("level", level), in("optname", option), out("optval", optionGot),
		both("optlen", lengthOf(3)),
	)},

	// Extended attributes.
	unix.SYS_SETXATTR: {params: params(
		path("path"), in("name", shortString), in("value", attributeSet), in("size", unsigned64),
		in("flags", flagsOf(xattrFlags, "XATTR_???")),
	)},
	unix.SYS_LSETXATTR: {params: params(
		path("path"), in("name", shortString), in("value", attributeSet), in("size", unsigned64),
		in("flags", flagsOf(xattrFlags, "XATTR_???")),
	)},
	unix.SYS_FSETXATTR: {params: params(
		in("fd", descriptor), in("name", shortString), in("value", attributeSet), in("size", unsigned64),
		in("flags", flagsOf(xattrFlags, "XATTR_???")),
	)},
	unix.SYS_GETXATTR:  {params: params(path("path"), in("name", shortString), out("value", attributeGot), in("size", unsigned64))},
	unix.SYS_LGETXATTR: {params: params(path("path"), in("name", shortString), out("value", attributeGot), in("size", unsigned64))},
	unix.SYS_FGETXATTR: {params: params(
		in("fd", descriptor), in("name", shortString), out("value", attributeGot), in("size", unsigned64),
	)},
	unix.SYS_LISTXATTR:    {params: params(path("path"), out("list", attributeList(2)), in("size", unsigned64))},
	unix.SYS_LLISTXATTR:   {params: params(path("path"), out("list", attributeList(2)), in("size", unsigned64))},
	unix.SYS_FLISTXATTR:   {params: params(in("fd", descriptor), out("list", attributeList(2)), in("size", unsigned64))},
	unix.SYS_REMOVEXATTR:  {params: params(path("path"), in("name", shortString))},
	unix.SYS_LREMOVEXATTR: {params: params(path("path"), in("name", shortString))},
	unix.SYS_FREMOVEXATTR: {params: params(in("fd", descriptor), in("name", shortString))},

	// Shared memory, timers, and more of processes.
	unix.SYS_SHMGET: {params: params(in("key", key), in("size", unsigned64), in("shmflg", withMode(shmFlags)))},
	unix.SYS_SHMAT: {params: params(
		in("shmid", signed), in("shmaddr", pointer), in("shmflg", flagsOf(attachFlags, "SHM_???")),
	), as: inHex},
	unix.SYS_SHMDT:  {params: params(in("shmaddr", pointer))},
	unix.SYS_SEMGET: {params: params(in("key", key), in("nsems", signed), in("semflg", withMode(ipcFlags)))},
	unix.SYS_MSGGET: {params: params(in("key", key), in("msgflg", withMode(ipcFlags)))},
	unix.SYS_TIMER_SETTIME: {params: params(
		in("timerid", signed), in("flags", flagsOf(timerFlags, "TIMER_???")), in("new_value", timerSpecAt),
		out("old_value", timerSpecAt),
	)},
	unix.SYS_TIMER_GETTIME:    {params: params(in("timerid", signed), out("curr_value", timerSpecAt))},
	unix.SYS_TIMER_GETOVERRUN: {params: params(in("timerid", signed))},
	unix.SYS_TIMER_DELETE:     {params: params(in("timerid", signed))},
	unix.SYS_SETNS:            {params: params(in("fd", descriptor), in("nstype", flagsOf(namespaces, "CLONE_NEW???")))},
	unix.SYS_PIDFD_GETFD:      {params: params(in("pidfd", descriptor), in("targetfd", descriptor), in("flags", hexadecimal32))},
	unix.SYS_MEMBARRIER: {params: params(
		in("cmd", oneOf(membarrierCommands, "MEMBARRIER_CMD_???")),
		in("flags", flagsOf(membarrierFlags, "MEMBARRIER_CMD_FLAG_???")),
		in("cpu_id", signed).given(membarrierHasCPU),
	), result: membarrierResult},
	unix.SYS_SYNC_FILE_RANGE: {params: params(
		in("fd", descriptor), in("offset", signed64), in("nbytes", signed64),
		in("flags", flagsOf(syncFlags, "SYNC_FILE_RANGE_???")),
	)},
	unix.SYS_RESTART_SYSCALL: {params: params()},
}
