#include "unwind.h"

#include <link.h>

struct unwind_object unwind_object_of(const struct dl_phdr_info *info)
{
	struct unwind_object o = { .bias = info->dlpi_addr, .start = UINTPTR_MAX };
	int n = info->dlpi_phnum;

	for (int i = 0; i < n; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			o.header = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	for (int i = 0; i < n; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD)
			continue;
		if (o.header >= at && o.header < at + p->p_filesz) {
			o.data_start = at;
			o.data_end = at + p->p_filesz;
		}
		if (p->p_flags & PF_X) {
			o.start = at < o.start ? at : o.start;
			o.end = at + p->p_memsz;
		}
	}
	return o;
}
