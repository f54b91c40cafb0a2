//! Country, capitals, code page: functions 38h, 63h, 65h, 66h. The country is 1 (United States), the code page 437.

use super::{
    Dos,
    codepage::upper,
    error::{Answer, ErrorCode},
    guest::{Far, Guest, GuestMemory},
    layout,
};

const COUNTRY: u16 = 1;
const CODE_PAGE: u16 = 437;

/// Month first; `$` before the amount; `,` thousands; `.` decimals; `-` dates; `:` times; two digits; 12 hours; the case map; `,` lists.
fn information() -> [u8; 34] {
    let mut table = [0; 34];
    table[2] = b'$';
    table[7] = b',';
    table[9] = b'.';
    table[11] = b'-';
    table[13] = b':';
    table[16] = 2;
    table[18..22].copy_from_slice(&layout::CASE_MAP.to_dword().to_le_bytes());
    table[22] = b',';
    table
}

impl Dos {
    /// 38h: the country's table to DS:DX; DX = FFFFh sets the country, of which there is but one.
    pub(super) fn country(&mut self, g: &mut Guest) -> Answer {
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

    /// 63h: the table of lead bytes of two-byte characters, DS:SI: empty.
    pub(super) fn lead_bytes(&mut self, g: &mut Guest) -> Answer {
        if g.cpu.regs.al() != 0 {
            g.cpu.regs.set_al(0xFF);
            return Ok(());
        }
        g.cpu.regs.set_al(0);
        g.cpu.regs.set_ds(layout::DBCS.segment);
        g.cpu.regs.set_si(layout::DBCS.offset + 2);
        Ok(())
    }

    /// 65h: tables to ES:DI, at most CX bytes; capitals of a character or a string.
    pub(super) fn extended_country(&mut self, g: &mut Guest) -> Answer {
        let r = &g.cpu.regs;
        match r.al() {
            id @ (1 | 2 | 4..=7) => {
                let known =
                    (r.bx() == 0xFFFF || r.bx() == CODE_PAGE) && (r.dx() == 0xFFFF || r.dx() == COUNTRY);
                if !known {
                    return Err(ErrorCode::FileNotFound.into());
                }
                self.country_table(g, id)
            }
            0x20 => {
                let capital = upper(r.dl());
                g.cpu.regs.set_dl(capital);
                Ok(())
            }
            0x21 | 0x22 => {
                let at = g.ds_dx();
                let len = if r.al() == 0x21 { usize::from(r.cx()) } else { g.hw.text(at, 0, 0xFFFF).len() };
                let capitals: Vec<u8> = g.hw.bytes(at, len).into_iter().map(upper).collect();
                g.hw.set_bytes(at, &capitals);
                Ok(())
            }
            0x23 => {
                let answer = match upper(r.dl()) {
                    b'N' => 0,
                    b'Y' => 1,
                    _ => 2,
                };
                g.cpu.regs.set_ax(answer);
                Ok(())
            }
            _ => Err(ErrorCode::InvalidFunction.into()),
        }
    }

    fn country_table(&mut self, g: &mut Guest, id: u8) -> Answer {
        let pointer = |to: Far| [&[id], &to.to_dword().to_le_bytes()[..]].concat();
        let table = match id {
            1 => {
                let mut table = vec![1, 38, 0];
                table.extend_from_slice(&COUNTRY.to_le_bytes());
                table.extend_from_slice(&CODE_PAGE.to_le_bytes());
                table.extend_from_slice(&information());
                table
            }
            2 => pointer(layout::CAPITALS),
            4 => pointer(layout::NAME_CAPITALS),
            5 => pointer(layout::NAME_CHARACTERS),
            6 => pointer(layout::COLLATING),
            _ => pointer(layout::DBCS),
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

    /// 66h: the code page; another cannot be set.
    pub(super) fn code_page(&mut self, g: &mut Guest) -> Answer {
        match g.cpu.regs.al() {
            1 => {
                g.cpu.regs.set_bx(CODE_PAGE);
                g.cpu.regs.set_dx(CODE_PAGE);
                Ok(())
            }
            2 if g.cpu.regs.bx() == CODE_PAGE => Ok(()),
            2 => Err(ErrorCode::FileNotFound.into()),
            _ => Err(ErrorCode::InvalidFunction.into()),
        }
    }
}
