//! The address and port map of the PC: who answers where.
