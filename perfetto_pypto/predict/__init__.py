"""Predictions that can't be said in PerfettoSQL, made when a run is converted.

They are stored among the facts, so that the trace alone still gives every number; the SQL table
`pypto_what_if` puts them beside those that SQL computes itself.
"""

from __future__ import annotations

from perfetto_pypto.predict.scenarios import Prediction, predict

__all__ = ["Prediction", "predict"]
