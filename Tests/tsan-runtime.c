// Tells ThreadSanitizer of three ways in which the Swift runtime and libdispatch order memory. It cannot see them, because
// these libraries are not instrumented, and would report each as a race. Preloaded by Scripts/check/sanitize.sh.
//
// - Synchronization.Mutex: its fast paths are compiled into the caller, its slow ones, for a contended lock, are not.
// - A continuation that is resumed before its task awaits it: the task then goes on without being scheduled.
// - dispatch_main, which hands the main queue from the main thread to a worker. The sanitizer lets each block of a serial
//   queue acquire the queue's address.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define ASYNC __attribute__((swiftasynccall))

// Of the sanitizer; absent in programs without it.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

static void acquire(void *place) {
    if (__tsan_acquire) __tsan_acquire(place);
}

static void release(void *place) {
    if (__tsan_release) __tsan_release(place);
}

// Synchronization._MutexHandle._lockSlow(UInt32)
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
// Synchronization._MutexHandle._unlockSlow()
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK_SLOW);
SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK_SLOW);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    SWIFT void (*real)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK_SLOW);
    real(thread, handle);
    acquire(handle);
}

SWIFT void unlock_slow(SELF void *handle) {
    SWIFT void (*real)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK_SLOW);
    release(handle);
    real(handle);
}

extern char _dispatch_main_q[] __attribute__((weak));

void dispatch_main(void) {
    void (*real)(void) = dlsym(RTLD_NEXT, "dispatch_main");
    release(_dispatch_main_q);
    real();
    __builtin_unreachable();
}

extern SWIFT void *swift_task_getCurrent(void) __attribute__((weak));

SWIFT void swift_continuation_resume(void *task) {
    SWIFT void (*real)(void *) = dlsym(RTLD_NEXT, "swift_continuation_resume");
    release(task);
    real(task);
}

SWIFT void swift_continuation_throwingResume(void *task) {
    SWIFT void (*real)(void *) = dlsym(RTLD_NEXT, "swift_continuation_throwingResume");
    release(task);
    real(task);
}

SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error) {
    SWIFT void (*real)(void *, void *) = dlsym(RTLD_NEXT, "swift_continuation_throwingResumeWithError");
    release(task);
    real(task, error);
}

ASYNC void swift_continuation_await(void *context) {
    ASYNC void (*real)(void *) = dlsym(RTLD_NEXT, "swift_continuation_await");
    void *task = swift_task_getCurrent ? swift_task_getCurrent() : 0;
    if (task) acquire(task);
    __attribute__((musttail)) return real(context);
}
