//! The system calls that a confined process may make, grouped by purpose.
//!
//! A call that is in none of the lists that apply is refused, and [`super::refused`] reports it.
//! [`super::folders`] controls which files a call can access.

use std::collections::BTreeMap;

use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{Eq, Gt, Lt, MaskedEq};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::Needs;

/// Calls that are permitted with any arguments.
type Calls = &'static [i64];

macro_rules! calls {
    ($($call:ident)*) => { &[$(libc::$call),*] };
}

/// Every command: open files and pipes.
const OPEN_FILES: Calls = calls![
    SYS_read SYS_readv SYS_pread64 SYS_preadv SYS_write SYS_writev SYS_pwrite64 SYS_pwritev SYS_lseek SYS_close
    SYS_close_range SYS_fstat SYS_fcntl SYS_flock SYS_dup SYS_dup3 SYS_pipe2 SYS_ftruncate SYS_fallocate SYS_fsync
    SYS_fdatasync SYS_sync_file_range SYS_copy_file_range SYS_sendfile SYS_splice SYS_fadvise64 SYS_ppoll SYS_pselect6
    SYS_epoll_create1 SYS_epoll_ctl SYS_epoll_pwait SYS_eventfd2
];

/// Every command: files by name, as far as Landlock permits; outputs, scratch files, drives.
const NAMED_FILES: Calls = calls![
    SYS_openat SYS_openat2 SYS_newfstatat SYS_statx SYS_statfs SYS_fstatfs SYS_faccessat SYS_faccessat2 SYS_readlinkat
    SYS_getdents64 SYS_getcwd SYS_mkdirat SYS_unlinkat SYS_renameat SYS_renameat2 SYS_fchmod SYS_fchmodat SYS_fchown
    SYS_utimensat SYS_umask
];

