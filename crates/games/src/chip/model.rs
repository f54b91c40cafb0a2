//! The chip at clock level: registers, stack, states and outputs.
//!
//! The controller's state determines the action of the data path at the next clock edge. Source:
//! the report's state table and its published simulation, of which this reproduces every row and
//! column. Cases that the simulation does not contain (a cut at the ground, a key on a taken place,
//! the chip's random first place, a set-up in which every move loses) are our interpretation.

use oxbox_proof::engine::Move;

/// The controller's state. The value is its code in the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// A key on a free place is the user's move.
    Waiting = 0,
    /// A stone has been rated: continue, cut, or return.
    Returned = 1,
    /// Rates the trial stone: does it win, is the board full?
    Rating = 2,
    /// Test set-up: keys place stones.
    JustReset = 3,
    /// The game is over.
    Finished = 4,
    /// The search starts.
    UserJustMoved = 5,
    /// The best move is played.
    DoingBestMove = 6,
    /// A trial stone is placed.
    SetBoardI = 7,
}

impl State {
    /// All states, in the order of their codes.
    pub const ALL: [State; 8] = [
        State::Waiting,
        State::Returned,
        State::Rating,
        State::JustReset,
        State::Finished,
        State::UserJustMoved,
        State::DoingBestMove,
        State::SetBoardI,
    ];

    /// Returns the name used in the report.
    pub fn name(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Returned => "returned",
            State::Rating => "rating",
            State::JustReset => "justreset",
            State::Finished => "finished",
            State::UserJustMoved => "userjustmoved",
            State::DoingBestMove => "doingbestmove",
            State::SetBoardI => "setboardi",
        }
    }
}

/// The owner of a stone: register `p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Bit 2k of the board.
    Chip = 0,
    /// Bit 2k + 1 of the board.
    User = 1,
}

impl Side {
    fn other(self) -> Side {
        match self {
            Side::Chip => Side::User,
            Side::User => Side::Chip,
        }
    }
}

/// The input pins at a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inputs {
    /// Active-low reset before the clock.
    pub reset_n: bool,
    /// The level at the rising edge of this clock, for display. The set-up uses the next one.
    pub pi: bool,
    /// The level at the next rising edge. The key is latched at the current one, so this is the
    /// owner of the stone that the set-up places: high for the chip.
    pub next_pi: bool,
    /// Whether the chip starts when the set-up ends without a key. The published simulation has no
    /// column for it: there the user starts while `pi` is still high.
    pub chip_begins: bool,
    /// The place whose key is pressed.
    pub key: Option<Move>,
}

impl Default for Inputs {
    /// Returns no key, with the user to start.
    fn default() -> Self {
        Inputs { reset_n: true, pi: false, next_pi: false, chip_begins: false, key: None }
    }
}

/// The source of the place whose stone is toggled. The value is its code in the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choose {
    /// The three-bit counter.
    Random = 0,
    /// Register `i`.
    I = 1,
    /// Register `m`.
    M = 2,
    /// The pressed key.
    Key = 3,
}

/// The signals of one clock, before its edge: the columns of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outputs {
    /// The controller's state.
    pub state: State,
    /// Whether the side `p` has three in a row.
    pub wins: bool,
    /// The place for `toggle_n`.
    pub choose: Choose,
    /// Active low: the stone is toggled at the edge.
    pub toggle_n: bool,
    /// Whether the next free place is searched above `i` rather than from 0.
    pub use_i: bool,
    /// Whether `i` loads the next free place.
    pub next_i: bool,
    /// The stack pointer.
    pub sp: u8,
    /// Register `i`; unknown until its first load.
    pub i: Option<Move>,
    /// The eighteen lamps.
    pub led: u32,
    /// Whether the lamps show the real board, without trial stones.
    pub copyboard: bool,
    /// Pin: game over.
    pub fin: bool,
    /// Pin: the chip has won.
    pub win: bool,
    /// Pin: waiting for the user's key. The published simulation does not show it: its meaning is
    /// inferred from its name.
    pub prompt: bool,
}

/// The saved registers of a search level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Frame {
    i: Option<Move>,
    bestr: i8,
    a: i8,
}

/// The registers. The values of moves are -1, 0 and 1, for the side that makes them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Chip {
    state: State,
    p: Side,
    board: u32,
    i: Option<Move>,
    m: Option<Move>,
    r: i8,
    bestr: i8,
    a: i8,
    stack: [Frame; 8],
    sp: u8,
    counter: u8,
}

