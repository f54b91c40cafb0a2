//! INT 21h, one row per function.
//!
//! A row contains a function's number, its name (as in Ralf Brown's list), how errors are reported
//! to the caller, and whether the caller's registers are saved where a child's end expects them.

use super::{
    country,
    drives::Of,
    error::{Answer, ErrorCode, Pause},
    files, ioctl, memory,
    pending::Call,
    process, settings,
    state::{Dos, Handler},
    sysvars,
};
use crate::firmware::{Far, Function, Functions, GuestMemory, Names, Selector};
use crate::notice::NoticeKind;

/// The way in which errors are reported to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorConvention {
    /// Not at all, or in AL by the function itself: the calls of DOS 1.
    ByItself,
    /// AL is FFh, or 0 on success: the FCB calls.
    InAl,
    /// CF is set, and AX is the error: the calls since DOS 2.
    InCarry,
}

/// Whether the caller's registers are saved on its stack. DOS runs some functions without a stack
/// of its own, those for the console among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Saved,
    Unsaved,
}

enum Action {
    Whole(Handler),
    /// By AL. For other values the handler is called.
    ByAl(&'static Functions<Handler>, Handler),
}

/// The part of a row besides number and name.
struct Service {
    errors: ErrorConvention,
    frame: Frame,
    action: Action,
}

const fn row(
    number: u8,
    name: &'static str,
    errors: ErrorConvention,
    frame: Frame,
    handler: Handler,
) -> Function<Service> {
    Function { number, name, handler: Service { errors, frame, action: Action::Whole(handler) } }
}

const fn by_al(
    number: u8,
    name: &'static str,
    errors: ErrorConvention,
    frame: Frame,
    functions: &'static Functions<Handler>,
    otherwise: Handler,
) -> Function<Service> {
    Function { number, name, handler: Service { errors, frame, action: Action::ByAl(functions, otherwise) } }
}

use ErrorConvention::{ByItself, InAl, InCarry};
use Frame::{Saved, Unsaved};

#[rustfmt::skip]
static INT_21: Functions<Service> = Functions::new(&[
    row(0x00, "terminate program",                              ByItself, Unsaved, Dos::terminate_by_cs),
    row(0x01, "read character with echo",                       ByItself, Unsaved, Dos::read_with_echo),
    row(0x02, "write character",                                ByItself, Unsaved, Dos::write_character),
    row(0x03, "read character from STDAUX",                     ByItself, Unsaved, Dos::read_auxiliary),
    row(0x04, "write character to STDAUX",                      ByItself, Unsaved, Dos::write_auxiliary),
    row(0x05, "write character to printer",                     ByItself, Unsaved, Dos::write_printer),
    row(0x06, "direct console I/O",                             ByItself, Unsaved, Dos::direct_console),
    row(0x07, "direct character input without echo",            ByItself, Unsaved, Dos::read_direct),
    row(0x08, "read character without echo",                    ByItself, Unsaved, Dos::read_without_echo),
    row(0x09, "write string",                                   ByItself, Unsaved, Dos::write_string),
    row(0x0A, "buffered input",                                 ByItself, Unsaved, Dos::read_line),
    row(0x0B, "get STDIN status",                               ByItself, Unsaved, Dos::input_status),
    row(0x0C, "flush buffer and read STDIN",                    ByItself, Unsaved, Dos::flush_and_read),
    row(0x0D, "disk reset",                                     ByItself, Saved,   Dos::reset_disk),
    row(0x0E, "select default drive",                           ByItself, Saved,   Dos::select_drive),
    row(0x0F, "open file using FCB",                            InAl,     Saved,   Dos::fcb_open),
    row(0x10, "close file using FCB",                           InAl,     Saved,   Dos::fcb_close),
    row(0x11, "find first matching file using FCB",             InAl,     Saved,   Dos::fcb_find_first),
    row(0x12, "find next matching file using FCB",              InAl,     Saved,   Dos::fcb_find_next),
    row(0x13, "delete file using FCB",                          InAl,     Saved,   Dos::fcb_delete),
    row(0x14, "sequential read from FCB file",                  ByItself, Saved,   Dos::fcb_read_sequential),
    row(0x15, "sequential write to FCB file",                   ByItself, Saved,   Dos::fcb_write_sequential),
    row(0x16, "create or truncate file using FCB",              InAl,     Saved,   Dos::fcb_create),
    row(0x17, "rename file using FCB",                          InAl,     Saved,   Dos::fcb_rename),
    row(0x18, "null function for CP/M",                         ByItself, Saved,   Dos::null_function),
    row(0x19, "get current default drive",                      ByItself, Saved,   Dos::default_drive),
    row(0x1A, "set disk transfer area address",                 ByItself, Saved,   Dos::set_dta),
    row(0x1B, "get allocation information for default drive",   ByItself, Saved,   |dos, g| dos.allocation_information(g, Of::Default)),
    row(0x1C, "get allocation information for drive",           ByItself, Saved,   |dos, g| dos.allocation_information(g, Of::Dl)),
    row(0x1D, "null function for CP/M",                         ByItself, Saved,   Dos::null_function),
    row(0x1E, "null function for CP/M",                         ByItself, Saved,   Dos::null_function),
    row(0x1F, "get parameter block of default drive",           ByItself, Saved,   |dos, g| dos.drive_parameters(g, Of::Default)),
    row(0x20, "null function for CP/M",                         ByItself, Saved,   Dos::null_function),
    row(0x21, "read random record from FCB file",               ByItself, Saved,   Dos::fcb_read_random),
    row(0x22, "write random record to FCB file",                ByItself, Saved,   Dos::fcb_write_random),
    row(0x23, "get file size for FCB",                          InAl,     Saved,   Dos::fcb_size),
    row(0x24, "set random record number for FCB",               ByItself, Saved,   Dos::fcb_set_random),
    row(0x25, "set interrupt vector",                           ByItself, Saved,   Dos::set_vector),
    row(0x26, "create new PSP",                                 ByItself, Saved,   Dos::copy_psp),
    row(0x27, "random block read from FCB file",                ByItself, Saved,   Dos::fcb_read_block),
    row(0x28, "random block write to FCB file",                 ByItself, Saved,   Dos::fcb_write_block),
    row(0x29, "parse filename into FCB",                        ByItself, Saved,   Dos::fcb_parse),
    row(0x2A, "get system date",                                ByItself, Saved,   Dos::get_date),
    row(0x2B, "set system date",                                ByItself, Saved,   Dos::set_date),
    row(0x2C, "get system time",                                ByItself, Saved,   Dos::get_time),
    row(0x2D, "set system time",                                ByItself, Saved,   Dos::set_time),
    row(0x2E, "set verify flag",                                ByItself, Saved,   Dos::set_verify),
    row(0x2F, "get disk transfer area address",                 ByItself, Saved,   Dos::get_dta),
    row(0x30, "get DOS version",                                ByItself, Saved,   Dos::version),
    row(0x31, "terminate and stay resident",                    ByItself, Saved,   Dos::stay_resident),
    row(0x32, "get parameter block of drive",                   ByItself, Saved,   |dos, g| dos.drive_parameters(g, Of::Dl)),
    by_al(0x33, "extended break checking",                      ByItself, Unsaved, &settings::BREAK_CHECKING, no_in_al),
    row(0x34, "get address of InDOS flag",                      ByItself, Saved,   |_, g| give_es_bx(g, sysvars::IN_DOS)),
    row(0x35, "get interrupt vector",                           ByItself, Saved,   Dos::get_vector),
    row(0x36, "get free disk space",                            ByItself, Saved,   Dos::free_space),
    by_al(0x37, "switch character",                             ByItself, Saved,   &settings::SWITCH_CHARACTER, no_in_al),
    row(0x38, "country information",                            InCarry,  Saved,   Dos::country),
    row(0x39, "create subdirectory",                            InCarry,  Saved,   Dos::make_directory),
    row(0x3A, "remove subdirectory",                            InCarry,  Saved,   Dos::remove_directory),
    row(0x3B, "set current directory",                          InCarry,  Saved,   Dos::change_directory),
    row(0x3C, "create or truncate file",                        InCarry,  Saved,   Dos::create),
    row(0x3D, "open existing file",                             InCarry,  Saved,   Dos::open),
    row(0x3E, "close file",                                     InCarry,  Saved,   Dos::close),
    row(0x3F, "read from file or device",                       InCarry,  Saved,   Dos::read),
    row(0x40, "write to file or device",                        InCarry,  Saved,   Dos::write),
    row(0x41, "delete file",                                    InCarry,  Saved,   Dos::delete),
    row(0x42, "set current file position",                      InCarry,  Saved,   Dos::seek),
    by_al(0x43, "file attributes",                              InCarry,  Saved,   &files::ATTRIBUTES, invalid_function),
    by_al(0x44, "IOCTL",                                        InCarry,  Saved,   &ioctl::FUNCTIONS, invalid_function),
    row(0x45, "duplicate file handle",                          InCarry,  Saved,   Dos::duplicate),
    row(0x46, "force duplicate file handle",                    InCarry,  Saved,   Dos::force_duplicate),
    row(0x47, "get current directory",                          InCarry,  Saved,   Dos::current_directory),
    row(0x48, "allocate memory",                                InCarry,  Saved,   Dos::allocate_memory),
    row(0x49, "free memory",                                    InCarry,  Saved,   Dos::free_memory),
    row(0x4A, "resize memory block",                            InCarry,  Saved,   Dos::resize_memory),
    by_al(0x4B, "load program",                                 InCarry,  Saved,   &process::EXEC, invalid_function),
    row(0x4C, "terminate with return code",                     ByItself, Saved,   Dos::terminate_with_code),
    row(0x4D, "get return code",                                InCarry,  Saved,   Dos::return_code),
    row(0x4E, "find first matching file",                       InCarry,  Saved,   Dos::find_first),
    row(0x4F, "find next matching file",                        InCarry,  Saved,   Dos::find_next),
    row(0x50, "set current PSP address",                        ByItself, Unsaved, Dos::set_psp),
    row(0x51, "get current PSP address",                        ByItself, Unsaved, Dos::get_psp),
    row(0x52, "get list of lists",                              ByItself, Saved,   |_, g| give_es_bx(g, sysvars::LISTS)),
    row(0x53, "translate BIOS parameter block",                 ByItself, Saved,   unknown),
    row(0x54, "get verify flag",                                ByItself, Saved,   Dos::get_verify),
    row(0x55, "create child PSP",                               ByItself, Saved,   Dos::child_psp),
    row(0x56, "rename file",                                    InCarry,  Saved,   Dos::rename),
    by_al(0x57, "file date and time",                           InCarry,  Saved,   &files::STAMP, Dos::no_stamp),
    by_al(0x58, "memory allocation strategy",                   InCarry,  Saved,   &memory::STRATEGY, invalid_function),
    row(0x59, "get extended error information",                 InCarry,  Saved,   Dos::extended_error),
    row(0x5A, "create temporary file",                          InCarry,  Saved,   Dos::create_temporary),
    row(0x5B, "create new file",                                InCarry,  Saved,   Dos::create_new),
    // Without SHARE locking is unsupported; without a network machine names and redirection are.
    row(0x5C, "lock or unlock file region",                     InCarry,  Saved,   invalid_function),
    by_al(0x5D, "server functions",                             InCarry,  Saved,   &settings::SERVER, Dos::no_server),
    row(0x5E, "network machine name",                           InCarry,  Saved,   invalid_function),
    row(0x5F, "network redirection",                            InCarry,  Saved,   invalid_function),
    row(0x60, "canonicalize filename",                          InCarry,  Saved,   Dos::true_name),
    row(0x61, "reserved for network use",                       InCarry,  Saved,   unknown),
    row(0x62, "get current PSP address",                        ByItself, Unsaved, Dos::get_psp),
    row(0x63, "get double byte character set lead-byte table",  InCarry,  Saved,   Dos::lead_bytes),
    row(0x64, "set device driver lookahead flag",               ByItself, Unsaved, Dos::null_function),
    by_al(0x65, "extended country information",                 InCarry,  Saved,   &country::EXTENDED, invalid_function),
    by_al(0x66, "code page",                                    InCarry,  Saved,   &country::CODE_PAGES, invalid_function),
    row(0x67, "set handle count",                               InCarry,  Saved,   Dos::set_handle_count),
    row(0x68, "commit file",                                    InCarry,  Saved,   Dos::commit),
    row(0x69, "disk serial number",                             InCarry,  Saved,   Dos::volume_serial),
    row(0x6A, "commit file",                                    InCarry,  Saved,   Dos::commit),
    row(0x6B, "null function",                                  InCarry,  Saved,   Dos::null_function),
    row(0x6C, "extended open or create",                        InCarry,  Saved,   Dos::extended_open),
]);

/// A function that DOS does not have either, or that is not implemented.
static UNKNOWN: Service = Service { errors: ByItself, frame: Saved, action: Action::Whole(unknown) };

/// Whether a function of INT 21h reports errors in CF and AX.
pub fn tells_errors_by_carry(ah: u8) -> bool {
    INT_21.get(ah).is_some_and(|row| row.handler.errors == InCarry)
}

/// Returns the names of a function and, if AL selects one, of its subfunction.
pub(super) fn names_of(interrupt: &'static str, ax: u16) -> Names {
    let [al, ah] = ax.to_le_bytes();
    let row = INT_21.get(ah);
    let function = row.map(|row| row.name);
    match row.map(|row| &row.handler.action) {
        Some(Action::ByAl(functions, _)) => {
            let subfunction = functions.get(al).map(|row| row.name);
            Names { interrupt, selector: Selector::Ax, function, subfunction }
        }
        _ => Names { interrupt, selector: Selector::Ah, function, subfunction: None },
    }
}

impl Dos {
    /// INT 21h.
    pub(super) fn function(&mut self, g: &mut Call) -> Answer {
        let service = INT_21.get(g.cpu.regs.ah()).map_or(&UNKNOWN, |row| &row.handler);
        if service.frame == Saved {
            self.save_frame(g);
            // BREAK ON: every call checks for Ctrl-C.
            if g.hw.byte(sysvars::BREAK_CHECK) != 0 {
                self.check_break(g)?;
            }
        }
        let handler = match &service.action {
            Action::Whole(handler) => *handler,
            Action::ByAl(functions, otherwise) => {
                functions.get(g.cpu.regs.al()).map_or(*otherwise, |row| row.handler)
            }
        };
        let answer = handler(self, g);
        if let Err(Pause::Fail(error)) = answer {
            self.remember_error(g, error);
        }
        match (service.errors, answer) {
            (ByItself, _) | (_, Err(Pause::Leave(_))) => {}
            (InAl, Ok(())) => g.cpu.regs.set_al(0),
            (InAl, Err(Pause::Fail(_))) => g.cpu.regs.set_al(0xFF),
            (InCarry, Ok(())) => g.set_caller_carry(false),
            (InCarry, Err(Pause::Fail(error))) => {
                g.cpu.regs.set_ax(error.code());
                g.set_caller_carry(true);
            }
        }
        answer
    }

