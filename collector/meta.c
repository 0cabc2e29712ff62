#include "meta.h"
#include "note.h"
#include "options.h"
#include "run.h"
#include "space.h"
#include "sys.h"
#include "text.h"

#include <sys/stat.h>
#include <sys/utsname.h>

enum { META_MOST = 16384, NAME_MOST = 200 };

static char exe[PATH_MOST];
static char buffer[META_MOST];
static uint64_t noted; /* what stands in the file */

/* Reads a small file to its end or till the buffer is full; the bytes read. */
static size_t slurp(const char *name, char *to, size_t cap)
{
	int fd = sys_openat(AT_FDCWD, name, O_RDONLY, 0);
	size_t n = 0;
	long got;

	if (fd < 0)
		return 0;
	while (n < cap && (got = sys3(SYS_read, fd, to + n, cap - n)) > 0)
		n += (size_t)got;
	sys_close(fd);
	return n;
}

static const char *executable(void)
{
	if (!exe[0]) {
		long n = sys4(SYS_readlinkat, AT_FDCWD, "/proc/thread-self/exe", exe, sizeof exe - 1);
		exe[n > 0 ? n : 0] = '\0';
	}
	return exe;
}

const char *meta_program(void)
{
	static char name[NAME_MOST + 1];
	const char *base = text_base(executable());
	struct text t = text_in(name, sizeof name);

	while (*base == '.')
		base++;
	text_name(&t, base, NAME_MOST);
	return t.n ? name : "unnamed";
}

/* A day since 1970 as YYYY-MM-DD (days of the era of 400 years that begin in March). */
static void put_date(struct text *t, uint64_t day)
{
	uint64_t z = day + 719468, era = z / 146097, doe = z % 146097;
	uint64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	uint64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
	uint64_t month = mp < 10 ? mp + 3 : mp - 9;

	text_pad(t, yoe + era * 400 + (month <= 2), 4);
	text_char(t, '-');
	text_pad(t, month, 2);
	text_char(t, '-');
	text_pad(t, doy - (153 * mp + 2) / 5 + 1, 2);
}

static void put_time(struct text *t, const char *key, uint64_t ns)
{
	uint64_t s = ns / 1000000000;

	text_str(t, key);
	put_date(t, s / 86400);
	text_char(t, 'T');
	text_pad(t, s % 86400 / 3600, 2);
	text_char(t, ':');
	text_pad(t, s % 3600 / 60, 2);
	text_char(t, ':');
	text_pad(t, s % 60, 2);
	text_char(t, '.');
	text_pad(t, ns % 1000000000, 9);
	text_str(t, "Z\n");
}

static void put_text(struct text *t, const char *key, const char *value)
{
	text_str(t, key);
	text_value(t, value, text_len(value));
	text_char(t, '\n');
}

static void put_number(struct text *t, const char *key, uint64_t value, const char *unit)
{
	text_str(t, key);
	text_num(t, value);
	text_str(t, unit);
	text_char(t, '\n');
}

/* When the process was started: field 22 of its stat, which comes after its name in brackets. */
static uint64_t started(void)
{
	static char stat[1024];
	size_t n = slurp("/proc/self/stat", stat, sizeof stat - 1), i = n;
	uint64_t v = 0;

	while (i > 0 && stat[i - 1] != ')')
		i--;
	stat[n] = '\0';
	for (int field = 2; field < 22 && i < n; i++)
		field += stat[i] == ' ';
	for (; i < n && stat[i] >= '0' && stat[i] <= '9'; i++)
		v = v * 10 + (uint64_t)(stat[i] - '0');
	return v;
}

static void put_arguments(struct text *t)
{
	static char arguments[META_MOST / 4];
	size_t n = slurp("/proc/thread-self/cmdline", arguments, sizeof arguments);

	for (size_t i = 0, from = 0; i < n; i++) {
		if (arguments[i] && i + 1 < n)
			continue;
		text_str(t, "argv=");
		text_value(t, arguments + from, i - from + (arguments[i] != '\0'));
		text_char(t, '\n');
		from = i + 1;
	}
}

/* The notes of a set, a bit for each. */
static void put_notes(struct text *t, uint64_t notes)
{
	for (int n = 0; n < NOTES; n++)
		if (notes & UINT64_C(1) << n)
			put_text(t, "note=", note_sentence((enum note)n));
}

static void put_end(struct text *t)
{
	put_time(t, "end=", sys_time(CLOCK_REALTIME));
	put_number(t, "cpu=", sys_time(CLOCK_PROCESS_CPUTIME_ID), "ns");
	if (run.unsampled)
		put_number(t, "unsampled=", run.unsampled, "ns");
	text_str(t, "state=complete\n");
}

/*
 * A new file costs a process as much as all else of its end, so the lines are appended: within a
 * page, so that a reader finds all of them or none.
 */
bool meta_append_end(int dir)
{
	enum { PAGE = 4096 };
	struct text t = text_in(buffer, sizeof buffer);
	struct stat st;
	bool good;
	int fd;

	put_end(&t);
	put_notes(&t, note_all() & ~noted);
	fd = sys_openat(dir, "meta", O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return false;
	good = sys2(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
		(uint64_t)st.st_size / PAGE == ((uint64_t)st.st_size + t.n - 1) / PAGE &&
		space_for_file((uint64_t)st.st_size + t.n) && sys3(SYS_write, fd, buffer, t.n) == (long)t.n;
	sys_close(fd);
	return good;
}

void meta_write(int dir, bool complete)
{
	struct text t = text_in(buffer, sizeof buffer);
	struct utsname host;
	int fd;

	host.nodename[0] = '\0';
	sys1(SYS_uname, &host);
	text_str(&t, "version=1\n");
	put_text(&t, "exe=", executable());
	put_text(&t, "host=", host.nodename);
	put_number(&t, "pid=", (uint64_t)run.pid, "");
	put_number(&t, "ppid=", (uint64_t)sys0(SYS_getppid), "");
	text_str(&t, "collector=libpct\n");
	put_number(&t, "started=", started(), "");
	put_time(&t, "start=", run.start);
	put_text(&t, "clock=", run.clock);
	put_number(&t, "period=", run.period, "ns");
	if (run.period)
		put_number(&t, "asked=", 1000000000 / options.period, "");
	if (complete)
		put_end(&t);
	else
		text_str(&t, "state=running\n");
	noted = note_all();
	for (uint32_t i = 0; i < options.resource_count; i++)
		put_text(&t, "resource=", options.resources[i].kind->name);
	put_notes(&t, noted);
	put_arguments(&t);
	if (!space_for_file(t.n))
		return;
	/* Readers take no notice of this name. */
	fd = sys_openat(dir, ".meta", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (sys_pwrite(fd, buffer, t.n, 0) < 0 || sys5(SYS_renameat2, dir, ".meta", dir, "meta", 0) < 0)
		sys3(SYS_unlinkat, dir, ".meta", 0);
	sys_close(fd);
}

void meta_forget(void)
{
	exe[0] = '\0';
}