/// The actions of the data path at the edge.
struct Control {
    next: State,
    choose: Choose,
    /// The owner of the stone that is toggled on the chosen place.
    toggle: Option<Side>,
    use_i: bool,
    next_i: bool,
    copyboard: bool,
    m_from_i: bool,
    stack: Stack,
    r: Option<i8>,
    bestr: Option<i8>,
}

/// The stack operation at the edge, with which the side `p` changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stack {
    Hold,
    /// Starts a search: empty stack, `a` = 1, the chip's stone.
    Start,
    /// Descends one level: the opponent's stone, with the bound `a` = -`bestr`.
    Push,
    /// Ascends one level.
    Pop,
}

impl Control {
    /// Returns a control word that changes only the state.
    fn to(next: State) -> Control {
        Control {
            next,
            choose: Choose::Random,
            toggle: None,
            use_i: false,
            next_i: false,
            copyboard: false,
            m_from_i: false,
            stack: Stack::Hold,
            r: None,
            bestr: None,
        }
    }
}

impl Chip {
    /// Creates a chip after power-on and reset. The counter is 0.
    pub fn new() -> Self {
        Chip {
            state: State::JustReset,
            p: Side::Chip,
            board: 0,
            i: None,
            m: None,
            r: 0,
            bestr: -1,
            a: 1,
            stack: [Frame { i: None, bestr: -1, a: 1 }; 8],
            sp: 0,
            counter: 0,
        }
    }

    /// Sets the free-running counter, modulo 8, which depends on when the user pressed reset.
    pub fn set_counter(&mut self, counter: u8) {
        self.counter = counter & 7;
    }

    /// Returns the controller's state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Returns whether a stone of `side` is on `place`.
    pub fn holds(&self, side: Side, place: Move) -> bool {
        self.board & stone(side, place) != 0
    }

    /// Returns register `p`: the owner of trial stones.
    pub fn side(&self) -> Side {
        self.p
    }

    /// Returns the registers of a search level that a push saves: `i`, `bestr` and `a`.
    pub fn level(&self) -> (Option<Move>, i8, i8) {
        (self.i, self.bestr, self.a)
    }

    /// Returns the first free place above `above`, or from 0: the chip's findfree.
    pub fn find_free(&self, above: Option<Move>) -> Option<Move> {
        next_free(self.board, above)
    }

    /// Returns whether the chip has three in a row.
    pub fn has_won(&self) -> bool {
        wins(self.board, Side::Chip)
    }

    /// Executes one clock: returns the signals before its edge, then applies the edge.
    pub fn clock(&mut self, inputs: Inputs) -> Outputs {
        if !inputs.reset_n {
            *self = Chip { counter: self.counter, ..Chip::new() };
        }
        let control = self.control(inputs);
        let outputs = self.outputs(&control);
        self.edge(&control, inputs);
        outputs
    }

    fn outputs(&self, control: &Control) -> Outputs {
        Outputs {
            state: self.state,
            wins: wins(self.board, self.p),
            choose: control.choose,
            toggle_n: control.toggle.is_none(),
            use_i: control.use_i,
            next_i: control.next_i,
            sp: self.sp,
            i: self.i,
            led: self.board,
            copyboard: control.copyboard,
            fin: self.state == State::Finished,
            win: self.state == State::Finished && self.has_won(),
            prompt: self.state == State::Waiting,
        }
    }

    fn control(&self, inputs: Inputs) -> Control {
        let full = next_free(self.board, None).is_none();
        let ground = self.sp == 0;
        match self.state {
            State::JustReset => match (inputs.key, inputs.chip_begins) {
                (Some(_), _) => {
                    let side = if inputs.next_pi { Side::Chip } else { Side::User };
                    Control { choose: Choose::Key, toggle: Some(side), ..Control::to(State::JustReset) }
                }
                (None, true) => Control { toggle: Some(Side::Chip), ..Control::to(State::Waiting) },
                (None, false) => Control::to(State::Waiting),
            },
            State::Waiting => match inputs.key {
                Some(place) if is_free(self.board, place) => Control {
                    choose: Choose::Key,
                    toggle: Some(Side::User),
                    ..Control::to(State::UserJustMoved)
                },
                _ => Control { copyboard: true, ..Control::to(State::Waiting) },
            },
            State::UserJustMoved if full => Control { copyboard: true, ..Control::to(State::Finished) },
            State::UserJustMoved => Control {
                next_i: true,
                copyboard: true,
                stack: Stack::Start,
                bestr: Some(-1),
                ..Control::to(State::SetBoardI)
            },
            State::SetBoardI => {
                Control { choose: Choose::I, toggle: Some(self.p), ..Control::to(State::Rating) }
            }
            State::Rating => match (wins(self.board, self.p), full) {
                (false, false) => Control {
                    next_i: true,
                    stack: Stack::Push,
                    bestr: Some(-1),
                    ..Control::to(State::SetBoardI)
                },
                _ if ground => Control::to(State::Finished),
                (won, _) => Control {
                    choose: Choose::I,
                    toggle: Some(self.p),
                    stack: Stack::Pop,
                    r: Some(if won { -1 } else { 0 }),
                    ..Control::to(State::Returned)
                },
            },
            State::Returned => self.returned(ground),
            State::DoingBestMove => {
                Control { choose: Choose::M, toggle: Some(Side::Chip), ..Control::to(State::Waiting) }
            }
            State::Finished => Control { copyboard: true, ..Control::to(State::Finished) },
        }
    }

