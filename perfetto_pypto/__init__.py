"""pypto-perfetto: PyPTO swimlanes as enriched Perfetto traces, with exact SQL metrics."""
