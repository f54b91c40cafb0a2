/* Runs a command and lets something happen to it at its Nth system call that writes, whatever thread makes it.
 *
 *   fault EVENT N LOG COMMAND...
 *
 * EVENT: none, kill (SIGKILL, before the call is made), full (this call and all later ones that need room on a disk fail with ENOSPC),
 * or the number of a signal, which is sent and delivered as the kernel does it. Children of the command are left alone. LOG gets the
 * number of calls, the exit code and the signal of the command. Linux on x86-64 alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { OTHER, CHANGES, NEEDS_ROOM };

static enum kind kind_of(pid_t pid, const struct __ptrace_syscall_info *info) {
    const unsigned long long *args = (const unsigned long long *)info->entry.args;
    switch (info->entry.nr) {
    case SYS_write: case SYS_writev: case SYS_pwrite64:
        return args[0] > 2 ? NEEDS_ROOM : CHANGES;
    case SYS_mkdir: case SYS_mkdirat: case SYS_fallocate: case SYS_copy_file_range: case SYS_sendfile:
        return NEEDS_ROOM;
    case SYS_open:
        return args[1] & O_CREAT ? NEEDS_ROOM : OTHER;
    case SYS_openat:
        return args[2] & O_CREAT ? NEEDS_ROOM : OTHER;
    case SYS_openat2:
        return ptrace(PTRACE_PEEKDATA, pid, (void *)args[2], 0) & O_CREAT ? NEEDS_ROOM : OTHER;
    case SYS_rename: case SYS_renameat: case SYS_renameat2: case SYS_unlink: case SYS_unlinkat: case SYS_rmdir:
    case SYS_ftruncate: case SYS_fsync: case SYS_fdatasync: case SYS_fchmod: case SYS_fchown: case SYS_linkat:
        return CHANGES;
    default:
        return OTHER;
    }
}

int main(int count, char **words) {
    if (count < 5) return 99;
    const char *event = words[1];
    long at = atol(words[2]), calls = 0;
    int code = -1, killed_by = 0;
    pid_t command = fork();
    if (command == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execv(words[4], words + 4);
        _exit(98);
    }
    int status;
    waitpid(command, &status, 0);
    ptrace(PTRACE_SETOPTIONS, command, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
    ptrace(PTRACE_SYSCALL, command, 0, 0);
    static char failing[1 << 22];
    for (;;) {
        pid_t pid = waitpid(-1, &status, __WALL);
        if (pid < 0) break;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (pid != command) continue;
            if (WIFEXITED(status)) code = WEXITSTATUS(status);
            else killed_by = WTERMSIG(status);
            break;
        }
        int pass = 0, stop = WSTOPSIG(status);
        if (stop == (SIGTRAP | 0x80)) {
            struct __ptrace_syscall_info info;
            memset(&info, 0, sizeof info);
            ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info);
            if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
                enum kind kind = kind_of(pid, &info);
                if (kind != OTHER && ++calls == at) {
                    if (!strcmp(event, "kill")) kill(command, SIGKILL);
                    else if (atoi(event) > 0) kill(command, atoi(event));
                }
                if (kind == NEEDS_ROOM && calls >= at && !strcmp(event, "full")) {
                    struct user_regs_struct regs;
                    ptrace(PTRACE_GETREGS, pid, 0, &regs);
                    /* A call that changes nothing, and that a sandbox allows. */
                    regs.orig_rax = SYS_getpid;
                    ptrace(PTRACE_SETREGS, pid, 0, &regs);
                    failing[pid & ((1 << 22) - 1)] = 1;
                }
            } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && failing[pid & ((1 << 22) - 1)]) {
                struct user_regs_struct regs;
                failing[pid & ((1 << 22) - 1)] = 0;
                ptrace(PTRACE_GETREGS, pid, 0, &regs);
                regs.rax = -ENOSPC;
                ptrace(PTRACE_SETREGS, pid, 0, &regs);
            }
        } else if (stop != SIGSTOP && !(status >> 16)) {
            pass = stop == SIGTRAP ? 0 : stop;
        }
        ptrace(PTRACE_SYSCALL, pid, 0, pass);
    }
    FILE *log = fopen(words[3], "w");
    if (!log) return 97;
    fprintf(log, "%ld %d %d\n", calls, code, killed_by);
    return fclose(log);
}
