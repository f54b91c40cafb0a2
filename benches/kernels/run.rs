//! The smallest machine that runs the kernels: memory, and a trap for INT 21h whose console
//! discards output.

use oxbox::cpu::flat::Flat;
use oxbox::cpu::{Blocks, Cpu, Exit, Model, Registers};

/// The result of a run.
pub(crate) struct Ended {
    /// The number of executed instructions.
    pub(crate) retired: u64,
}

fn program(name: &str) -> &'static [u8] {
    match name {
        "busy386" => include_bytes!("a_busy386.com"),
        "busy86" => include_bytes!("a_busy86.com"),
        "sieve" => include_bytes!("b_sieve.com"),
        "movs" => include_bytes!("c_movs.com"),
        "stos" => include_bytes!("c_stos.com"),
        "scas" => include_bytes!("c_scas.com"),
        "fib" => include_bytes!("d_fib.com"),
        "crc" => include_bytes!("e_crc.com"),
        "ttt" => include_bytes!("i_ttt.com"),
        "pixel" => include_bytes!("j_pixel.com"),
        "sort" => include_bytes!("k_sort.com"),
        "words" => include_bytes!("m_words.com"),
        "mandel" => include_bytes!("n_mandel.com"),
        "far" => include_bytes!("o_far.com"),
        "patch" => include_bytes!("p_patch.com"),
        "number" => include_bytes!("q_number.com"),
        "calls" => include_bytes!("r_calls.com"),
        "emit" => include_bytes!("s_emit.com"),
        "hash" => include_bytes!("t_hash.com"),
        "dos" => include_bytes!("u_dos.com"),
        "short" => include_bytes!("v_short.com"),
        "386" => include_bytes!("w_386.com"),
        "list" => include_bytes!("x_list.com"),
        "flags" => include_bytes!("y_flags.com"),
        "matrix" => include_bytes!("z_matrix.com"),
        "bcd" => include_bytes!("z_bcd.com"),
        "inter" => include_bytes!("z_inter.com"),
        "scroll" => include_bytes!("z_scroll.com"),
        "ports" => include_bytes!("z_ports.com"),
        "sprite" => include_bytes!("z_sprite.com"),
        "vm" => include_bytes!("z_vm.com"),
        "overlay" => include_bytes!("z_overlay.com"),
        "plane" => include_bytes!("z_plane.com"),
        "tasks" => include_bytes!("z_tasks.com"),
        "rotate" => include_bytes!("z_rotate.com"),
        "trig" => include_bytes!("z_trig.com"),
        "text" => include_bytes!("f_text.com"),
        "conout" => include_bytes!("g_conout.com"),
        "smc" => include_bytes!("h_smc.com"),
        _ => include_bytes!("empty.com"),
    }
}

/// mov ax, 4C00h; int 21h
pub(crate) const EXIT: [u8; 5] = [0xB8, 0x00, 0x4C, 0xCD, 0x21];

/// Runs a kernel to its end.
pub(crate) fn kernel(name: &str) -> Ended {
    execute(program(name))
}

/// Runs a COM program to its end.
pub(crate) fn execute(program: &[u8]) -> Ended {
    const SEGMENT: u16 = 0x1000;
    const TRAP_AND_IRET: [u8; 4] = [0x0F, 0xFF, 0x21, 0xCF];
    let mut bus = Flat::new();
    bus.traps_from = 0xF_0000;
    bus.write_bytes(0x21 * 4, &[0, 0, 0, 0xF0]);
    bus.write_bytes(0xF_0000, &TRAP_AND_IRET);
    bus.write_bytes(u32::from(SEGMENT) * 16 + 0x100, program);
    let mut cpu = Cpu::new(Model::I386);
    cpu.install_coprocessor();
    for set in [Registers::set_cs, Registers::set_ds, Registers::set_es] {
        set(&mut cpu.regs, SEGMENT);
    }
    cpu.regs.set_ss(SEGMENT);
    cpu.regs.set_sp(0xFFFE);
    cpu.regs.ip = 0x100;
    let mut blocks = Blocks::new();
    // A machine with an event at 60 Hz and 100 million instructions per second.
    loop {
        let deadline = cpu.cycles + 1_600_000;
        match cpu.run(&mut blocks, &mut bus, deadline) {
            Exit::Deadline => {}
            Exit::Trap(_) if cpu.regs.ah() == 2 => {}
            _ => return Ended { retired: cpu.retired },
        }
    }
}
