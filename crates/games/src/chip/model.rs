//! The chip clock by clock: registers, stack, states and outputs.
//!
//! A controller decides from the state what the data path does at the next clock edge. Source: the report's
//! state table and its published simulation, every row and column of which this reproduces; what the
//! simulation does not reach (a cut at the ground, a key on a taken place, the chip's random first place, a
//! set-up where every move loses) is our reading.

use oxbox_proof::engine::Move;

/// The controller's state; the value is its code in the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// A key on a free place is the user's move.
    Waiting = 0,
    /// A stone has been rated: go on, cut, or go back.
    Returned = 1,
    /// The stone that lies on trial: does it win, is the board full?
    Rating = 2,
    /// Test set-up: keys put stones down.
    JustReset = 3,
    /// The game is over.
    Finished = 4,
    /// The search begins.
    UserJustMoved = 5,
    /// The best move is played.
    DoingBestMove = 6,
    /// A stone is put on trial.
    SetBoardI = 7,
}

impl State {
    /// In the order of their codes.
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

    /// The name in the report.
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

/// Whose stone: register `p`.
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

/// The pins at one clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inputs {
    /// Low resets the chip before the clock.
    pub reset_n: bool,
    /// Level at this clock's rising edge. It is only shown: the set-up looks at the next one.
    pub pi: bool,
    /// Level at the next rising edge. The key is latched at this one, so this says whose stone the set-up
    /// puts down: high is the chip's.
    pub next_pi: bool,
    /// The chip is to begin, when the set-up ends with no key down. The published simulation has no column
    /// for it: there the user begins while `pi` is still high.
    pub chip_begins: bool,
    /// The place whose key is down.
    pub key: Option<Move>,
}

impl Default for Inputs {
    /// Nothing pressed, the user to begin.
    fn default() -> Self {
        Inputs { reset_n: true, pi: false, next_pi: false, chip_begins: false, key: None }
    }
}

/// What chooses the place whose stone is toggled; the value is its code in the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choose {
    /// The three-bit counter.
    Random = 0,
    /// Register `i`.
    I = 1,
    /// Register `m`.
    M = 2,
    /// The key that is down.
    Key = 3,
}

/// The signals of one clock, before its edge: the columns of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outputs {
    /// The controller's state.
    pub state: State,
    /// The side `p` has three in a row.
    pub wins: bool,
    /// The place that `toggle_n` means.
    pub choose: Choose,
    /// Low: the stone is toggled at the edge.
    pub toggle_n: bool,
    /// The next free place is looked for above `i`, not from 0.
    pub use_i: bool,
    /// `i` takes the next free place.
    pub next_i: bool,
    /// The stack pointer.
    pub sp: u8,
    /// Register `i`; unknown until it is first loaded.
    pub i: Option<Move>,
    /// The eighteen lamps.
    pub led: u32,
    /// The lamps show a board that no stone lies on trial on.
    pub copyboard: bool,
    /// Pin: the game is over.
    pub fin: bool,
    /// Pin: the chip has won.
    pub win: bool,
    /// Pin: the user's key is waited for. The published simulation does not show it: our reading of its name.
    pub prompt: bool,
}

/// What is kept of a level of the search while the next is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Frame {
    i: Option<Move>,
    bestr: i8,
    a: i8,
}

/// The registers. Values of moves are -1, 0 and 1, for the side that makes them.
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

/// What the controller has the data path do at the edge.
struct Control {
    next: State,
    choose: Choose,
    /// Whose stone is toggled on the chosen place.
    toggle: Option<Side>,
    use_i: bool,
    next_i: bool,
    copyboard: bool,
    m_from_i: bool,
    stack: Stack,
    r: Option<i8>,
    bestr: Option<i8>,
}

/// The stack at the edge; the side `p` changes with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stack {
    Hold,
    /// A new search: empty stack, `a` = 1, the chip's stone.
    Start,
    /// One level down: the opponent's stone, who need not look for more than `a` = -`bestr`.
    Push,
    /// One level up.
    Pop,
}

impl Control {
    /// Nothing moves but the state.
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
    /// After power-on and reset; the counter stands at 0.
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

    /// Sets the free-running counter, modulo 8: when the user pressed reset is chance.
    pub fn set_counter(&mut self, counter: u8) {
        self.counter = counter & 7;
    }

    /// The controller's state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Does the stone of `side` lie on `place`?
    pub fn holds(&self, side: Side, place: Move) -> bool {
        self.board & stone(side, place) != 0
    }

    /// Register `p`: whose stone is put on trial.
    pub fn side(&self) -> Side {
        self.p
    }

    /// What a level of the search consists of: the registers `i`, `bestr` and `a`, which a push keeps.
    pub fn level(&self) -> (Option<Move>, i8, i8) {
        (self.i, self.bestr, self.a)
    }

    /// The first free place above `above`, or from 0: the chip's findfree.
    pub fn find_free(&self, above: Option<Move>) -> Option<Move> {
        next_free(self.board, above)
    }

    /// The chip has three in a row.
    pub fn has_won(&self) -> bool {
        wins(self.board, Side::Chip)
    }

    /// One clock: the signals before its edge, then the edge.
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

    /// The stone on `i` is worth `r` to its side `p`.
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
                // Eight deep is enough: with the user's stone at most eight places are free.
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

/// The bit of a stone on the board: two bits a place, the chip's below the user's.
fn stone(side: Side, place: Move) -> u32 {
    1 << (2 * place.index() + side as usize)
}

fn is_free(board: u32, place: Move) -> bool {
    board & (stone(Side::Chip, place) | stone(Side::User, place)) == 0
}

/// The first free place above `above`, or from 0.
fn next_free(board: u32, above: Option<Move>) -> Option<Move> {
    Move::ALL.into_iter().filter(|&place| Some(place) > above).find(|&place| is_free(board, place))
}

fn wins(board: u32, side: Side) -> bool {
    const LINES: [[usize; 3]; 8] =
        [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
    LINES.iter().any(|line| line.iter().all(|place| board & stone(side, Move::ALL[*place]) != 0))
}