    /// 18h, 1Dh, 1Eh, 20h, 64h, 6Bh: set AL = 0.
    fn null_function(&mut self, g: &mut Call) -> Answer {
        g.cpu.regs.set_al(0);
        Ok(())
    }

    /// 1Ah: sets the DTA to DS:DX.
    fn set_dta(&mut self, g: &mut Call) -> Answer {
        g.hw.set_far(sysvars::DTA, g.ds_dx());
        Ok(())
    }

    /// 2Fh: returns the DTA in ES:BX.
    fn get_dta(&mut self, g: &mut Call) -> Answer {
        let dta = g.hw.far(sysvars::DTA);
        give_es_bx(g, dta)
    }

    /// 25h: sets the vector AL to DS:DX.
    fn set_vector(&mut self, g: &mut Call) -> Answer {
        g.hw.set_vector(g.cpu.regs.al(), g.ds_dx());
        Ok(())
    }

    /// 35h: returns the vector AL in ES:BX.
    fn get_vector(&mut self, g: &mut Call) -> Answer {
        let handler = g.hw.vector(g.cpu.regs.al());
        give_es_bx(g, handler)
    }
}

fn give_es_bx(g: &mut Call, to: Far) -> Answer {
    g.cpu.regs.set_es(to.segment);
    g.cpu.regs.set_bx(to.offset);
    Ok(())
}

/// A function that is not implemented: AL = 0, with a notice to the user.
fn unknown(dos: &mut Dos, g: &mut Call) -> Answer {
    let ah = g.cpu.regs.ah();
    dos.notice(g, NoticeKind::Function { vector: 0x21, ah });
    g.cpu.regs.set_al(0);
    Ok(())
}

fn invalid_function(_: &mut Dos, _: &mut Call) -> Answer {
    Err(ErrorCode::InvalidFunction.into())
}

/// AL = FFh: the subfunction does not exist.
fn no_in_al(_: &mut Dos, g: &mut Call) -> Answer {
    g.cpu.regs.set_al(0xFF);
    Ok(())
}
