/*
 * loaded.h: the table of objects by the dynamic linker's list, which the collector makes from the memory map. Objects
 * that were not there the first time may be unloaded at any time.
 */
#include "../../unwind.h"

#include <link.h>

enum { PERMANENT = 64 };

static uintptr_t permanent[PERMANENT]; /* the beginnings of those that were there the first time */
static int permanents;
static bool loaded_before;
static bool all_fleeting; /* set before the first time: no object is taken to last */

static bool stays(uintptr_t start)
{
	for (int i = 0; i < permanents; i++)
		if (permanent[i] == start)
			return true;
	if (loaded_before || all_fleeting || permanents == PERMANENT)
		return false;
	permanent[permanents++] = start;
	return true;
}

static int add_loaded(struct dl_phdr_info *info, size_t size, void *number)
{
	struct unwind_object o = unwind_object_of(info);

	(void)size;
	o.id = ++*(uint16_t *)number;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		o.start = info->dlpi_addr + p->p_vaddr;
		o.end = o.start + p->p_memsz;
		o.fleeting = !stays(o.start);
		if (!unwind_objects_add(&o))
			return 1;
	}
	return 0;
}

/* Puts the objects in the table, numbered from 1; not in a handler. */
static bool load_objects(void)
{
	uint16_t number = 0;
	bool all;

	if (!unwind_objects_begin())
		return false;
	all = dl_iterate_phdr(add_loaded, &number) == 0;
	unwind_objects_publish();
	loaded_before = true;
	return all;
}
