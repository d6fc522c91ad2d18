"""A mutation fuzzer for every reader, and what it found."""
