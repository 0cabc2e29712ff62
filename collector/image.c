#include "image.h"
#include "sys.h"
#include "text.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/uio.h>

enum { PHDRS_MOST = 64, NOTES_MOST = 1024, HEAD = 1024 };

/* Where to read an image: memory at `at` if fd is -1, else a file. */
struct source {
	uintptr_t at;
	int fd;
	bool memory;
};

/*
 * The beginning of the image that is read, where all that is asked for stands as a rule: to read
 * is what takes time.
 */
static unsigned char head[HEAD];
static size_t head_length;

static bool read_memory(uintptr_t at, void *to, size_t n)
{
	struct iovec local = { to, n }, remote = { (void *)at, n };

	/*
	 * By the thread: the process has no memory by its own number when its first thread has
	 * ended.
	 */
	return sys6(SYS_process_vm_readv, sys0(SYS_gettid), (long)&local, 1, (long)&remote, 1, 0) == (long)n;
}

/* Reads at an offset of the file, which memory shows at src->at + offset. */
static bool read_at(const struct source *src, uint64_t offset, void *to, size_t n)
{
	if (offset <= head_length && n <= head_length - offset) {
		for (size_t i = 0; i < n; i++)
			((unsigned char *)to)[i] = head[offset + i];
		return true;
	}
	if (src->memory)
		return read_memory(src->at + offset, to, n);
	return sys4(SYS_pread64, src->fd, to, n, offset) == (long)n;
}

/* Looks for the build-id among the notes in p. */
static void find_id(struct image *image, const unsigned char *p, size_t n)
{
	while (n >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *h = (const void *)p;
		size_t name = ((size_t)h->n_namesz + 3) & ~(size_t)3, desc = ((size_t)h->n_descsz + 3) & ~(size_t)3;
		const unsigned char *body = p + sizeof *h;

		if (name > n || desc > n || sizeof *h + name + desc > n)
			return;
		if (h->n_type == NT_GNU_BUILD_ID && h->n_namesz == 4 && body[0] == 'G' && body[1] == 'N' &&
		    body[2] == 'U' &&
		    h->n_descsz <= BUILD_ID_MOST) {
			image->id_length = (uint8_t)h->n_descsz;
			for (size_t i = 0; i < h->n_descsz; i++)
				image->id[i] = body[name + i];
			return;
		}
		p += sizeof *h + name + desc;
		n -= sizeof *h + name + desc;
	}
}

static void read_notes(struct image *image, const struct source *src, const Elf64_Phdr *p)
{
	static union {
		unsigned char bytes[NOTES_MOST];
		Elf64_Nhdr align;
	} notes;
	size_t n = p->p_filesz < sizeof notes ? (size_t)p->p_filesz : sizeof notes;

	if (image->id_length)
		return;
	/* In memory the notes are where their segment is mapped. */
	if (read_at(src, src->memory ? image->bias + p->p_vaddr - src->at : p->p_offset, notes.bytes, n))
		find_id(image, notes.bytes, n);
}

static bool read_from(struct image *image, const struct source *src, uintptr_t start, uint64_t offset)
{
	static Elf64_Phdr phdrs[PHDRS_MOST];
	uint64_t page = 65535, high = 0; /* the largest page of all machines */
	bool placed = false;
	Elf64_Ehdr e;
	int n;

	head_length = 0;
	if (read_at(src, 0, head, sizeof head))
		head_length = sizeof head;
	if (!read_at(src, 0, &e, sizeof e))
		return false;
	if (e.e_ident[0] != 0x7f || e.e_ident[1] != 'E' || e.e_ident[2] != 'L' || e.e_ident[3] != 'F' ||
	    e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_phentsize != sizeof *phdrs)
		return false;
	n = e.e_phnum < PHDRS_MOST ? e.e_phnum : PHDRS_MOST;
	if (!read_at(src, e.e_phoff, phdrs, (size_t)n * sizeof *phdrs))
		return false;
	*image = (struct image){ .low = UINT64_MAX };
	for (int i = 0; i < n; i++) {
		const Elf64_Phdr *p = &phdrs[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		if (p->p_vaddr < image->low)
			image->low = p->p_vaddr;
		if (p->p_vaddr + p->p_memsz > high)
			high = p->p_vaddr + p->p_memsz;
		if (!placed && offset >= (p->p_offset & ~page) && offset < p->p_offset + p->p_filesz) {
			image->bias = start - (p->p_vaddr + offset - p->p_offset);
			placed = true;
		}
	}
	if (!placed || high <= image->low)
		return false;
	image->size = high - image->low;
	for (int i = 0; i < n; i++) {
		if (phdrs[i].p_type == PT_NOTE)
			read_notes(image, src, &phdrs[i]);
		if (phdrs[i].p_type == PT_GNU_EH_FRAME)
			image->frames = phdrs[i].p_vaddr;
	}
	for (int i = 0; i < n; i++) {
		const Elf64_Phdr *p = &phdrs[i];

		if (p->p_type == PT_LOAD && image->frames >= p->p_vaddr && image->frames < p->p_vaddr + p->p_filesz) {
			image->frames_low = p->p_vaddr;
			image->frames_high = p->p_vaddr + p->p_filesz;
		}
	}
	if (!image->frames_high)
		image->frames = 0;
	return true;
}

bool image_read(struct image *image, uintptr_t start, uint64_t offset, uintptr_t header, const char *path)
{
	struct source src = { .at = header, .fd = -1, .memory = true };
	bool good;

	if (header && read_from(image, &src, start, offset))
		return true;
	if (path[0] != '/')
		return false;
	src.memory = false;
	src.fd = sys_openat(AT_FDCWD, path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
	if (src.fd < 0)
		return false;
	good = read_from(image, &src, start, offset);
	sys_close(src.fd);
	return good;
}

/* Whether a note of this owner is among those in p. */
static bool has_owner(const unsigned char *p, size_t n, const char *owner)
{
	while (n >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *h = (const void *)p;
		size_t name = ((size_t)h->n_namesz + 3) & ~(size_t)3, desc = ((size_t)h->n_descsz + 3) & ~(size_t)3;

		if (name > n || desc > n || sizeof *h + name + desc > n)
			return false;
		if (h->n_namesz > 0 && p[sizeof *h + name - 1] == '\0' &&
		    text_equal((const char *)(p + sizeof *h), owner))
			return true;
		p += sizeof *h + name + desc;
		n -= sizeof *h + name + desc;
	}
	return false;
}

bool image_main_is_go(void)
{
	const Elf64_Phdr *p = (const void *)getauxval(AT_PHDR);
	size_t n = getauxval(AT_PHNUM);
	uintptr_t bias = 0;

	for (size_t i = 0; p && i < n; i++)
		if (p[i].p_type == PT_PHDR)
			bias = (uintptr_t)p - p[i].p_vaddr;
	for (size_t i = 0; p && i < n; i++)
		if (p[i].p_type == PT_NOTE && has_owner((const unsigned char *)(bias + p[i].p_vaddr), p[i].p_filesz,
							"Go"))
			return true;
	return false;
}
