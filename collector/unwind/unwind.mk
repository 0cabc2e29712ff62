# The in-process unwinder and its calling context tree, for collector/Makefile to include:
#
#   UNWIND        names of the parts
#   UNWIND_O      their object files, by the rule of collector/Makefile's own
#   UNWIND_H      headers that they depend on
UNWIND   = activations cfi chunks context cursor expression guess handler inspect landing lasting leave linked loaded memory mend objects peculiar program readers recipes registers stub thread trampoline tree uncounted walk
UNWIND_O = $(UNWIND:%=$(OUT)/obj/unwind/%.o)
UNWIND_H = $(wildcard unwind/*.h) sys.h

$(OUT)/obj/unwind/%.o: unwind/%.c $(UNWIND_H) Makefile unwind/unwind.mk
	@mkdir -p $(OUT)/obj/unwind
	$(BUILD) -c -o $@ $<

# With call frame information, for libraries.
$(OUT)/obj/unwind/stubframes.o: unwind/stub.c $(UNWIND_H) Makefile unwind/unwind.mk
	@mkdir -p $(OUT)/obj/unwind
	$(BUILD) -DSTUB_FRAMES -c -o $@ $<
