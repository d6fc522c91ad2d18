"""From a number to the spot in the Perfetto UI: links, a local server, an extension server."""
