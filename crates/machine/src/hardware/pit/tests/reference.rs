//! A counter that is stepped tick by tick, as the data sheet describes it: the reference for the
//! closed form.

/// One counter. Its `clock` is called once per tick.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    mode: u8,
    modulus: u32,
    gate: bool,
    count_register: u32,
    element: u32,
    out: bool,
    null_count: bool,
    written: bool,
    /// Whether a load is due at the next tick.
    load: bool,
    /// Whether the counting element has been loaded since the control word.
    loaded: bool,
    expired: bool,
    /// Mode 3: whether the count loaded for this half was odd.
    odd: bool,
    /// Mode 0: whether the first byte of two has stopped the counter.
    stopped: bool,
}

impl Reference {
    pub(super) fn new() -> Self {
        Reference {
            mode: 3,
            modulus: 0x1_0000,
            gate: true,
            count_register: 0,
            element: 0,
            out: true,
            null_count: true,
            written: false,
            load: false,
            loaded: false,
            expired: false,
            odd: false,
            stopped: false,
        }
    }

    pub(super) fn state(&self) -> (u32, bool, bool) {
        (self.element, self.out, self.null_count)
    }

    /// Returns count, OUT and null count as read: a load that is due has taken place.
    pub(super) fn as_read(&self) -> (u32, bool, bool) {
        let mut seen = self.clone();
        if seen.load {
            seen.clock();
        }
        seen.state()
    }

    pub(super) fn write_control(&mut self, mode: u8, bcd: bool) {
        self.mode = mode;
        self.modulus = if bcd { 10_000 } else { 0x1_0000 };
        self.element %= self.modulus;
        self.out = mode != 0;
        self.null_count = true;
        self.written = false;
        self.load = false;
        self.loaded = false;
        self.stopped = false;
    }

    pub(super) fn write_first_byte(&mut self) {
        if self.mode == 0 {
            self.stopped = true;
            self.load = false;
            self.out = false;
        }
    }

    pub(super) fn write_count(&mut self, count: u32) {
        let first = !self.written;
        self.count_register = count;
        self.written = true;
        self.null_count = true;
        self.stopped = false;
        match self.mode {
            0 => {
                self.out = false;
                self.load = true;
            }
            4 => self.load = true,
            2 | 3 if first => self.load = true,
            _ => {}
        }
    }

    pub(super) fn set_gate(&mut self, high: bool) {
        let rises = high && !self.gate;
        self.gate = high;
        if matches!(self.mode, 2 | 3) && !high {
            self.out = true;
        }
        if rises && self.written && matches!(self.mode, 1 | 2 | 3 | 5) {
            self.load = true;
        }
    }

    pub(super) fn clock(&mut self) {
        if self.mode == 4 || self.mode == 5 {
            // A strobe lasts one tick, whatever the level of GATE is.
            self.out = true;
        }
        if self.load {
            self.load = false;
            self.loaded = true;
            self.expired = false;
            self.reload();
            match self.mode {
                1 => self.out = false,
                2 | 3 => self.out = true,
                _ => {}
            }
        } else if self.loaded && (self.gate || matches!(self.mode, 1 | 5)) {
            self.count();
        }
    }

    fn count(&mut self) {
        match self.mode {
            0 if self.stopped => {}
            0 | 1 => {
                self.decrement(1);
                self.out |= self.element == 0;
            }
            2 => {
                self.decrement(1);
                match self.element {
                    1 => self.out = false,
                    0 => {
                        self.out = true;
                        self.reload();
                    }
                    _ => {}
                }
            }
            3 => self.count_by_two(),
            _ => {
                self.decrement(1);
                if self.element == 0 && !self.expired {
                    self.expired = true;
                    self.out = false;
                }
            }
        }
    }

    fn count_by_two(&mut self) {
        if self.odd && self.out {
            if self.element > 0 {
                return self.decrement(2);
            }
        } else {
            self.decrement(2);
            if self.element > 0 {
                return;
            }
        }
        self.out = !self.out;
        self.reload();
    }

    fn decrement(&mut self, by: u32) {
        self.element = (self.element + self.modulus - by) % self.modulus;
    }

    fn reload(&mut self) {
        self.null_count = false;
        self.odd = self.count_register % 2 == 1;
        let count = if self.mode == 3 { self.count_register & !1 } else { self.count_register };
        self.element = count % self.modulus;
    }
}
