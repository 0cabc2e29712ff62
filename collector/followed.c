#include "followed.h"

const bool threads_followed = true;
