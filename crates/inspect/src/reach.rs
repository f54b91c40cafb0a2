//! Runs a program to a label.

use super::program::Program;
use super::symbols::SymbolKind;
use oxbox_machine::machine::{Machine, Observer, Stop, Until};

/// The reason why a label was not reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreached {
    /// The program has no code with this name.
    #[error("the program has no label {0:?}")]
    Unknown(String),
    /// The run stopped before the label.
    #[error("the run stopped earlier: {0:?}")]
    Stopped(Stop),
}

/// An observer that only stops before chosen instructions.
struct Stops;

impl Observer for Stops {
    const EVERY_SERVICE: bool = false;
    const STOPS: bool = true;
}

impl Program {
    /// Runs until the next instruction is at a label; from the label itself, until it is reached
    /// again.
    ///
    /// ```
    /// use oxbox_inspect::{Program, Symbol, SymbolKind, Symbols};
    /// use oxbox_machine::machine::{Config, Machine, Until};
    ///
    /// // mov cx, 2; again: inc ax; loop again; int 20h
    /// let code = [0xB9, 0x02, 0x00, 0x40, 0xE2, 0xFD, 0xCD, 0x20];
    /// let mut machine = Machine::start(&Config::default(), &code, "TWO.COM", "")?;
    /// // What `toolchain::build` gives as `Linked::symbols`.
    /// let mut symbols = Symbols::new(true);
    /// let (name, kind) = ("again".to_owned(), SymbolKind::Label);
    /// symbols.add(Symbol { name, kind, frame: 0, offset: 0x103, length: None, locals: Vec::new() });
    /// let program = Program::new(symbols, &machine.cpu().regs, code.len());
    ///
    /// let before = machine.cpu().regs.ax();
    /// program.run_until_symbol(&mut machine, "again", &Until::KEY_WAIT)?;
    /// program.run_until_symbol(&mut machine, "again", &Until::KEY_WAIT)?;
    /// assert_eq!(machine.cpu().regs.ax(), before + 1);
    /// assert!(program.run_until_symbol(&mut machine, "again", &Until::KEY_WAIT).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails with [`Unreached::Unknown`] without such a label, and with [`Unreached::Stopped`] if
    /// the run stops before it.
    pub fn run_until_symbol(
        &self,
        machine: &mut Machine,
        name: &str,
        limit: &Until,
    ) -> Result<(), Unreached> {
        let symbol = self.symbols().find(name).filter(|symbol| symbol.kind != SymbolKind::Constant);
        let symbol = symbol.ok_or_else(|| Unreached::Unknown(name.to_owned()))?;
        let target = self.base() + symbol.address();
        let (cs, ip) = machine.position();
        if oxbox_machine::hardware::linear(cs, ip) == target {
            let next = machine.instructions() + 1;
            if next > limit.instructions {
                return Err(Unreached::Stopped(Stop::Instructions));
            }
            match machine.run(&Until { instructions: next, ..*limit }, &mut ()) {
                Stop::Instructions => {}
                stop => return Err(Unreached::Stopped(stop)),
            }
        }
        machine.set_stops(&[target]);
        let stop = machine.run(limit, &mut Stops);
        machine.set_stops(&[]);
        match stop {
            Stop::Breakpoint => Ok(()),
            stop => Err(Unreached::Stopped(stop)),
        }
    }
}
