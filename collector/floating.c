/*
 * floating.c: functions of the mathematical library that the preloaded collector stands before, so
 * that a program sees and sets its own floating point environment while exceptions are counted.
 */
#include "fpe.h"
#include "next.h"

#include <fenv.h>

EXPORT int feenableexcept(int exceptions)
{
	if (exceptions & FE_ALL_EXCEPT)
		fpe_yield();
	return NEXT(feenableexcept)(exceptions) & ~fpe_hidden();
}

EXPORT int fedisableexcept(int exceptions)
{
	int before = NEXT(fedisableexcept)(exceptions), hidden = fpe_hidden();

	fpe_environment();
	return before < 0 ? before : before & ~hidden;
}

EXPORT int fegetexcept(void)
{
	return NEXT(fegetexcept)() & ~fpe_hidden();
}

EXPORT int fesetenv(const fenv_t *e)
{
	int err;

#ifdef FE_NOMASK_ENV
	if (e == FE_NOMASK_ENV)
		fpe_yield();
#endif
	err = NEXT(fesetenv)(e);
	fpe_environment();
	return err;
}

EXPORT int feupdateenv(const fenv_t *e)
{
	int err;

#ifdef FE_NOMASK_ENV
	if (e == FE_NOMASK_ENV)
		fpe_yield();
#endif
	err = NEXT(feupdateenv)(e);
	fpe_environment();
	return err;
}

EXPORT int feholdexcept(fenv_t *e)
{
	int err = NEXT(feholdexcept)(e);

	fpe_environment();
	return err;
}

EXPORT int feclearexcept(int exceptions)
{
	int err = NEXT(feclearexcept)(exceptions);

	fpe_environment();
	return err;
}

EXPORT int fesetexceptflag(const fexcept_t *flags, int exceptions)
{
	int err = NEXT(fesetexceptflag)(flags, exceptions);

	fpe_environment();
	return err;
}
