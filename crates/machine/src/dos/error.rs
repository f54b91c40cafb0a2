//! DOS error codes, their details for function 59h, and the reasons for which a service stops
//! early.
//!
//! Source: Ralf Brown's interrupt list, tables for INT 21/AH=59h.

use crate::firmware::Resume;

/// An error as INT 21h reports it in AX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum ErrorCode {
    InvalidFunction = 0x01,
    FileNotFound = 0x02,
    PathNotFound = 0x03,
    TooManyOpenFiles = 0x04,
    AccessDenied = 0x05,
    InvalidHandle = 0x06,
    ChainDestroyed = 0x07,
    InsufficientMemory = 0x08,
    InvalidBlock = 0x09,
    InvalidEnvironment = 0x0A,
    InvalidFormat = 0x0B,
    InvalidAccessCode = 0x0C,
    InvalidData = 0x0D,
    InvalidDrive = 0x0F,
    CurrentDirectory = 0x10,
    NotSameDevice = 0x11,
    NoMoreFiles = 0x12,
    WriteProtected = 0x13,
    UnknownMedia = 0x1A,
    WriteFault = 0x1D,
    ReadFault = 0x1E,
    FileExists = 0x50,
    CannotMakeDirectory = 0x52,
    FailOnCriticalError = 0x53,
}

/// The results of function 59h in BH, BL and CH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Details {
    pub(crate) class: u8,
    pub(crate) action: u8,
    pub(crate) locus: u8,
}

impl ErrorCode {
    pub(crate) fn code(self) -> u16 {
        self as u16
    }

    pub(crate) fn details(self) -> Details {
        use ErrorCode as E;
        // Classes: 1 out of resource, 3 authorisation, 4 internal, 7 application error, 8 not found, 9 bad format,
        // 0A locked, 0B wrong or bad medium, 0C already exists, 0D unknown. Actions: 1 retry, 3 ask the user again, 4 abort after cleanup,
        // 7 after user's intervention. Loci: 1 unknown, 2 block device, 4 serial device, 5 memory.
        let (class, action, locus) = match self {
            E::InvalidFunction => (7, 4, 1),
            E::FileNotFound | E::PathNotFound | E::NoMoreFiles => (8, 3, 2),
            E::TooManyOpenFiles => (1, 4, 1),
            E::AccessDenied => (3, 3, 2),
            E::InvalidHandle => (7, 4, 1),
            E::ChainDestroyed => (7, 5, 5),
            E::InsufficientMemory => (1, 4, 5),
            E::InvalidBlock => (7, 4, 5),
            E::InvalidEnvironment => (7, 4, 5),
            E::InvalidFormat => (9, 3, 1),
            E::InvalidAccessCode | E::InvalidData => (7, 4, 1),
            E::InvalidDrive => (8, 3, 2),
            E::CurrentDirectory => (3, 3, 2),
            E::NotSameDevice => (0x0D, 3, 2),
            E::WriteProtected => (0x0B, 7, 2),
            E::UnknownMedia => (0x0B, 7, 2),
            E::WriteFault | E::ReadFault => (0x0B, 4, 2),
            E::FileExists => (0x0C, 3, 2),
            E::CannotMakeDirectory => (1, 4, 2),
            E::FailOnCriticalError => (0x0D, 4, 1),
        };
        Details { class, action, locus }
    }
}

/// The reason that a service stops early: an error, or code that the guest must run first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    Fail(ErrorCode),
    Leave(Resume),
}

impl From<ErrorCode> for Pause {
    fn from(error: ErrorCode) -> Self {
        Pause::Fail(error)
    }
}

/// The result of a service: its value, or why it cannot continue yet.
pub(crate) type Answer<T = ()> = Result<T, Pause>;
