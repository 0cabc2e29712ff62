/* flags.c: calls with all flags set, for the order in which they are shown; it makes them without the C library. */
#define _GNU_SOURCE
#include <sys/syscall.h>
static long call(long n, long a,long b,long c,long d,long e,long f){long ret;register long r10 __asm__("r10")=d;register long r8 __asm__("r8")=e;register long r9 __asm__("r9")=f;__asm__ volatile("syscall":"=a"(ret):"a"(n),"D"(a),"S"(b),"d"(c),"r"(r10),"r"(r8),"r"(r9):"rcx","r11","memory");return ret;}
static struct {unsigned long h,f,r,m;} sa={5,-1,-1,0};
static struct {unsigned long h;unsigned f,r;unsigned long m;} ss={5,-1,-1,0};
static unsigned long st[16]={0,0,0,0,0,0,0,0,0,0,-1,0,0};
static struct{int fd;short e,r;}pf={1,-1,-1};
static struct{unsigned e;unsigned long d;}__attribute__((packed))ev={-1,2};

void _start(void){
call(SYS_openat,-100,(long)"x",-1,0,0,0); call(SYS_openat,-100,(long)"x",~0x410000,0,0,0);
call(SYS_openat,-100,(long)"x",~0x10000,0,0,0);
call(SYS_mmap,0,1,-1,0xffffffff&~0xf,0,0); call(SYS_mmap,0,1,-1,0xfffffff3&~(63l<<26),0,0);
call(SYS_rt_sigaction,1,(long)&sa,0,8,0,0); call(SYS_sigaltstack,(long)&ss,0,0,0,0,0);
call(SYS_flock,3,-1,0,0,0,0); call(SYS_msync,0,1,-1,0,0,0); call(SYS_eventfd2,0,-1,0,0,0,0); call(SYS_socket,1,-1,0,0,0,0);
call(SYS_sendto,1,0,0,-1,0,0); call(SYS_wait4,1,0,-1,0,0,0); call(SYS_waitid,1,0,0,-1,0,0); call(SYS_clone,-1,0,0,0,0,0);
call(SYS_fchownat,1,0,0,0,-1,0); call(SYS_faccessat2,1,0,-1,-1,0,0); call(SYS_statx,1,0,-1,-1,0,0); call(SYS_statx,1,0,0x4000,0x7ff,0,0);call(SYS_statx,1,0,0x6100,0xfff,0,0);
call(SYS_mremap,1,0,0,-1,0,0); call(SYS_mlockall,-1,0,0,0,0,0); call(SYS_memfd_create,0,-1,0,0,0,0); call(SYS_fallocate,0,-1,0,0,0,0);
call(SYS_renameat2,0,0,0,0,-1,0); call(SYS_mount,0,0,0,-1,0,0); call(SYS_umount2,0,-1,0,0,0,0); call(SYS_close_range,0,0,-1,0,0,0); call(SYS_unshare,-1,0,0,0,0,0);
call(SYS_poll,(long)&pf,1,0,0,0,0); call(SYS_epoll_ctl,1,1,1,(long)&ev,0,0); call(SYS_epoll_create1,-1,0,0,0,0,0); call(SYS_getrandom,0,0,-1,0,0,0);
call(SYS_inotify_add_watch,0,0,-1,0,0,0); call(SYS_inotify_init1,-1,0,0,0,0,0); call(SYS_timerfd_create,1,-1,0,0,0,0); call(SYS_signalfd4,0,0,0,-1,0,0); call(SYS_splice,0,0,0,0,0,-1);
call(SYS_preadv2,0,0,0,0,0,-1); call(SYS_mprotect,0,0,-1,0,0,0); call(SYS_fcntl,1,2,-1,0,0,0);call(SYS_fcntl,1,4,-1,0,0,0);call(SYS_fcntl,1,1033,-1,0,0,0);
call(SYS_access,0,-1,0,0,0,0); call(SYS_pidfd_open,1,-1,0,0,0,0); call(SYS_seccomp,1,-1,0,0,0,0); call(SYS_clock_nanosleep,1,-1,0,0,0,0); call(SYS_mknod,0,0xffff&~0x6000,1,0,0,0);
call(SYS_statx,1,0,0,0,(long)st,0);call(SYS_mlock2,0,0,-1,0,0,0);
call(SYS_exit_group,0,0,0,0,0,0);}
