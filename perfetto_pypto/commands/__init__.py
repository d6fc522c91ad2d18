"""One file a command: options and words here, the work in the public API. Light to import."""
