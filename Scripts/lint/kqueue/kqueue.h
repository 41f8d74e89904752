/* The names, types and values of <sys/event.h> that KqueuePoller uses, so that it can be type-checked where there is no such
   header. Nothing here is linked. */
#include <stdint.h>
#include <time.h>

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
