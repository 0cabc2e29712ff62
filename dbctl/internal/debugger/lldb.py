# Runs within lldb, and speaks for it: requests come on standard input, one a
# line, and are answered on standard output in the records of gdb/MI. Values and
# call paths are written as gdb writes them. A request is a number, a word and
# its arguments; the last one may hold blanks:
#
#   version
#   connect SOCKET
#   symbols BIAS PATH         an object is mapped there; BIAS is hexadecimal
#   look TID                  this thread is the one that stands: a line says so
#   frames TID                names of functions, innermost first
#   eval TID CFA EXPRESSION   in the frame with this canonical frame address
#   evalat TID N EXPRESSION   in frame N
#   do TID COMMAND            of a script; TID 0: there is no process
#   hit TID                   the thread has met a breakpoint: its number, and where;
#                             no number: its condition does not hold
#
# Breakpoints are lldb's to resolve and dbctl's to insert. An answer that may change
# them has the addresses of all: points=["0x401136",…]
#
# lldb resumes nothing: with "look" its process goes on in name only, and a
# function that an expression calls is run by dbctl's server for it.

import os
import re

import lldb

MAX_CHILDREN = 200  # of an array, as gdb
MAX_DEPTH = 20
NO_RESULT = 0x1001  # lldb's error of an expression that is void


class Refused(Exception):
    pass


