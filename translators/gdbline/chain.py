def chain(addr):
    def put(name, symtab, line):
        def code(s):
            return (s or "").encode("utf-8", "surrogateescape").hex()
        print("pct:%s|%s|%d" % (code(name), code(symtab and symtab.fullname()), line))

    at = gdb.find_pc_line(addr)
    symtab, line = at.symtab, at.line
    block = gdb.block_for_pc(addr)
    found = False
    while block is not None and not block.is_global and not block.is_static:
        function = block.function
        if function is not None:
            name = function.linkage_name
            if not name.startswith(("_Z", "_R")):
                name = function.name
            put(name, symtab, line)
            # Of an inlined function gdb has the call as its place.
            symtab, line = function.symtab, function.line
            found = True
            # What is around is where it was inlined, unless it has code of its
            # own: then it is only declared there.
            outer = block.superblock
            while outer is not None and outer.function is None:
                outer = outer.superblock
            if outer is None or not outer.start <= addr < outer.end:
                break
        block = block.superblock
    if not found and symtab is not None:
        put("", symtab, line)
