//! Devices that programs look for and this PC does not have, recorded by their ports and reported
//! to the user.

use crate::notice::{Notice, NoticeKind};

/// Per device: first and last port, name, and the ports as text. Source: Ralf Brown's port list.
const DEVICES: [(u16, u16, &str, &str); 12] = [
    (0x1F0, 0x1F7, "a hard disk controller", "ports 1F0h to 1F7h"),
    (0x200, 0x207, "a game port", "201h"),
    (0x220, 0x22F, "a Sound Blaster", "ports 220h to 22Fh"),
    (0x240, 0x24F, "a Sound Blaster", "ports 240h to 24Fh"),
    (0x278, 0x27A, "a parallel port", "278h"),
    (0x2F8, 0x2FF, "a serial port", "COM2, 2F8h"),
    (0x330, 0x331, "an MPU-401", "330h"),
    (0x378, 0x37A, "a parallel port", "378h"),
    (0x388, 0x38B, "an AdLib card", "388h"),
    (0x3E8, 0x3EF, "a serial port", "COM3, 3E8h"),
    (0x3F0, 0x3F7, "a floppy disk controller", "ports 3F0h to 3F7h"),
    (0x3F8, 0x3FF, "a serial port", "COM1, 3F8h"),
];

/// Missing devices that the program used and those already reported, one bit per device. Not part
/// of the machine's state.
#[derive(Debug, Clone, Default)]
pub(super) struct MissingDevices {
    sought: u16,
    told: u16,
    /// Whether the program has written to the mode or colour register of a CGA (3D8h, 3D9h).
    cga: bool,
    /// Whether it has written to registers of an EGA or VGA (3C0h to 3CFh).
    ega: bool,
}

impl MissingDevices {
    /// Records an access to a port at which no device answers.
    #[cold]
    pub(super) fn note(&mut self, port: u16) {
        if let Some(index) = DEVICES.iter().position(|&(first, last, ..)| (first..=last).contains(&port)) {
            self.sought |= 1 << index;
        }
    }

    /// Records a write to a port of the display adapter.
    #[inline(always)]
    pub(super) fn note_display(&mut self, port: u16) {
        self.cga |= port & !1 == 0x3D8;
        self.ega |= port & !0xF == 0x3C0;
    }

    /// Whether the program has written to registers that exist only on a CGA, and to none of an EGA
    /// or
    /// VGA.
    pub(super) fn wants_cga(&self) -> bool {
        self.cga && !self.ega
    }

    /// Returns a notice for each missing device used since the last call, once per machine.
    pub(super) fn take(&mut self) -> Vec<Notice> {
        let fresh = self.sought & !self.told;
        self.told |= fresh;
        DEVICES
            .iter()
            .enumerate()
            .filter(|(index, _)| fresh >> index & 1 != 0)
            .map(|(_, &(.., name, ports))| NoticeKind::Device {
                name: name.to_owned(),
                ports: ports.to_owned(),
            })
            .map(|kind| Notice { kind, at: None })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cga_is_wanted_by_who_programs_nothing_later() {
        let rows: [(&[u16], bool); 5] = [
            (&[0x3D4, 0x3D5, 0x3DA], false),
            (&[0x3D4, 0x3D8], true),
            (&[0x3D9], true),
            (&[0x3C4, 0x3D8], false),
            (&[0x3D9, 0x3CF], false),
        ];
        for (ports, expected) in rows {
            let mut missing_devices = MissingDevices::default();
            ports.iter().for_each(|port| missing_devices.note_display(*port));
            assert_eq!(missing_devices.wants_cga(), expected, "{ports:X?}");
        }
    }

    #[test]
    fn each_is_named_once() {
        let mut missing_devices = MissingDevices::default();
        for port in [0x388, 0x389, 0x22C, 0x1234, 0x388] {
            missing_devices.note(port);
        }
        let taken: Vec<String> = missing_devices.take().iter().map(Notice::to_string).collect();
        assert_eq!(taken, ["missing: a Sound Blaster (ports 220h to 22Fh)", "missing: an AdLib card (388h)"]);
        missing_devices.note(0x388);
        assert_eq!(missing_devices.take(), []);
        assert!(DEVICES.iter().zip(&DEVICES[1..]).all(|(a, b)| a.0 <= a.1 && a.1 < b.0), "in order, apart");
    }
}
