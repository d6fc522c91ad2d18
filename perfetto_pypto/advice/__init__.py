"""Advice: what to try next. Rules are data (rules.yaml), judged by SQL on the run's own trace."""

from __future__ import annotations

from perfetto_pypto.advice.evaluate import advise
from perfetto_pypto.advice.rules import Rule, load_rules, stock_rules

__all__ = ["Rule", "advise", "load_rules", "stock_rules"]
