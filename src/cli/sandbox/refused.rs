//! Reports a refused system call, and ends the process in order.
//!
//! The kernel sends SIGSYS to the thread that made the call. A signal handler may do little, and
//! the thread may hold any lock. So the handler writes one line, leaves the clean-up to the thread
//! that waits for signals, and sleeps until that has ended the process.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::mem;
use std::ptr;

use super::names;
use crate::frontend::signals;

/// `si_code` of a SIGSYS from a filter.
const SYS_SECCOMP: c_int = 1;

/// The offset of the call's number in 64-bit Linux's `siginfo_t`: three integers, an address.
const NUMBER_AT: usize = 24;

/// Starts to report refused calls.
pub(super) fn listen() {
    // SAFETY: an action of zeros has no flags and an empty mask; its handler is a function of three
    // arguments, as required by SA_SIGINFO. SA_ONSTACK is safe if no other stack is set.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = handle as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSYS, &raw const action, ptr::null_mut());
    }
}

extern "C" fn handle(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel passes a complete siginfo_t of 128 bytes.
    let (code, number) =
        unsafe { ((*info).si_code, info.cast::<u8>().add(NUMBER_AT).cast::<c_int>().read()) };
    if code != SYS_SECCOMP {
        // The signal was sent by another process.
        exit();
    }
    let mut digits = [0; 12];
    let name = names::name(i64::from(number)).unwrap_or_else(|| decimal(number, &mut digits));
    say("oxbox: the sandbox refused the system call ");
    say(name);
    say(": this is a mistake in oxbox, or an attack on it; --no-sandbox disables the sandbox\n");
    signals::end_soon();
    // SAFETY: plain calls that are permitted in a handler.
    unsafe {
        libc::kill(libc::getpid(), signals::WAKE);
        let second = libc::timespec { tv_sec: 1, tv_nsec: 0 };
        for _ in 0..3 {
            libc::nanosleep(&raw const second, ptr::null_mut());
        }
    }
    exit();
}

fn exit() -> ! {
    // SAFETY: ends the process without running any other code.
    unsafe { libc::_exit(c_int::from(signals::REFUSED_CODE)) }
}

/// Writes to stderr; ignores that it is closed.
fn say(text: &str) {
    // SAFETY: the pointer and length of a text.
    unsafe {
        libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
    }
}

/// Formats a number in decimal, without the allocator.
fn decimal(number: c_int, digits: &mut [u8; 12]) -> &str {
    let mut rest = number.unsigned_abs();
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    std::str::from_utf8(&digits[at..]).unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_a_name() {
        for (number, text) in [(0, "0"), (99999, "99999"), (-1, "-1"), (c_int::MIN, "-2147483648")] {
            assert_eq!(decimal(number, &mut [0; 12]), text);
        }
    }
}
