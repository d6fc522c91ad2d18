"""The names of PyPTO's formats, as in ``Source.format``."""

PYPTO_MERGED = "pypto-merged"
PYPTO_RAW = "pypto-raw"
PYPTO_AICPU = "pypto-aicpu"
PYPTO_AICPU_TRACE = "pypto-aicpu-trace"
SIMPLER_RECORDS = "simpler-records"
SIMPLER_MERGED = "simpler-merged"
