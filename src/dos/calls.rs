//! INT 21h by AH.

use super::{
    Dos,
    error::{Answer, ErrorCode, Pause},
    guest::{Far, Guest, GuestMemory},
    layout,
    level::Level,
    process::Ending,
};

/// What the caller learns of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reports {
    /// Nothing, or what the function has put into AL itself: the calls of DOS 1.
    ByItself,
    /// CF, and the error in AX: the calls since DOS 2.
    InCarry,
}

fn reports(function: u8) -> Reports {
    match function {
        0x38..=0x4B | 0x4E | 0x4F | 0x56..=0x58 | 0x5A..=0x61 | 0x65..=0x6C => Reports::InCarry,
        _ => Reports::ByItself,
    }
}

impl Dos {
    /// INT 21h.
    pub(super) fn call(&mut self, g: &mut Guest, level: &mut Level) -> Answer {
        let function = g.cpu.regs.ah();
        match function {
            // DOS answers these without a stack of its own; the console functions are too frequent to be a parent's last call.
            0x00..=0x0C | 0x33 | 0x50 | 0x51 | 0x62 | 0x64 => {}
            _ => {
                self.save_frame(g);
                // BREAK ON: Ctrl-C is looked for at every call.
                if g.hw.byte(layout::BREAK_CHECK) != 0 {
                    self.check_break(g, level)?;
                }
            }
        }
        let answer = self.function(g, level, function);
        match answer {
            Ok(()) if reports(function) == Reports::InCarry => g.set_carry(false),
            Err(Pause::Fail(error)) => {
                self.remember_error(g, error);
                if reports(function) == Reports::InCarry {
                    g.cpu.regs.set_ax(error.code());
                    g.set_carry(true);
                }
            }
            _ => {}
        }
        answer
    }

    fn function(&mut self, g: &mut Guest, level: &mut Level, function: u8) -> Answer {
        match function {
            0x00..=0x0C => self.console_function(g, level, function),
            0x0D..=0x2E => self.early_function(g, level, function),
            0x39..=0x43
            | 0x45..=0x47
            | 0x4E
            | 0x4F
            | 0x56
            | 0x57
            | 0x5A
            | 0x5B
            | 0x60
            | 0x67
            | 0x68
            | 0x6C => self.file_function(g, level, function),
            _ => self.system_function(g, level, function),
        }
    }

    fn console_function(&mut self, g: &mut Guest, level: &mut Level, function: u8) -> Answer {
        match function {
            0x00 => self.terminate_by_cs(g),
            0x01 | 0x07 | 0x08 => self.read_character(g, level, function),
            0x02 => self.write_character(g, level),
            0x03..=0x05 => self.serial_or_printer(g, level, function),
            0x06 => self.direct_console(g, level),
            0x09 => self.write_string(g, level),
            0x0A => self.read_line(g, level),
            0x0B => self.input_status(g, level),
            _ => self.flush_and_read(g, level),
        }
    }

    /// Drives, FCBs, vectors, the clock.
    fn early_function(&mut self, g: &mut Guest, level: &mut Level, function: u8) -> Answer {
        match function {
            0x0D => self.drive.bring_all().map_err(|_| ErrorCode::AccessDenied.into()),
            0x0E => {
                self.select_drive(g);
                Ok(())
            }
            0x0F..=0x17 | 0x21..=0x24 | 0x27..=0x29 => self.fcb_function(g, level, function),
            0x19 => {
                let drive = g.hw.byte(layout::CURRENT_DRIVE);
                g.cpu.regs.set_al(drive);
                Ok(())
            }
            0x1A => {
                g.hw.set_far(layout::DTA, g.ds_dx());
                Ok(())
            }
            0x1B => self.allocation_information(g, level, 0),
            0x1C => {
                let drive = g.cpu.regs.dl();
                self.allocation_information(g, level, drive)
            }
            0x1F => self.drive_parameters(g, level, 0),
            0x25 => {
                let vector = g.cpu.regs.al();
                g.hw.set_vector(vector, g.ds_dx());
                Ok(())
            }
            0x26 => {
                self.copy_psp(g);
                Ok(())
            }
            0x2A => {
                self.get_date(g);
                Ok(())
            }
            0x2B => {
                self.set_date_call(g);
                Ok(())
            }
            0x2C => {
                self.get_time(g);
                Ok(())
            }
            0x2D => {
                self.set_time(g);
                Ok(())
            }
            0x2E => {
                self.verify = g.cpu.regs.al() & 1 != 0;
                Ok(())
            }
            // 18h, 1Dh, 1Eh, 20h are CP/M's and do nothing.
            0x18 | 0x1D | 0x1E | 0x20 => {
                g.cpu.regs.set_al(0);
                Ok(())
            }
            _ => self.unknown(g),
        }
    }

