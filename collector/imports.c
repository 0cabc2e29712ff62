#include "imports.h"
#include "text.h"
#include "unwind/unwind.h"

#include <link.h>

/* The dynamic section of an object, as far as it tells of imports. */
struct imports {
	const ElfW(Sym) *symbols;
	const char *names;
	struct {
		const ElfW(Rela) *first;
		size_t size, relative; /* bytes; and the entries in front that have no symbol */
	} tables[2];
	bool rela;
};

static bool read_dynamic(const struct dl_phdr_info *info, struct imports *in)
{
	const ElfW(Dyn) *d = NULL;

	*in = (struct imports){ .rela = true };
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		/*
		 * The dynamic linker has made addresses of them, but for objects that it did not
		 * load.
		 */
		const void *at = (const void *)(d->d_un.d_ptr < info->dlpi_addr ?
							info->dlpi_addr + d->d_un.d_ptr : d->d_un.d_ptr);

		switch (d->d_tag) {
		case DT_SYMTAB:
			in->symbols = at;
			break;
		case DT_STRTAB:
			in->names = at;
			break;
		case DT_RELA:
			in->tables[0].first = at;
			break;
		case DT_RELASZ:
			in->tables[0].size = d->d_un.d_val;
			break;
		case DT_RELACOUNT:
			in->tables[0].relative = d->d_un.d_val;
			break;
		case DT_JMPREL:
			in->tables[1].first = at;
			break;
		case DT_PLTRELSZ:
			in->tables[1].size = d->d_un.d_val;
			break;
		case DT_PLTREL:
			in->rela = d->d_un.d_val == DT_RELA;
			break;
		}
	}
	return in->symbols && in->names && in->rela;
}

/*
 * What asks the dynamic linker for call frame information has an unwinder, unless it is the
 * library of one, or asks for another purpose and has its unwinder from that library. One of
 * libgcc's is not unknown, once it was looked at.
 */
static int has_unknown_unwinder(struct dl_phdr_info *info, size_t size, void *unused)
{
	const char *name = text_base(info->dlpi_name);
	bool asks = false, imports = false;
	struct unwind_object object;
	struct imports in;

	(void)size;
	(void)unused;
	if (text_begins(name, "libgcc_s.so") || text_begins(name, "libunwind") || text_begins(name, "libc.so") ||
	    text_begins(name, "libpct") || !read_dynamic(info, &in))
		return 0;
	for (int t = 0; t < 2; t++)
		for (size_t i = in.tables[t].relative; in.tables[t].first &&
		     i < in.tables[t].size / sizeof(ElfW(Rela)); i++) {
			const ElfW(Sym) *s = &in.symbols[ELF64_R_SYM(in.tables[t].first[i].r_info)];

			if (s->st_shndx != SHN_UNDEF)
				continue;
			asks |= text_equal(in.names + s->st_name, "_dl_find_object") ||
				text_equal(in.names + s->st_name, "dl_iterate_phdr");
			imports |= text_begins(in.names + s->st_name, "_Unwind_");
		}
	if (!asks || imports)
		return 0;
	object = unwind_object_of(info);
	return !unwind_linked(&object, UINT32_MAX);
}

bool imports_for_unwinder(void)
{
	return dl_iterate_phdr(has_unknown_unwinder, NULL) != 0;
}
