//! Country, capitals, code page: functions 38h, 63h, 65h, 66h. The country is 1 (United States), the code page 437.

use super::{
    codepage::upper,
    error::{Answer, ErrorCode},
    pending::Call,
    state::{Dos, Handler},
    sysvars,
};
use crate::firmware::{Far, Functions, GuestMemory, row};

const COUNTRY: u16 = 1;
const CODE_PAGE: u16 = 437;

/// Returns the country table: month first; `$` before the amount; `,` thousands; `.` decimals; `-`
/// dates; `:` times; two digits; 12 hours; the case map; `,` lists.
fn information() -> [u8; 34] {
    let mut table = [0; 34];
    table[2] = b'$';
    table[7] = b',';
    table[9] = b'.';
    table[11] = b'-';
    table[13] = b':';
    table[16] = 2;
    table[18..22].copy_from_slice(&sysvars::CASE_MAP.to_dword().to_le_bytes());
    table[22] = b',';
    table
}

#[rustfmt::skip]
pub(super) static EXTENDED: Functions<Handler> = Functions::new(&[
    row(0x01, "get general information",          Dos::extended_country),
    row(0x02, "get uppercase table",              Dos::extended_country),
    row(0x04, "get filename uppercase table",     Dos::extended_country),
    row(0x05, "get filename terminator table",    Dos::extended_country),
    row(0x06, "get collating sequence table",     Dos::extended_country),
    row(0x07, "get double byte character set",    Dos::extended_country),
    row(0x20, "capitalize character",             Dos::capitalize_character),
    row(0x21, "capitalize string",                Dos::capitalize_string),
    row(0x22, "capitalize ASCIZ string",          Dos::capitalize_asciz),
    row(0x23, "determine if character is yes/no", Dos::yes_or_no),
]);

#[rustfmt::skip]
pub(super) static CODE_PAGES: Functions<Handler> = Functions::new(&[
    row(0x01, "get global code page", Dos::get_code_page),
    row(0x02, "set global code page", Dos::set_code_page),
]);

impl Dos {
    /// 38h: stores the country's table at DS:DX. DX = FFFFh sets the country; only one exists.
    pub(super) fn country(&mut self, g: &mut Call) -> Answer {
        let r = &g.cpu.regs;
        let wanted = match r.al() {
            0 => COUNTRY,
            0xFF => r.bx(),
            al => u16::from(al),
        };
        if wanted != COUNTRY {
            return Err(ErrorCode::FileNotFound.into());
        }
        if r.dx() != 0xFFFF {
            g.hw.set_bytes(g.ds_dx(), &information());
            g.cpu.regs.set_bx(COUNTRY);
            g.cpu.regs.set_ax(COUNTRY);
        }
        Ok(())
    }

    /// 63h: returns the table of lead bytes of two-byte characters in DS:SI; it is empty.
    pub(super) fn lead_bytes(&mut self, g: &mut Call) -> Answer {
        if g.cpu.regs.al() != 0 {
            g.cpu.regs.set_al(0xFF);
            return Ok(());
        }
        g.cpu.regs.set_al(0);
        g.cpu.regs.set_ds(sysvars::DBCS.segment);
        g.cpu.regs.set_si(sysvars::DBCS.offset + 2);
        Ok(())
    }

    /// 6501h to 6507h: stores a table at ES:DI, up to CX bytes.
    fn extended_country(&mut self, g: &mut Call) -> Answer {
        let r = &g.cpu.regs;
        let known = (r.bx() == 0xFFFF || r.bx() == CODE_PAGE) && (r.dx() == 0xFFFF || r.dx() == COUNTRY);
        if !known {
            return Err(ErrorCode::FileNotFound.into());
        }
        let id = r.al();
        self.country_table(g, id)
    }

    /// 6520h: converts the character DL to its capital.
    fn capitalize_character(&mut self, g: &mut Call) -> Answer {
        let capital = upper(g.cpu.regs.dl());
        g.cpu.regs.set_dl(capital);
        Ok(())
    }

    /// 6521h: converts CX bytes at DS:DX to capitals.
    fn capitalize_string(&mut self, g: &mut Call) -> Answer {
        let len = usize::from(g.cpu.regs.cx());
        capitalize(g, len);
        Ok(())
    }

    /// 6522h: converts the bytes at DS:DX up to a zero to capitals.
    fn capitalize_asciz(&mut self, g: &mut Call) -> Answer {
        let len = g.hw.text(g.ds_dx(), 0, 0xFFFF).len();
        capitalize(g, len);
        Ok(())
    }

    /// 6523h: whether the character DL means no (0), yes (1) or neither (2).
    fn yes_or_no(&mut self, g: &mut Call) -> Answer {
        let answer = match upper(g.cpu.regs.dl()) {
            b'N' => 0,
            b'Y' => 1,
            _ => 2,
        };
        g.cpu.regs.set_ax(answer);
        Ok(())
    }

    fn country_table(&mut self, g: &mut Call, id: u8) -> Answer {
        let pointer = |to: Far| [&[id], &to.to_dword().to_le_bytes()[..]].concat();
        let table = match id {
            1 => {
                let mut table = vec![1, 38, 0];
                table.extend_from_slice(&COUNTRY.to_le_bytes());
                table.extend_from_slice(&CODE_PAGE.to_le_bytes());
                table.extend_from_slice(&information());
                table
            }
            2 => pointer(sysvars::CAPITALS),
            4 => pointer(sysvars::NAME_CAPITALS),
            5 => pointer(sysvars::NAME_CHARACTERS),
            6 => pointer(sysvars::COLLATING),
            _ => pointer(sysvars::DBCS),
        };
        let len = usize::from(g.cpu.regs.cx());
        if len < 5 {
            return Err(ErrorCode::InvalidFunction.into());
        }
        let part = &table[..len.min(table.len())];
        g.hw.set_bytes(g.es_di(), part);
        g.cpu.regs.set_cx(part.len() as u16);
        Ok(())
    }

    /// 6601h: returns the active code page in BX and the default in DX.
    fn get_code_page(&mut self, g: &mut Call) -> Answer {
        g.cpu.regs.set_bx(CODE_PAGE);
        g.cpu.regs.set_dx(CODE_PAGE);
        Ok(())
    }

    /// 6602h: sets the code page BX; only one exists.
    fn set_code_page(&mut self, g: &mut Call) -> Answer {
        if g.cpu.regs.bx() == CODE_PAGE { Ok(()) } else { Err(ErrorCode::FileNotFound.into()) }
    }
}

fn capitalize(g: &mut Call, len: usize) {
    let at = g.ds_dx();
    let capitals: Vec<u8> = g.hw.bytes(at, len).into_iter().map(upper).collect();
    g.hw.set_bytes(at, &capitals);
}
