//! Executes 16-bit code on the host's own processor: one instruction in segments of the local
//! descriptor table.
//!
//! Linux lets a process create such segments (`modify_ldt`). The code is entered by IRET and left
//! by a signal: SIGTRAP at the INT3 after the instruction, or the signal of its fault. The handler
//! stores the registers and returns the thread to its origin.
#![allow(unsafe_code)]

use std::arch::asm;
use std::ptr::{addr_of, addr_of_mut};

/// The size of the segment in bytes.
pub(crate) const SEGMENT: usize = 0x1_0000;

/// Registers before and after, EAX to EDI in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Registers {
    pub(crate) gpr: [u32; 8],
    pub(crate) flags: u32,
    pub(crate) ip: u16,
}

/// The end of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// At the INT3 after it, or at its jump target.
    Done,
    /// #DE.
    Divide,
    /// #UD.
    Opcode,
    /// #GP, #SS or #BR.
    Protection,
}

/// Data shared by the assembly below and the handler. The assembly contains their offsets.
#[repr(C)]
struct Context {
    gpr: [u32; 8],
    flags: u32,
    ip: u32,
    code: u32,
    data: u32,
    resume: u64,
    stack: u64,
    signal: i32,
}

static mut CONTEXT: Context =
    Context { gpr: [0; 8], flags: 0, ip: 0, code: 0, data: 0, resume: 0, stack: 0, signal: 0 };

/// The descriptor in the kernel's format.
#[repr(C)]
struct Descriptor {
    entry: u32,
    base: u32,
    limit: u32,
    flags: u32,
}

/// The processor, with a segment to work in. Only one exists at a time.
pub(crate) struct Processor {
    memory: *mut u8,
}

impl Processor {
    /// `None` if the host does not support segments of 16 bits.
    pub(crate) fn new() -> Option<Processor> {
        const CODE: u32 = 2 << 1 | 1 << 6;
        const DATA: u32 = 1 << 6;
        const WRITE: libc::c_long = 0x11;
        // SAFETY: a fresh mapping without other users.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                SEGMENT,
                libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_32BIT,
                -1,
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return None;
        }
        for (entry, flags) in [(0, CODE), (1, DATA)] {
            let descriptor = Descriptor { entry, base: memory as usize as u32, limit: 0xFFFF, flags };
            let size = size_of::<Descriptor>();
            // SAFETY: the kernel reads a descriptor of this size, and these entries are not in use.
            if unsafe { libc::syscall(libc::SYS_modify_ldt, WRITE, &raw const descriptor, size) } != 0 {
                return None;
            }
        }
        let selector = |entry: u32| entry << 3 | 7;
        // SAFETY: the context has no other user: there is one processor at a time.
        unsafe {
            CONTEXT.code = selector(0);
            CONTEXT.data = selector(1);
        }
        let stack: &'static mut [u8] = Box::leak(vec![0; 0x2_0000].into_boxed_slice());
        let stack = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: stack.len() };
        // SAFETY: the stack is never freed, and the handler has the signature required by
        // SA_SIGINFO.
        unsafe {
            libc::sigaltstack(&raw const stack, std::ptr::null_mut());
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = left as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            for signal in [libc::SIGTRAP, libc::SIGSEGV, libc::SIGFPE, libc::SIGILL, libc::SIGBUS] {
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
        Some(Processor { memory: memory.cast() })
    }

    /// Returns the segment.
    pub(crate) fn memory(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has this size and lives as long as the process; `self` is its only
        // owner.
        unsafe { std::slice::from_raw_parts_mut(self.memory, SEGMENT) }
    }

    /// Executes from `registers` to a trap or fault, with all segment registers set to the segment.
    pub(crate) fn execute(&mut self, registers: &mut Registers) -> End {
        let context = addr_of_mut!(CONTEXT);
        // SAFETY: the context belongs to this function while it runs. The assembly preserves what
        // it may not change (RBX, RBP, the stack), declares
        // the rest, and comes back at label 2, where the handler sends it. 16-bit code reaches its segment alone.
        unsafe {
            (*context).gpr = registers.gpr;
            (*context).flags = registers.flags;
            (*context).ip = u32::from(registers.ip);
            asm!(
                "push rbp",
                "push rbx",
                "lea rax, [rip + 2f]",
                "mov [rdi + 48], rax",
                "mov [rdi + 56], rsp",
                "mov eax, [rdi + 44]",
                "mov ds, eax",
                "mov es, eax",
                "push rax",
                "mov eax, [rdi + 16]",
                "push rax",
                "mov eax, [rdi + 32]",
                "push rax",
                "mov eax, [rdi + 40]",
                "push rax",
                "mov eax, [rdi + 36]",
                "push rax",
                "mov eax, [rdi]",
                "mov ecx, [rdi + 4]",
                "mov edx, [rdi + 8]",
                "mov ebx, [rdi + 12]",
                "mov ebp, [rdi + 20]",
                "mov esi, [rdi + 24]",
                "mov edi, [rdi + 28]",
                "iretq",
                "2:",
                // NT outlives the handler, and IRET must not meet it.
                "push 0x202",
                "popfq",
                "xor eax, eax",
                "mov ds, eax",
                "mov es, eax",
                "pop rbx",
                "pop rbp",
                inout("rdi") context => _,
                out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _,
                out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                out("r12") _, out("r13") _, out("r14") _, out("r15") _,
            );
            registers.gpr = (*context).gpr;
            registers.flags = (*context).flags;
            registers.ip = (*context).ip as u16;
            match (*context).signal {
                libc::SIGTRAP => {
                    // After the INT3.
                    registers.ip = registers.ip.wrapping_sub(1);
                    End::Done
                }
                libc::SIGFPE => End::Divide,
                libc::SIGILL => End::Opcode,
                _ => End::Protection,
            }
        }
    }
}

/// The handler: stores the registers of the 16-bit code, and continues after its entry.
extern "C" fn left(signal: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    const USER_CODE: u64 = 0x33;
    const USER_DATA: u64 = 0x2B;
    const NUMBERS: [libc::c_int; 8] = [
        libc::REG_RAX,
        libc::REG_RCX,
        libc::REG_RDX,
        libc::REG_RBX,
        libc::REG_RSP,
        libc::REG_RBP,
        libc::REG_RSI,
        libc::REG_RDI,
    ];
    // SAFETY: the kernel passes a complete context to a handler with SA_SIGINFO. A signal from
    // outside the 16-bit code is a mistake of the test, which ends at once.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let segments = registers[libc::REG_CSGSFS as usize] as u64;
        if segments & 0xFFFF != u64::from(CONTEXT.code) {
            libc::_exit(99);
        }
        for (number, register) in NUMBERS.iter().enumerate() {
            CONTEXT.gpr[number] = registers[*register as usize] as u32;
        }
        CONTEXT.flags = registers[libc::REG_EFL as usize] as u32;
        CONTEXT.ip = registers[libc::REG_RIP as usize] as u32;
        CONTEXT.signal = signal;
        registers[libc::REG_RIP as usize] = addr_of!(CONTEXT.resume).read() as i64;
        registers[libc::REG_RSP as usize] = addr_of!(CONTEXT.stack).read() as i64;
        registers[libc::REG_EFL as usize] = 0x202;
        let kept = segments & 0x0000_FFFF_FFFF_0000;
        registers[libc::REG_CSGSFS as usize] = (kept | USER_CODE | USER_DATA << 48) as i64;
    }
}
