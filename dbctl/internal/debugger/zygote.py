# Runs within gdb, which it never gives back: at each request it makes a copy
# of gdb that returns, and so goes on to read commands, on descriptors of its
# own. Descriptor 3 is a socket whose other end is the pool's, 4 the zygote's
# own guard. Requests, and their answers:
#
#   fork       with 4 descriptors: stdin, stdout, stderr, guard
#              the copy's number, and how many inferiors it has
#   reap N     of a copy that has ended
#              its status as waitpid has it; "none": it has not
#   read TEXT  a command that reads an object, for the copies to have it read; it's
#              done in inferior 2, which a copy is to remove when it has its own
#              "done"
#
# An answer that begins with "!" says why not. The end of the socket is the end.

import array
import atexit
import fcntl
import gc
import io
import os
import select
import signal
import socket
import time

import gdb


def serve():
    control = socket.socket(fileno=3)
    # Those that gdb had begun with have been told to end, and nobody waits for them.
    deadline = time.monotonic() + 5
    while len(os.listdir("/proc/self/task")) > 1:
        if time.monotonic() > deadline:
            control.send(b"!it has several threads, of which a copy would have one")
            os._exit(1)
        time.sleep(0.0005)
    gc.freeze()  # a collection would write to each object, and so unshare it
    control.send(b"ready")
    while True:
        request, descriptors = receive(control)
        if not request:
            os._exit(0)
        word, _, text = request.partition(" ")
        try:
            if word == "reap":
                answer = reap(int(text))
            elif word == "read":
                answer = read(text)
            else:
                child = os.fork()
                if not child:
                    break
                answer = "%d %d" % (child, len(gdb.inferiors()))
        except (OSError, gdb.error) as error:
            answer = "!" + str(error)
        for descriptor in descriptors:
            os.close(descriptor)
        control.send(answer[:500].encode(errors="replace"))
    try:
        control.close()
        os.close(4)
        become(*descriptors)
    except BaseException:
        os._exit(1)


def receive(control):
    passed = array.array("i", [0] * 4)
    space = socket.CMSG_SPACE(len(passed) * passed.itemsize)
    data, ancillary, _, _ = control.recvmsg(1 << 16, space, socket.MSG_CMSG_CLOEXEC)
    del passed[:]
    for _, _, some in ancillary:
        passed.frombytes(some)
    return os.fsdecode(data), list(passed)


def reap(pid):
    try:
        os.killpg(pid, signal.SIGKILL)  # what it has left behind
    except OSError:
        pass
    ended, status = os.waitpid(pid, os.WNOHANG)
    return str(status) if ended else "none"


def read(command):
    if len(gdb.inferiors()) == 1:
        gdb.execute("add-inferior -no-connection", to_string=True)
    gdb.execute("inferior 2", to_string=True)
    try:
        gdb.execute(command, to_string=True)
    finally:
        gdb.execute("inferior 1", to_string=True)
    return "done"


def become(stdin, stdout, stderr, guard):
    os.setsid()
    fcntl.fcntl(guard, fcntl.F_SETOWN, -os.getpid())
    poll = select.poll()
    poll.register(guard, select.POLLIN)
    if poll.poll(0):
        os._exit(1)  # the pool went before it could have killed us
    for number, descriptor in enumerate((stdin, stdout, stderr)):
        os.dup2(descriptor, number)
        os.close(descriptor)

    # gdb wakes itself by pipes of which it has both ends; shared, one copy
    # would wake another, or take its waking away.
    ends = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            link = os.readlink("/proc/self/fd/" + name)
        except OSError:
            continue  # the listing's own
        if link.startswith("pipe:"):
            flags = fcntl.fcntl(int(name), fcntl.F_GETFL)
            ends.setdefault(link, {})[flags & os.O_ACCMODE] = (int(name), flags)
    for pair in ends.values():
        if len(pair) == 2:
            for new, mode in zip(os.pipe(), (os.O_RDONLY, os.O_WRONLY)):
                old, flags = pair[mode]
                os.dup2(new, old, False)
                os.close(new)
                fcntl.fcntl(old, fcntl.F_SETFL, flags)
    atexit.register(leave)


def leave():
    """Ends without taking Python down object by object, four times as long as
    the copy was in the making. Only what a script has written may not be lost."""
    for thing in gc.get_objects():  # since freeze
        try:
            if isinstance(thing, io.IOBase) and not thing.closed:
                thing.flush()
        except Exception:
            pass
    os._exit(0)


serve()
