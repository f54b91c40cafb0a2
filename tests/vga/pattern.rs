//! Patterns that show each property of a picture: colours, edges, where lines and columns lie.
