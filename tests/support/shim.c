/* Loaded before the C library: the wall clock and the syncing of files, as two small files of the test say.
 *
 * FAULT_CLOCK names a file with the seconds by which the wall clock is wrong.
 * While the file that FAULT_SYNC names exists, nothing with "journal" in its name can be synced any more.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) {
    const char *name = getenv("FAULT_CLOCK");
    char text[32];
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return 0;
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    text[got > 0 ? got : 0] = 0;
    return atol(text);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(clock, now);
    if (!failed && clock == CLOCK_REALTIME) now->tv_sec += shift();
    return failed;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

static int sick(int file) {
    const char *flag = getenv("FAULT_SYNC");
    char link[64], name[4096];
    if (!flag || access(flag, F_OK)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t got = readlink(link, name, sizeof name - 1);
    name[got > 0 ? got : 0] = 0;
    const char *last = strrchr(name, '/');
    return last && strstr(last, "journal") != NULL;
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    if (!sick(file)) return real(file);
    errno = EIO;
    return -1;
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    if (!sick(file)) return real(file);
    errno = EIO;
    return -1;
}
