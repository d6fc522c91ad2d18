from tests.cli.conftest import run  # noqa: F401 (the command as a subprocess)