class Bridge:
    def __init__(self):
        self.debugger = lldb.debugger
        self.debugger.SetAsync(False)
        nowhere = open(os.devnull, "w")
        self.debugger.SetOutputFileHandle(nowhere, False)
        self.debugger.SetErrorFileHandle(nowhere, False)
        self.target = self.debugger.CreateTarget("", "x86_64-pc-linux-gnu", "", False, lldb.SBError())
        self.debugger.SetSelectedTarget(self.target)
        self.process = lldb.SBProcess()
        self.mapped = []  # modules, and where they are
        self.shown = 0  # values that "print" has numbered
        self.breakpoints = {}  # by number
        self.numbered = 1  # as with gdb, where the first is ours

    # Requests.

    def version(self, _):
        say(self.debugger.GetVersionString() + "\n")

    def connect(self, socket):
        error = lldb.SBError()
        self.process = self.target.ConnectRemote(lldb.SBListener("pct"), "unix-connect://" + socket, "gdb-remote", error)
        check(error)
        for module, bias in self.mapped:  # it forgets them then
            check(self.target.SetModuleLoadAddress(module, bias))

    def symbols(self, rest):
        bias, path = rest.split(" ", 1)
        module = self.target.AddModule(path, None, None)
        if not module.IsValid():
            raise Refused("lldb cannot read it")
        self.mapped.append((module, int(bias, 16)))
        check(self.target.SetModuleLoadAddress(*self.mapped[-1]))
        for point in self.breakpoints.values():
            point.resolve(self.target)
        return self.points()

    def look(self, tid):
        if self.process.GetState() != lldb.eStateStopped:
            raise Refused("lldb has lost its process")
        check(self.process.Continue())
        self.thread(tid)
        say("\atick " + tid + "\n")

    def frames(self, tid):
        names = ('frame={func=%s}' % quote(function(frame)) for frame in self.thread(tid))
        return "stack=[" + ",".join(names) + "]"

    def eval(self, rest):
        tid, cfa, expression = rest.split(" ", 2)
        for frame in self.thread(tid):
            if frame.GetCFA() == int(cfa, 16):
                return "value=" + quote(text(self.value(frame, expression)))
        raise Refused("lldb does not find that frame")

    def evalat(self, rest):
        tid, level, expression = rest.split(" ", 2)
        return "value=" + quote(text(self.value(self.thread(tid).GetFrameAtIndex(int(level)), expression)))

    def do(self, rest):
        tid, command = rest.split(" ", 1)
        frame = self.thread(tid).GetFrameAtIndex(0) if tid != "0" else lldb.SBFrame()
        word, _, argument = command.strip().partition(" ")
        translated = COMMANDS.get(word)
        if translated:
            return translated(self, frame, argument.strip())
        interpreter = self.debugger.GetCommandInterpreter()
        answer = lldb.SBCommandReturnObject()
        interpreter.ResolveCommand(command, answer)
        whole = " ".join((answer.GetOutput() or command).split())
        for refused in REFUSED:
            if whole == refused or whole.startswith(refused + " "):
                raise Refused('"' + refused + '" does not work with lldb here: dbctl runs the process (use gdb)')
        answer = lldb.SBCommandReturnObject()
        interpreter.HandleCommand(command, lldb.SBExecutionContext(frame), answer)
        if not answer.Succeeded():
            raise Refused(reason(answer.GetError()))
        say(answer.GetOutput() or "")

    def hit(self, tid):
        frame = self.thread(tid).GetFrameAtIndex(0)
        for number, point in sorted(self.breakpoints.items()):
            if frame.GetPC() in point.addresses and self.holds(point, frame):
                if point.temporary:
                    del self.breakpoints[number]
                line = frame.GetLineEntry()
                where = {"func": function(frame)}
                if line.IsValid():
                    where.update(fullname=path(line.GetFileSpec()), line=str(line.GetLine()))
                fields = ",".join("%s=%s" % (name, quote(value)) for name, value in where.items())
                return "number=%s,frame={%s},%s" % (quote(str(number)), fields, self.points())
        return self.points()

    # What they have in common.

    def holds(self, point, frame):
        """Whether a breakpoint's condition does; one that is wrong does."""
        if not point.condition:
            return True
        try:
            return bool(self.value(frame, point.condition).GetValueAsUnsigned())
        except Refused as error:
            say("Error in testing condition %s: %s\n" % (point.condition, error))
            return True

    def points(self):
        addresses = set().union(*(point.addresses for point in self.breakpoints.values()))
        return "points=[" + ",".join('"%#x"' % address for address in sorted(addresses)) + "]"

    def thread(self, tid):
        thread = self.process.GetThreadByID(int(tid))
        if not thread.IsValid():
            raise Refused("lldb does not see the thread")
        self.process.SetSelectedThread(thread)
        return thread

    def value(self, frame, expression):
        """The value of an expression; of a plain path of members without lldb's compiler."""
        scope = frame if frame.IsValid() else self.target  # of a process that has ended
        value = frame.GetValueForVariablePath(expression, lldb.eNoDynamicValues)
        if not value.IsValid() or value.GetError().Fail():
            options = lldb.SBExpressionOptions()
            options.SetFetchDynamicValue(lldb.eNoDynamicValues)
            options.SetSuppressPersistentResult(True)
            options.SetIgnoreBreakpoints(True)
            options.SetUnwindOnError(True)
            options.SetTryAllThreads(False)
            options.SetTimeoutInMicroSeconds(5000000)
            value = scope.EvaluateExpression(expression, options)
        error = value.GetError()
        if error.GetError() == NO_RESULT:
            return None
        if error.Fail():
            raise Refused(reason(error.GetCString()))
        return value

    # Commands of a script that lldb has by another name, or writes otherwise.

    def break_(self, frame, argument, temporary=False):
        where, _, condition = (" " + argument).partition(" if ")
        where = where.strip()
        file, _, line = where.rpartition(":")
        if where.startswith("*"):
            option = "--address " + where[1:]
        elif line.isdigit() and file:
            option = '--file "%s" --line %s' % (file, line)
        elif re.fullmatch(r"[\w:~<>,&*=+-]+", where) and not where.isdigit():
            option = '--name "%s"' % where
        else:
            raise Refused("break: want FUNCTION, FILE:LINE or *ADDRESS, and then perhaps: if CONDITION")
        answer = lldb.SBCommandReturnObject()
        self.debugger.GetCommandInterpreter().HandleCommand("breakpoint set " + option, answer)
        if not answer.Succeeded():
            raise Refused(reason(answer.GetError()))
        self.numbered += 1
        made = self.target.GetBreakpointAtIndex(self.target.GetNumBreakpoints() - 1)
        made.SetEnabled(False)  # dbctl inserts it
        point = Breakpoint(made, where.startswith("*"), condition.strip(), temporary)
        self.breakpoints[self.numbered] = point
        point.resolve(self.target)
        kind = "Temporary breakpoint" if temporary else "Breakpoint"
        places = []
        for address in sorted(point.addresses):
            line = self.target.ResolveLoadAddress(address).GetLineEntry()
            known = ": file %s, line %d." % (path(line.GetFileSpec()), line.GetLine()) if line.IsValid() else ""
            places.append("%#x%s" % (address, known))
        say("%s %d at %s\n" % (kind, self.numbered, " and ".join(places)) if places else
            "%s %d (%s) pending.\n" % (kind, self.numbered, where))
        return self.points()

    def tbreak(self, frame, argument):
        return self.break_(frame, argument, True)

    def delete(self, frame, argument):
        for number in argument.split() or list(self.breakpoints):
            if not str(number).isdigit() or int(number) not in self.breakpoints:
                raise Refused("No breakpoint number %s." % number)
            del self.breakpoints[int(number)]
        return self.points()

    def backtrace(self, frame, count):
        thread = frame.GetThread()
        if count and not count.isdigit():
            raise Refused("backtrace: want a number of frames")
        for level, frame in enumerate(thread):
            if count and level >= int(count):
                say("(More stack frames follow...)\n")
                break
            arguments = ", ".join("%s=%s" % (v.GetName(), short(v)) for v in frame.GetVariables(True, False, False, False))
            line = frame.GetLineEntry()
            where = ""
            if line.IsValid() and line.GetFileSpec().GetFilename():
                where = " at %s:%d" % (path(line.GetFileSpec()), line.GetLine())
            elif frame.GetModule().IsValid():
                where = " from " + path(frame.GetModule().GetFileSpec())
            say("#%-2d 0x%016x in %s (%s)%s\n" % (level, frame.GetPC(), function(frame) or "??", arguments, where))

    def print_(self, frame, expression):
        value = text(self.value(frame, expression))
        self.shown += 1
        say("$%d = %s\n" % (self.shown, value))

    def registers(self, frame, rest):
        what, _, names = rest.partition(" ")
        if what not in ("registers", "r", "reg") or not names:
            raise Refused('"info" knows "info registers NAME..." only with lldb here')
        for name in names.split():
            register = frame.FindRegister(name.lstrip("$"))
            if not register.IsValid():
                raise Refused("Invalid register `%s'" % name)
            number = register.GetValueAsUnsigned()
            address = self.target.ResolveLoadAddress(number) if name.lstrip("$") in ("rip", "pc") else None
            natural = str(register.GetValueAsSigned())
            if address is not None:
                symbol = address.GetSymbol()
                natural = hex(number)
                if symbol.IsValid():
                    natural += " <%s+%d>" % (symbol.GetName(), number - symbol.GetStartAddress().GetLoadAddress(self.target))
            say("%-14s 0x%-16x %s\n" % (name.lstrip("$"), number, natural))


