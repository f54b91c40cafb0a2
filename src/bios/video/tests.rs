//! INT 10h as a program sees it.
