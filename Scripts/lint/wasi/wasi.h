/* The names and types of WASI's C library that this package uses, so that its code for WebAssembly can be type-checked elsewhere.
   Swift cannot import some names there, so they are missing: CLOCK_MONOTONIC, O_CREAT, O_EXCL and O_TRUNC. Nothing is linked.
   The C names differ, because modules of this system declare the same ones. */
#include <stddef.h>
#include <stdint.h>

#define SWIFT(name) __attribute__((swift_name(name)))

/* <sys/types.h>, <sys/stat.h> */
typedef int64_t wasi_off_t SWIFT("off_t");
typedef uint32_t wasi_mode_t SWIFT("mode_t");
struct SWIFT("timespec") wasi_timespec {
    int64_t tv_sec;
    long tv_nsec;
};
struct SWIFT("stat") wasi_stat {
    uint64_t st_dev, st_ino, st_nlink;
    wasi_mode_t st_mode;
    uint32_t st_uid, st_gid;
    uint64_t st_rdev;
    wasi_off_t st_size;
    struct wasi_timespec st_atim, st_mtim, st_ctim;
};
int wasi_stat_path(const char *_Nonnull path, struct wasi_stat *_Nonnull status) SWIFT("stat(_:_:)");
int wasi_lstat(const char *_Nonnull path, struct wasi_stat *_Nonnull status) SWIFT("lstat(_:_:)");
int wasi_fstat(int descriptor, struct wasi_stat *_Nonnull status) SWIFT("fstat(_:_:)");
extern const wasi_mode_t wasi_S_IFMT SWIFT("S_IFMT");
extern const wasi_mode_t wasi_S_IFREG SWIFT("S_IFREG");
extern const wasi_mode_t wasi_S_IFDIR SWIFT("S_IFDIR");
extern const wasi_mode_t wasi_S_IFIFO SWIFT("S_IFIFO");
extern const wasi_mode_t wasi_S_IFSOCK SWIFT("S_IFSOCK");

/* <fcntl.h>, <unistd.h>, <stdio.h>, <limits.h> */
int wasi_open(const char *_Nonnull path, int flags, wasi_mode_t mode) SWIFT("open(_:_:_:)");
int wasi_close(int descriptor) SWIFT("close(_:)");
long wasi_read(int descriptor, void *_Nullable buffer, size_t count) SWIFT("read(_:_:_:)");
long wasi_write(int descriptor, const void *_Nullable bytes, size_t count) SWIFT("write(_:_:_:)");
long wasi_pwrite(int descriptor, const void *_Nullable bytes, size_t count, wasi_off_t position) SWIFT("pwrite(_:_:_:_:)");
int wasi_fsync(int descriptor) SWIFT("fsync(_:)");
int wasi_rename(const char *_Nonnull from, const char *_Nonnull to) SWIFT("rename(_:_:)");
long wasi_readlink(const char *_Nonnull path, char *_Nonnull buffer, size_t count) SWIFT("readlink(_:_:_:)");
#define O_RDONLY 0x04000000
#define O_WRONLY 0x10000000
#define O_CLOEXEC 0
int wasi_usleep(unsigned microseconds) SWIFT("usleep(_:)");
#define PATH_MAX 4096

/* <stdlib.h>, <string.h> */
void wasi_free(void *_Nullable pointer) SWIFT("free(_:)");
char *_Nullable wasi_realpath(const char *_Nonnull path, char *_Nullable resolved) SWIFT("realpath(_:_:)");
char *_Nullable wasi_getenv(const char *_Nonnull name) SWIFT("getenv(_:)");
char *_Nonnull wasi_strerror(int code) SWIFT("strerror(_:)");
int wasi_memcmp(const void *_Nonnull first, const void *_Nonnull second, size_t count) SWIFT("memcmp(_:_:_:)");
int wasi_isxdigit(int character) SWIFT("isxdigit(_:)");

/* <arpa/inet.h> */
typedef unsigned wasi_socklen_t SWIFT("socklen_t");
#define AF_INET 1
#define AF_INET6 2
#define INET6_ADDRSTRLEN 46
int wasi_inet_pton(int family, const char *_Nonnull text, void *_Nonnull bytes) SWIFT("inet_pton(_:_:_:)");
const char *_Nullable wasi_inet_ntop(
    int family, const void *_Nonnull bytes, char *_Nonnull text, wasi_socklen_t count) SWIFT("inet_ntop(_:_:_:_:)");

/* <errno.h> */
#define EWOULDBLOCK 6
#define EBADF 8
#define EFBIG 22
#define EINTR 27
#define EINVAL 28
#define EIO 29
#define ENOENT 44
#define ENOSYS 52
#define ENOTSUP 58
