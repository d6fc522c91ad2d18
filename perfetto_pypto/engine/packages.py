"""SQL packages: a folder of .sql files as modules."""

from __future__ import annotations

from pathlib import Path

from perfetto_pypto.errors import InputError


def read_modules(package: str, folder: Path) -> dict[str, str]:
    """Reads the modules of a package: ``a/b.sql`` in the folder of ``pypto`` is ``pypto.a.b``.

    Raises:
        InputError: the folder is missing, holds no module, or can't be read.
    """
    files = sorted(folder.rglob("*.sql"))
    if not files:
        raise InputError(
            folder, f"no .sql file for the SQL package {package}", "pass the package's folder"
        )
    try:
        return {
            ".".join((package, *file.relative_to(folder).with_suffix("").parts)): file.read_text(
                encoding="utf-8"
            )
            for file in files
        }
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(folder, f"can't be read ({error})", "check the SQL package") from error
