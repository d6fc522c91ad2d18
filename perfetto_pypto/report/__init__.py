"""Metrics as text: a table for people, JSON for tools. One format a file."""
