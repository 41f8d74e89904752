/* The names, types and values of Apple's C library that this package uses and that other systems lack, so that its code for
   Apple's systems can be type-checked elsewhere. Nothing here is linked. */
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* <sys/event.h> */

struct kevent {
    uintptr_t ident;
    int16_t filter;
    uint16_t flags;
    uint32_t fflags;
    intptr_t data;
    void *udata;
};

int kqueue(void);
int kevent(
    int queue, const struct kevent *changes, int changeCount, struct kevent *events, int eventCount,
    const struct timespec *timeout);

#define EVFILT_READ (-1)
#define EVFILT_WRITE (-2)
#define EVFILT_USER (-10)
#define EVFILT_EXCEPT (-15)
#define EV_ADD 0x0001
#define EV_DELETE 0x0002
#define EV_CLEAR 0x0020
#define EV_ERROR 0x4000
#define EV_EOF 0x8000
#define NOTE_OOB 0x00000002
#define NOTE_TRIGGER 0x01000000

/* <sys/fcntl.h> */
#define F_GETPATH 50
#define F_FULLFSYNC 51

/* <sys/sysctl.h> */
int sysctlbyname(const char *name, void *old, size_t *oldCount, void *newValue, size_t newCount);

/* <netinet/in.h>, <netinet6/in6.h> */
#define IP_BOUND_IF 25
#define IPV6_BOUND_IF 125

/* <time.h> */
#define CLOCK_UPTIME_RAW 8

/* <mach-o/dyld.h> */
int _NSGetExecutablePath(char *buffer, uint32_t *count);

/* <sys/socket.h> */
#define SO_NOSIGPIPE 0x1022
#define SO_NWRITE 0x1024
