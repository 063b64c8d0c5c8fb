/* Loaded before the C library: a file system that lacks something, below the folder that POOR_DISK names.
 *
 * POOR_CALL is the call that fails: mmap, link, flock, fcntl, syncdir, rename, unlink, write (read-only), room (no
 * space), or reading with the error eio, enxio, estale or etimedout; or modes, if everybody can read every file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int lacks(const char *call) {
    const char *lacking = getenv("POOR_CALL");
    return lacking && !strcmp(lacking, call);
}

static int below(const char *path) {
    const char *disk = getenv("POOR_DISK");
    return disk && path && !strncmp(path, disk, strlen(disk));
}

static int below_file(int file) {
    char link[64], name[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t got = readlink(link, name, sizeof name - 1);
    name[got > 0 ? got : 0] = 0;
    return below(name);
}

static int fail(int error) {
    errno = error;
    return -1;
}

static void *map(void *at, size_t size, int prot, int flags, int file, off_t offset) {
    static __typeof__(&mmap) real;
    if (!real) real = REAL(mmap);
    if (flags & MAP_SHARED && lacks("mmap") && file >= 0 && below_file(file)) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    return real(at, size, prot, flags, file, offset);
}

void *mmap(void *at, size_t size, int prot, int flags, int file, off_t offset) {
    return map(at, size, prot, flags, file, offset);
}

void *mmap64(void *at, size_t size, int prot, int flags, int file, off_t offset) {
    return map(at, size, prot, flags, file, offset);
}

int link(const char *from, const char *to) {
    return lacks("link") && below(to) ? fail(EPERM) : REAL(link)(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    return lacks("link") && below(to) ? fail(EPERM) : REAL(linkat)(from_folder, from, to_folder, to, flags);
}

int flock(int file, int how) {
    return lacks("flock") && below_file(file) ? fail(ENOLCK) : REAL(flock)(file, how);
}

static int control(const char *name, int file, int command, void *argument) {
    int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
    int locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
    return locks && lacks("fcntl") && below_file(file) ? fail(ENOLCK) : real(file, command, argument);
}

int fcntl(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return control("fcntl", file, command, argument);
}

int fcntl64(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return control("fcntl64", file, command, argument);
}

int fsync(int file) {
    struct stat found;
    if (lacks("syncdir") && below_file(file) && !fstat(file, &found) && S_ISDIR(found.st_mode)) return fail(EINVAL);
    return REAL(fsync)(file);
}

int rename(const char *from, const char *to) {
    return lacks("rename") && below(to) ? fail(ENOSYS) : REAL(rename)(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return lacks("rename") && below(to) ? fail(ENOSYS) : REAL(renameat)(from_folder, from, to_folder, to);
}

static int open_as(const char *name, const char *path, int flags, mode_t mode) {
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
    int writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
    if (writes && lacks("write") && below(path)) return fail(EROFS);
    if (flags & O_CREAT && lacks("room") && below(path) && access(path, F_OK)) return fail(ENOSPC);
    int file = real(path, flags, mode);
    if (file >= 0 && flags & O_CREAT && lacks("modes") && below(path)) fchmod(file, 0755);
    return file;
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_as("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_as("open64", path, flags, mode);
}

int mkdir(const char *path, mode_t mode) {
    if (below(path) && lacks("write")) return fail(EROFS);
    if (below(path) && lacks("room")) return fail(ENOSPC);
    return REAL(mkdir)(path, mode);
}

static int keeps(const char *path) {
    if (!below(path)) return 0;
    return lacks("write") ? EROFS : lacks("unlink") ? EPERM : 0;
}

int unlink(const char *path) {
    return keeps(path) ? fail(keeps(path)) : REAL(unlink)(path);
}

int unlinkat(int folder, const char *path, int flags) {
    char link[64], name[8192];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t got = folder == AT_FDCWD || *path == '/' ? 0 : readlink(link, name, 4095);
    snprintf(name + (got > 0 ? got : 0), 4096, got > 0 ? "/%s" : "%s", path);
    return keeps(name) && !(flags & AT_REMOVEDIR) ? fail(keeps(name)) : REAL(unlinkat)(folder, path, flags);
}

static int unreadable(int file) {
    int error = lacks("eio") ? EIO : lacks("enxio") ? ENXIO : lacks("estale") ? ESTALE : lacks("etimedout") ? ETIMEDOUT : 0;
    return error && file > 2 && below_file(file) ? error : 0;
}

ssize_t read(int file, void *data, size_t size) {
    int error = unreadable(file);
    return error ? fail(error) : REAL(read)(file, data, size);
}

ssize_t pread(int file, void *data, size_t size, off_t offset) {
    int error = unreadable(file);
    return error ? fail(error) : REAL(pread)(file, data, size, offset);
}

ssize_t pread64(int file, void *data, size_t size, off_t offset) {
    int error = unreadable(file);
    return error ? fail(error) : REAL(pread64)(file, data, size, offset);
}

ssize_t write(int file, const void *data, size_t size) {
    return lacks("room") && file > 2 && below_file(file) ? fail(ENOSPC) : REAL(write)(file, data, size);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset) {
    return lacks("room") && below_file(file) ? fail(ENOSPC) : REAL(pwrite)(file, data, size, offset);
}

ssize_t pwrite64(int file, const void *data, size_t size, off_t offset) {
    return lacks("room") && below_file(file) ? fail(ENOSPC) : REAL(pwrite64)(file, data, size, offset);
}

int ftruncate(int file, off_t size) {
    return lacks("room") && below_file(file) ? fail(ENOSPC) : REAL(ftruncate)(file, size);
}
