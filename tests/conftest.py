"""One profile for property tests: the same examples on every machine, no clock in the verdict."""

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("ci")