    /// Handles a returned value `r` of the stone on `i` for its side `p`.
    fn returned(&self, ground: bool) -> Control {
        let last = next_free(self.board, self.i).is_none();
        let take_back =
            |next| Control { choose: Choose::I, toggle: Some(self.p), use_i: true, ..Control::to(next) };
        let stays = Control { use_i: true, m_from_i: true, ..Control::to(State::Waiting) };
        let up = |r| Control { stack: Stack::Pop, r: Some(r), ..take_back(State::Returned) };
        let next_place = || Control { next_i: true, ..take_back(State::SetBoardI) };
        let better = self.r > self.bestr;
        match (self.r >= self.a, better, last, ground) {
            (true, _, _, true) => stays,
            (true, _, _, false) => up(-self.r),
            (_, true, true, true) => stays,
            (_, true, true, false) => up(0),
            (_, true, false, _) => Control { bestr: Some(0), m_from_i: ground, ..next_place() },
            (_, false, true, true) => take_back(State::DoingBestMove),
            (_, false, true, false) => up(-self.bestr),
            (_, false, false, _) => next_place(),
        }
    }

    fn edge(&mut self, control: &Control, inputs: Inputs) {
        let place = match control.choose {
            Choose::Random => Move::new(usize::from(self.counter)),
            Choose::I => self.i,
            Choose::M => self.m,
            Choose::Key => inputs.key,
        };
        let next_i = next_free(self.board, self.i.filter(|_| control.use_i));
        if let (Some(side), Some(place)) = (control.toggle, place) {
            self.board ^= stone(side, place);
        }
        if control.m_from_i {
            self.m = self.i;
        }
        self.move_stack(control.stack);
        if control.next_i {
            self.i = next_i;
        }
        self.bestr = control.bestr.unwrap_or(self.bestr);
        self.r = control.r.unwrap_or(self.r);
        self.state = control.next;
        self.counter = (self.counter + 1) & 7;
    }

    fn move_stack(&mut self, stack: Stack) {
        match stack {
            Stack::Hold => {}
            Stack::Start => (self.sp, self.a, self.p) = (0, 1, Side::Chip),
            Stack::Push => {
                // Eight levels suffice: with the user's stone at most eight places are free.
                if let Some(frame) = self.stack.get_mut(usize::from(self.sp)) {
                    *frame = Frame { i: self.i, bestr: self.bestr, a: self.a };
                    self.sp += 1;
                }
                (self.a, self.p) = (-self.bestr, self.p.other());
            }
            Stack::Pop => {
                self.sp = self.sp.saturating_sub(1);
                Frame { i: self.i, bestr: self.bestr, a: self.a } = self.stack[usize::from(self.sp)];
                self.p = self.p.other();
            }
        }
    }
}

impl Default for Chip {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the bit of a stone on the board: two bits per place, the chip's below the user's.
fn stone(side: Side, place: Move) -> u32 {
    1 << (2 * place.index() + side as usize)
}

fn is_free(board: u32, place: Move) -> bool {
    board & (stone(Side::Chip, place) | stone(Side::User, place)) == 0
}

/// Returns the first free place above `above`, or from 0.
fn next_free(board: u32, above: Option<Move>) -> Option<Move> {
    Move::ALL.into_iter().filter(|&place| Some(place) > above).find(|&place| is_free(board, place))
}

fn wins(board: u32, side: Side) -> bool {
    const LINES: [[usize; 3]; 8] =
        [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
    LINES.iter().any(|line| line.iter().all(|place| board & stone(side, Move::ALL[*place]) != 0))
}