/// The same, with call names that newer processors do not have.
#[cfg(target_arch = "x86_64")]
const OLD_NAMES: Calls = calls![
    SYS_open SYS_stat SYS_lstat SYS_access SYS_readlink SYS_mkdir SYS_rmdir SYS_unlink SYS_rename SYS_chmod SYS_poll
    SYS_select SYS_pipe SYS_dup2 SYS_epoll_wait SYS_time
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_NAMES: Calls = &[];

/// Every command: memory. MMAP and MPROTECT have conditions that prevent writable machine code.
const MEMORY: Calls = calls![SYS_brk SYS_munmap SYS_mremap SYS_madvise];

/// Every command: its threads, and the end of the process. CLONE has conditions in [`answered`],
/// the calls that send signals below.
const THREADS: Calls = calls![
    SYS_clone SYS_clone3 SYS_futex SYS_set_robust_list SYS_rseq SYS_membarrier SYS_sched_yield SYS_sched_getaffinity
    SYS_getpid SYS_gettid SYS_exit SYS_exit_group SYS_sigaltstack SYS_rt_sigaction SYS_rt_sigprocmask SYS_rt_sigreturn
    SYS_restart_syscall
];

/// Every command: the socket pair through which signals wake their thread, but no new socket.
const SIGNALS: Calls = calls![SYS_sendto SYS_recvfrom];

/// Every command: time, randomness, and properties of the host.
const HOST: Calls = calls![
    SYS_clock_gettime SYS_clock_getres SYS_clock_nanosleep SYS_nanosleep SYS_gettimeofday SYS_getrandom SYS_uname SYS_sysinfo
    SYS_getrusage SYS_getuid SYS_geteuid SYS_getgid SYS_getegid
];

/// `test` while it assembles: a shell that sets limits, and the more confined assembler.
const CHILDREN: Calls = calls![
    SYS_execve SYS_wait4 SYS_waitid SYS_pidfd_open SYS_pidfd_send_signal SYS_chdir SYS_getppid SYS_getpgid SYS_setpgid
    SYS_times SYS_getpriority SYS_getgroups SYS_capget SYS_set_tid_address SYS_socketpair SYS_recvmsg SYS_sendmsg
    SYS_landlock_create_ruleset SYS_landlock_add_rule SYS_landlock_restrict_self SYS_seccomp
];
#[cfg(target_arch = "x86_64")]
const OLD_CHILDREN: Calls = calls![
    SYS_arch_prctl SYS_fork SYS_vfork SYS_getpgrp SYS_getrlimit SYS_setrlimit SYS_creat SYS_alarm SYS_pause
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_CHILDREN: Calls = calls![SYS_getrlimit SYS_setrlimit];

/// Requests for a terminal or a pipe: its size, its mode, whether there is input. Inserting input
/// (TIOCSTI) is not permitted.
const TERMINAL: &[u64] = &[
    libc::TCGETS,
    libc::TCSETS,
    libc::TCSETSW,
    libc::TCSETSF,
    libc::TIOCGWINSZ,
    libc::FIONREAD,
    libc::FIONBIO,
    libc::FIOCLEX,
];

/// Names a memory area for debuggers. The crate `libc` does not define it for every C library.
const PR_SET_VMA: u64 = 0x5356_4D41;

/// Returns the calls with conditions. One line of a call's conditions must be satisfied.
fn with_conditions(needs: &Needs) -> Result<Vec<(i64, Vec<SeccompRule>)>, BackendError> {
    let (write, execute) = (libc::PROT_WRITE as u64, libc::PROT_EXEC as u64);
    let own = u64::from(std::process::id());
    let is_data = || rule(&[(2, Dword, MaskedEq(execute), 0)]);
    let to_itself = || rule(&[(0, Dword, Eq, own)]);
    let (mut map, mut protect) = (vec![is_data()?], vec![is_data()?]);
    let (limit, kill);
    if needs.children.is_some() {
        // The loader maps code that is not writable.
        let is_code = || rule(&[(2, Dword, MaskedEq(write), 0)]);
        map.push(is_code()?);
        protect.push(is_code()?);
        limit = Vec::new();
        // To one process or one process group, never to its own group (0) or to all (-1).
        kill = rule(&[(0, Dword, Gt, 0), (0, Dword, Lt, u64::from(u32::MAX))])?;
    } else {
        // Limits may be read, not set.
        limit = vec![rule(&[(2, Qword, Eq, 0)])?];
        kill = to_itself()?;
    }
    if needs.translates {
        // Translated code: data becomes code that is not writable any more.
        protect.push(rule(&[(2, Dword, Eq, (libc::PROT_READ as u64) | execute)])?);
    }
    let terminal = TERMINAL.iter().map(|&request| rule(&[(1, Dword, Eq, request)]));
    let name = rule(&[(0, Dword, Eq, libc::PR_SET_NAME as u64)])?;
    // The allocator of the C library names its memory.
    let names_of_memory = rule(&[(0, Dword, Eq, PR_SET_VMA)])?;
    let restrict = rule(&[(0, Dword, Eq, libc::PR_SET_NO_NEW_PRIVS as u64)])?;
    Ok(vec![
        (libc::SYS_mmap, map),
        (libc::SYS_mprotect, protect),
        (libc::SYS_prlimit64, limit),
        (libc::SYS_ioctl, terminal.collect::<Result<_, _>>()?),
        (libc::SYS_prctl, vec![name, names_of_memory, restrict]),
        // To end itself after a panic, or with the signal that it received.
        (libc::SYS_tgkill, vec![to_itself()?]),
        (libc::SYS_kill, vec![kill]),
    ])
}

fn rule(conditions: &[(u8, SeccompCmpArgLen, SeccompCmpOp, u64)]) -> Result<SeccompRule, BackendError> {
    let conditions = conditions
        .iter()
        .map(|(argument, length, is, value)| {
            SeccompCondition::new(*argument, length.clone(), is.clone(), *value)
        })
        .collect::<Result<_, _>>()?;
    SeccompRule::new(conditions)
}

fn filter(needs: &Needs) -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = with_conditions(needs)?.into_iter().collect();
    let mut lists = vec![OPEN_FILES, NAMED_FILES, OLD_NAMES, MEMORY, THREADS, SIGNALS, HOST];
    if needs.children.is_some() {
        lists.extend([CHILDREN, OLD_CHILDREN]);
    }
    for &call in lists.into_iter().flatten() {
        rules.insert(call, Vec::new());
    }
    SeccompFilter::new(rules, SeccompAction::Trap, SeccompAction::Allow, architecture())?.try_into()
}

/// Returns filters for calls that fail with an error instead of a signal, one filter per error. The
/// C library blocks signals while it makes them, so they could not be reported.
fn answered(needs: &Needs) -> Result<Vec<BpfProgram>, BackendError> {
    let namespaces = libc::CLONE_NEWNS
        | libc::CLONE_NEWCGROUP
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET;
    let without = |flag: i32| rule(&[(0, Qword, MaskedEq(flag as u64), 0)]);
    let with = |flag: i32| rule(&[(0, Qword, MaskedEq(flag as u64), flag as u64)]);
    let flags = (0..i32::BITS - 1).map(|bit| 1 << bit).filter(|flag| namespaces & flag != 0);
    let mut processes = flags.map(with).collect::<Result<Vec<_>, _>>()?;
    if needs.children.is_none() {
        processes.push(without(libc::CLONE_THREAD)?);
    }
    let rows = [
        // Its flags are in memory, which a filter cannot read. The C library then uses CLONE.
        (libc::SYS_clone3, Vec::new(), libc::ENOSYS),
        // Only threads.
        (libc::SYS_clone, processes, libc::EPERM),
    ];
    let filter = |(call, rules, error): (i64, Vec<SeccompRule>, i32)| {
        let rules = [(call, rules)].into_iter().collect();
        let refuse = SeccompAction::Errno(error as u32);
        SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture())?.try_into()
    };
    rows.into_iter().map(filter).collect()
}

fn architecture() -> TargetArch {
    if cfg!(target_arch = "aarch64") { TargetArch::aarch64 } else { TargetArch::x86_64 }
}

/// Confines all threads of this process. A kernel without such filters confines nothing.
pub(super) fn apply(needs: &Needs) {
    let applied = || -> Result<(), seccompiler::Error> {
        // The list comes last: after it no filter can be set.
        let filters = answered(needs)?.into_iter().chain([filter(needs)?]);
        filters.into_iter().try_for_each(|filter| seccompiler::apply_filter_all_threads(&filter))
    };
    if let Err(error) = applied() {
        log::info!("system calls are not restricted: {error}");
    }
}
