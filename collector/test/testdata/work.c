// A library that is loaded and unloaded.
#include "burn.h"
void work(double seconds) { burn(seconds); }