    fn file_function(&mut self, g: &mut Guest, level: &mut Level, function: u8) -> Answer {
        match function {
            0x39 => self.make_directory(g, level),
            0x3A => self.remove_directory(g, level),
            0x3B => self.change_directory(g, level),
            0x3C => self.create(g, level),
            0x3D => self.open(g, level),
            0x3E => self.close(g),
            0x3F => self.read(g, level),
            0x40 => self.write(g, level),
            0x41 => self.delete(g, level),
            0x42 => self.seek(g),
            0x43 => self.file_attributes(g, level),
            0x45 => self.duplicate(g),
            0x46 => self.force_duplicate(g),
            0x47 => self.current_directory(g, level),
            0x4E => self.find_first_call(g, level),
            0x4F => self.find_next_call(g),
            0x56 => self.rename(g, level),
            0x57 => self.file_stamp(g),
            0x5A => self.create_temporary(g, level),
            0x5B => self.create_new(g, level),
            0x60 => self.true_name(g),
            0x67 => self.set_handle_count(g),
            0x68 => self.commit(g),
            _ => self.extended_open(g, level),
        }
    }

    fn system_function(&mut self, g: &mut Guest, level: &mut Level, function: u8) -> Answer {
        match function {
            0x2F => {
                let dta = g.hw.far(layout::DTA);
                give_es_bx(g, dta);
            }
            0x30 => self.version(g),
            0x31 => return self.stay_resident(g),
            0x32 => {
                let drive = g.cpu.regs.dl();
                return self.drive_parameters(g, level, drive);
            }
            0x33 => self.break_state(g),
            0x34 => give_es_bx(g, layout::IN_DOS),
            0x35 => {
                let vector = g.cpu.regs.al();
                let handler = g.hw.vector(vector);
                give_es_bx(g, handler);
            }
            0x36 => return self.free_space(g, level),
            0x37 => self.switch_character(g),
            0x38 => return self.country(g),
            0x44 => return self.ioctl(g, level),
            0x48 => return self.allocate_memory(g),
            0x49 => return self.free_memory(g),
            0x4A => return self.resize_memory(g),
            0x4B => return self.exec(g, level),
            0x4C => {
                let code = g.cpu.regs.al();
                return self.terminate(g, code, Ending::Normal);
            }
            0x4D => self.return_code(g),
            0x50 => {
                let psp = g.cpu.regs.bx();
                g.hw.set_word(layout::CURRENT_PSP, psp);
            }
            0x51 | 0x62 => {
                let psp = self.psp(g);
                g.cpu.regs.set_bx(psp);
            }
            0x52 => give_es_bx(g, layout::LISTS),
            0x54 => g.cpu.regs.set_al(u8::from(self.verify)),
            0x55 => self.child_psp(g),
            0x58 => return self.memory_strategy(g),
            0x59 => self.extended_error(g),
            0x5D => return self.server_call(g),
            0x63 => return self.lead_bytes(g),
            0x65 => return self.extended_country(g),
            0x66 => return self.code_page(g),
            // Without SHARE there is no locking, without a network no machine name and no redirection.
            0x5C | 0x5E | 0x5F => return Err(ErrorCode::InvalidFunction.into()),
            0x69 => return self.volume_serial(g),
            0x6A => return self.commit(g),
            0x64 | 0x6B => g.cpu.regs.set_al(0),
            _ => return self.unknown(g),
        }
        Ok(())
    }

    /// A function that DOS does not have either, or that is not there yet: AL = 0, and the user is told.
    fn unknown(&mut self, g: &mut Guest) -> Answer {
        let ah = g.cpu.regs.ah();
        self.notice(g, &format!("INT 21 AH={ah:02X}"));
        g.cpu.regs.set_al(0);
        Ok(())
    }

    /// Tells the user of a subfunction that is not there.
    pub(super) fn notice_function(&mut self, g: &mut Guest) {
        let ax = g.cpu.regs.ax();
        self.notice(g, &format!("INT 21 AX={ax:04X}"));
    }
}

fn give_es_bx(g: &mut Guest, to: Far) {
    g.cpu.regs.set_es(to.segment);
    g.cpu.regs.set_bx(to.offset);
}