class Breakpoint:
    def __init__(self, made, exact, condition, temporary):
        self.made, self.exact, self.condition, self.temporary = made, exact, condition, temporary
        self.addresses = set()  # in the process

    def resolve(self, target):
        places = [location.GetAddress() for location in self.made]
        if not self.exact:
            places = [begins(place, target) for place in places]
        self.addresses = {place.GetLoadAddress(target) for place in places} - {lldb.LLDB_INVALID_ADDRESS}


def begins(address, target):
    """Where a function's own code begins, behind a prologue that lldb has not passed: that of a
    function in one line. Before it the arguments are not in their places."""
    function = address.GetFunction()
    if not function.IsValid() or function.GetStartAddress() != address:
        return address
    code = target.ReadMemory(address, 8, lldb.SBError()) or b""
    if not code.removeprefix(b"\xf3\x0f\x1e\xfa").startswith(b"\x55\x48\x89\xe5"):
        return address  # no push %rbp; mov %rsp,%rbp
    first, end = address.GetFileAddress(), function.GetEndAddress().GetFileAddress()
    unit = address.GetCompileUnit()
    rows = (unit.GetLineEntryAtIndex(i).GetStartAddress() for i in range(unit.GetNumLineEntries()))
    return min((row for row in rows if first < row.GetFileAddress() < end), key=lambda row: row.GetFileAddress(), default=address)


COMMANDS = {
    "break": Bridge.break_, "b": Bridge.break_, "tbreak": Bridge.tbreak, "delete": Bridge.delete,
    "backtrace": Bridge.backtrace, "bt": Bridge.backtrace, "where": Bridge.backtrace,
    "print": Bridge.print_, "p": Bridge.print_,
    "info": Bridge.registers,
}

# Commands, as lldb calls them, that would run, stop or replace the process.
REFUSED = (
    "process", "gdb-remote", "kdp-remote", "platform", "watchpoint", "breakpoint", "_regexp-break", "_regexp-tbreak",
    "_regexp-attach", "_regexp-jump", "_regexp-env", "thread step-in", "thread step-out", "thread step-over",
    "thread step-inst", "thread step-inst-over", "thread step-scripted", "thread continue", "thread until",
    "thread jump", "thread return", "thread plan", "thread select", "target create", "target delete", "target select",
    "target stop-hook", "quit", "script", "command script", "gui",
)


