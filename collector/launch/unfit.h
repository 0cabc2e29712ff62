/*
 * unfit.h: what keeps libpct.so out of a program, for pct-launch and for the library itself, which looks at what
 * a program executes. No memory is allocated, and nothing is read by a function that libpctio.so counts.
 */
#ifndef PCT_UNFIT_H
#define PCT_UNFIT_H

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/* What can keep the library out of a program. */
enum unfit {
    UNFIT_NOT, /* nothing does */
    UNFIT_STATIC,
    UNFIT_LIBC,
    UNFIT_MACHINE,
    UNFIT_TORN,
    UNFIT_GO,
    UNFIT_RIGHTS,
    UNFIT_LIBRARY,
};

/* Each with its name, by which profile knows it, and a clause that says it of the program. */
#define UNFIT(NAME, CLAUSE) [UNFIT_##NAME] = {#NAME, CLAUSE}
static const struct { const char *name, *clause; } unfit_words[] = {
    UNFIT(STATIC, "is linked statically"),
    UNFIT(LIBC, "has another C library than libpct.so"),
    UNFIT(MACHINE, "is for another machine than libpct.so"),
    UNFIT(TORN, "is not a whole ELF file"),
    UNFIT(GO, "is a Go program, which handles all signals"),
    UNFIT(RIGHTS, "takes other rights (set-uid, set-gid or capabilities)"),
    UNFIT(LIBRARY, "cannot be given libpct.so, whose path has a blank or colon"),
};
#undef UNFIT

enum { interpreters = 5, script_line = 256 }; /* the kernel's limits */

static ssize_t unfit_read(int fd, void *to, size_t n, off_t at) {
    return (ssize_t)syscall(SYS_pread64, fd, to, n, at);
}

/* unfit_open opens a program; what is no file, such as a FIFO, is left alone. No thread is cancelled there. */
static int unfit_open(const char *path) {
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* own_linker is the last part of our dynamic linker's name: the library was made by
 * the same compiler for the same one. */
static const char *own_linker(void) {
    const ElfW(Phdr) *header = (const void *)getauxval(AT_PHDR);
    ElfW(Addr) bias = 0;
    for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
        if (header[i].p_type == PT_PHDR)
            bias = (ElfW(Addr))header - header[i].p_vaddr;
    for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
        if (header[i].p_type == PT_INTERP)
            return basename((const char *)(bias + header[i].p_vaddr));
    return "";
}

/* takes_rights: whether the kernel would execute it with other rights, for which
 * the dynamic linker ignores LD_PRELOAD. */
static bool takes_rights(const char *path) {
    struct stat st;
    struct statvfs fs;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || (statvfs(path, &fs) == 0 && fs.f_flag & ST_NOSUID))
        return false;
    if (stat(path, &st) != 0)
        return false;
    if (st.st_mode & S_ISUID && st.st_uid != getuid())
        return true;
    if ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getgid())
        return true;
    return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

/* is_go: whether these notes, of an ELF file's segment, are of Go's linker. */
static bool is_go(int fd, const ElfW(Phdr) *segment) {
    _Alignas(ElfW(Nhdr)) char notes[1024];
    size_t size = segment->p_filesz < sizeof notes ? segment->p_filesz : sizeof notes;
    if (unfit_read(fd, notes, size, (off_t)segment->p_offset) != (ssize_t)size)
        return false;
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) + 4 <= size;) {
        const ElfW(Nhdr) *note = (const void *)(notes + at);
        if (note->n_namesz == 4 && memcmp(notes + at + sizeof *note, "Go\0\0", 4) == 0)
            return true;
        size_t length = (((size_t)note->n_namesz + 3) & ~(size_t)3) + (((size_t)note->n_descsz + 3) & ~(size_t)3);
        if (length > size)
            return false;
        at += sizeof *note + length;
    }
    return false;
}

/* unfit_elf tells what keeps the library out of an ELF file. */
static enum unfit unfit_elf(int fd, const ElfW(Ehdr) *header) {
    const ElfW(Ehdr) *own = (const void *)getauxval(AT_SYSINFO_EHDR);
    bool class = header->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
    if (!class || (own && header->e_machine != own->e_machine))
        return UNFIT_MACHINE;
    bool dynamic = false, go = false;
    for (int i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) segment;
        off_t at = (off_t)(header->e_phoff + (ElfW(Off))i * header->e_phentsize);
        if (unfit_read(fd, &segment, sizeof segment, at) != sizeof segment)
            return UNFIT_TORN;
        go = go || (segment.p_type == PT_NOTE && is_go(fd, &segment));
        if (segment.p_type != PT_INTERP)
            continue;
        char name[256] = "";
        size_t size = segment.p_filesz < sizeof name ? segment.p_filesz : sizeof name - 1;
        if (unfit_read(fd, name, size, (off_t)segment.p_offset) != (ssize_t)size)
            return UNFIT_TORN;
        if (strcmp(basename(name), own_linker()) != 0)
            return UNFIT_LIBC;
        dynamic = true;
    }
    if (!dynamic)
        return UNFIT_STATIC;
    return go ? UNFIT_GO : UNFIT_NOT;
}

/* why_unfit tells why a program can't be given the library. */
static inline enum unfit why_unfit(const char *path) {
    char interpreter[script_line];
    for (int depth = 0; depth < interpreters; depth++) {
        union {
            char text[script_line + 1];
            ElfW(Ehdr) elf;
        } head;
        memset(&head, 0, sizeof head);
        int fd = unfit_open(path);
        if (fd < 0) /* executable and no more: most can have the library */
            return takes_rights(path) ? UNFIT_RIGHTS : UNFIT_NOT;
        ssize_t got = unfit_read(fd, &head, script_line, 0);
        enum unfit why = UNFIT_NOT;
        bool script = got >= 2 && head.text[0] == '#' && head.text[1] == '!';
        if (!script && takes_rights(path))
            why = UNFIT_RIGHTS;
        else if (!script && got >= (ssize_t)sizeof head.elf && memcmp(head.text, ELFMAG, SELFMAG) == 0)
            why = unfit_elf(fd, &head.elf);
        syscall(SYS_close, fd);
        if (!script)
            return why; /* what is neither is for a shell, or the kernel will tell */
        char *name = head.text + 2 + strspn(head.text + 2, " \t");
        name[strcspn(name, " \t\n")] = 0;
        strcpy(interpreter, name);
        path = interpreter;
    }
    return UNFIT_NOT; /* too deep: the kernel will tell */
}

#endif
