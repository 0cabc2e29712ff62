# The frames that bt lists, as one line:
#   SP BACK [-]PC... REASON
# from the innermost, without those that gdb makes up of debug data for functions that
# were inlined or have ended by a tail call. BACK is how far the first pc is set back when
# the signal is delivered. A - marks the frames that the kernel makes for signals.
import gdb

MADE_UP = (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)
RESTARTED = (-512, -513)  # ERESTARTSYS, ERESTARTNOINTR


def set_back(f):
    """The kernel sets back the pc after the debugger's stop, before it delivers the signal: to the
    beginning of a system call that is to be restarted."""
    call = int(f.read_register("orig_rax"))
    return 2 if call >= 0 and int(f.read_register("rax")) in RESTARTED else 0


def stack():
    f = gdb.newest_frame()
    line = ["%#x" % int(f.read_register("rsp")), str(set_back(f))]
    why = "error"
    try:
        while f is not None:
            if f.type() not in MADE_UP:
                line.append(("-" if f.type() == gdb.SIGTRAMP_FRAME else "") + "%#x" % f.pc())
            why = gdb.frame_stop_reason_string(f.unwind_stop_reason()).replace(" ", "_")
            f = f.older()
    except gdb.error as e:
        why = str(e).replace(" ", "_")
    print(" ".join(line + [why]))