def text(value, depth=0):
    """A value as gdb writes it."""
    if value is None:
        return "void"
    kind = value.GetType().GetCanonicalType()
    shown, summary = value.GetValue(), value.GetSummary()
    if kind.IsReferenceType():
        return "@%#x: %s" % (value.GetValueAsUnsigned(), text(value.Dereference(), depth + 1))
    if kind.IsFunctionType() or kind.GetPointeeType().IsFunctionType():
        return named("{%s}" if kind.IsFunctionType() else "(%s)", value)
    if kind.IsPointerType():
        address = "%#x" % value.GetValueAsUnsigned()
        if summary:
            return address + " " + summary
        return address if depth else "(%s) %s" % (value.GetType().GetName(), address)
    if kind.GetBasicType() in (lldb.eBasicTypeChar, lldb.eBasicTypeSignedChar):
        return "%d %s" % (value.GetValueAsSigned(), shown)
    if kind.GetBasicType() == lldb.eBasicTypeUnsignedChar:
        return "%d %s" % (value.GetValueAsUnsigned(), shown)
    if summary and not shown:
        return summary
    if shown is not None:
        return shown
    if depth >= MAX_DEPTH:
        return "{...}"
    children = [value.GetChildAtIndex(i) for i in range(min(value.GetNumChildren(), MAX_CHILDREN))]
    if kind.IsArrayType():
        inner = [text(child, depth + 1) for child in children]
    else:
        inner = ["%s = %s" % (child.GetName(), text(child, depth + 1)) for child in children]
    if value.GetNumChildren() > MAX_CHILDREN:
        inner[-1] += "..."
    return "{" + ", ".join(inner) + "}"


def short(value):
    """An argument in a call path: structures are left out."""
    kind = value.GetType().GetCanonicalType().GetDereferencedType()
    if not kind.IsValid():
        kind = value.GetType().GetCanonicalType()
    return "..." if kind.GetNumberOfFields() or kind.IsArrayType() else text(value, 1)


def named(form, value):
    """A function, or a pointer to one."""
    number = value.GetValueAsUnsigned() or value.GetLoadAddress()
    symbol = value.GetTarget().ResolveLoadAddress(number).GetSymbol()
    name = " <%s>" % symbol.GetName() if symbol.IsValid() else ""
    return form % value.GetType().GetName() + " %#x" % number + name


def reason(message):
    """What lldb says of an expression or a command that failed, in one line."""
    lines = [line for line in (message or "it failed").splitlines() if line.strip()]
    wrong = [line for line in lines[1:] if line.startswith("error: ")] or lines
    text = re.sub(r"^error: (<user expression \d+>:\d+:\d+: )?", "", wrong[0])
    if text.endswith(":"):  # it lists what it means
        text += " " + ", ".join(line.strip() for line in lines[lines.index(wrong[0]) + 1:])
    return text


def function(frame):
    return (frame.GetFunctionName() or "").partition("(")[0]


def path(file):
    return os.path.join(file.GetDirectory() or "", file.GetFilename() or "")


def check(error):
    if error.Fail():
        raise Refused(error.GetCString() or "it failed")


def quote(text):
    out = []
    for byte in os.fsencode(text):
        if byte in b'"\\':
            out.append("\\" + chr(byte))
        elif 32 <= byte < 127:
            out.append(chr(byte))
        else:
            out.append("\\%03o" % byte)
    return '"' + "".join(out) + '"'


def write(line):
    data = (line + "\n").encode()
    while data:
        data = data[os.write(1, data):]


def say(text):
    if text:
        write("~" + quote(text))


def answer(bridge, line):
    digits = len(line) - len(line.lstrip("0123456789"))
    token, (word, _, rest) = line[:digits], line[digits:].lstrip().partition(" ")
    try:
        if word not in ("version", "connect", "symbols", "look", "frames", "eval", "evalat", "do", "hit"):
            raise Refused("unknown request " + word)
        results = getattr(bridge, word)(rest)
        write(token + "^done" + ("," + results if results else ""))
    except Exception as error:
        why = str(error) if isinstance(error, Refused) else "%s: %s" % (type(error).__name__, error)
        write(token + "^error,msg=" + quote(why))


def serve():
    bridge = Bridge()
    unread = b""
    while True:
        data = os.read(0, 1 << 16)
        if not data:
            os._exit(0)
        *lines, unread = (unread + data).split(b"\n")
        for line in lines:
            answer(bridge, os.fsdecode(line))


serve()
