"""Readers: PyPTO files to one columnar model."""
