"""What the engine asks of its host: Emscripten's imports, bound by name.

The trace processor gets clocks, more memory and a place for its log, and nothing else: no files,
no environment, UTC. A new build may import more: an unknown import is harmless until called, and
then stops the engine with its name.
"""

from __future__ import annotations

import struct
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from wasmtime import Func, FuncType, ImportType, Store, WasmtimeError

from perfetto_pypto.engine.memory import PAGE, GuestMemory

_EBADF, _ENOENT, _ENOSYS = 8, 44, 52

#: Calls with a known refusal: there are no files and no mappings. Syscalls return -errno.
_REFUSED = {
    **dict.fromkeys(
        (
            "__syscall_chmod",
            "__syscall_faccessat",
            "__syscall_getcwd",
            "__syscall_lstat64",
            "__syscall_mkdirat",
            "__syscall_newfstatat",
            "__syscall_openat",
            "__syscall_readlinkat",
            "__syscall_rmdir",
            "__syscall_stat64",
            "__syscall_unlinkat",
            "__syscall_utimensat",
        ),
        -_ENOENT,
    ),
    **dict.fromkeys(
        (
            "__syscall_fchmod",
            "__syscall_fchown32",
            "__syscall_fcntl64",
            "__syscall_fstat64",
            "__syscall_ftruncate64",
            "__syscall_ioctl",
        ),
        -_EBADF,
    ),
    **dict.fromkeys(("fd_close", "fd_fdstat_get", "fd_read", "fd_seek", "fd_sync"), _EBADF),
    **dict.fromkeys(("_mmap_js", "_munmap_js"), -_ENOSYS),
    # Aids for a stack trace in a crash report, which a newer build asks for; the only inline
    # JavaScript asks whether one of them is there.
    **dict.fromkeys(
        (
            "HaveOffsetConverter",
            "emscripten_asm_const_int",
            "emscripten_pc_get_function",
            "emscripten_stack_snapshot",
            "emscripten_stack_unwind_buffer",
        ),
        0,
    ),
}

#: Extra room when the heap grows, so that it grows seldom.
_SPARE = 96 * 1024 * 1024


class HostCallError(Exception):
    """The engine called something that ends it: abort, a failed check, an unknown import."""


class Imports:
    """The host's side of one engine.

    Attributes:
        memory: set once the module is instantiated; nothing is called before.
        log: what the engine wrote during the current request, its last lines.
        failure: why the engine ended, once it did.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.memory: GuestMemory
        self.log: deque[str] = deque(maxlen=64)
        self.failure: str | None = None
        self._line = b""
        self._known: dict[str, Callable[..., Any]] = {
            "__assert_fail": self._assert_fail,
            "_abort_js": self._abort,
            "_gmtime_js": self._utc_time,
            "_localtime_js": self._utc_time,
            "_tzset_js": self._set_utc,
            "clock_time_get": self._clock_time_get,
            "emscripten_date_now": lambda: time.time() * 1e3,
            "emscripten_err": lambda text: self.log.append(self.memory.read_text(text).strip()),
            "emscripten_errn": self._error_text,
            "emscripten_get_now": lambda: time.perf_counter() * 1e3,
            "emscripten_resize_heap": self._resize_heap,
            "environ_get": lambda _table, _text: 0,
            "environ_sizes_get": self._environ_sizes_get,
            "fd_write": self._fd_write,
        }

    def bind(self, wanted: ImportType) -> Func:
        """Makes the function for one import."""
        name = wanted.name or ""
        kind = wanted.type
        if not isinstance(kind, FuncType):
            raise WasmtimeError(f"the engine imports {name}, which is no function")
        call = self._known.get(name)
        if call is None and name in _REFUSED:
            call = self._refusal(_REFUSED[name])
        return Func(self._store, kind, self._guarded(name, call or self._unknown(name)))

    def _guarded(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*args: Any) -> Any:
            try:
                return call(*args)
            except Exception as error:
                # wasmtime keeps the last exception for the whole process, not for each engine.
                self.failure = self.failure or f"{name}: {error}"
                raise

        return guarded

    @staticmethod
    def _refusal(code: int) -> Callable[..., int]:
        return lambda *_args: code

    def _unknown(self, name: str) -> Callable[..., None]:
        return lambda *_args: self._end(f"it called {name}, which this host doesn't offer")

    def _end(self, failure: str) -> None:
        self.failure = self.failure or failure
        raise HostCallError(failure)

    def _abort(self) -> None:
        check = (line for line in self.log if "CHECK" in line)
        last = (
            self.log[-1] if self.log else "it stopped without a reason, perhaps for want of memory"
        )
        self._end(next(check, last))

    def _assert_fail(self, condition: int, file: int, line: int, _function: int) -> None:
        text, name = self.memory.read_text(condition), self.memory.read_text(file)
        self._end(f"assertion {text} failed at {name}:{line}")

    def _error_text(self, text: int, size: int) -> None:
        self.log.append(self.memory.read(text, size).decode("utf-8", "replace").strip())

    def _resize_heap(self, size: int) -> int:
        size = self.memory.address(size)
        current, limit = self.memory.size(), self.memory.max_bytes
        roomy = min(limit, max(size, min(current + current // 5, size + _SPARE)))
        for wanted in (roomy, size):
            try:
                self.memory.grow(-(-(wanted - current) // PAGE))
            except WasmtimeError:
                continue
            return 1
        self.failure = f"out of memory ({current >> 20} MiB in use)"
        return 0

    def _fd_write(self, file: int, vectors: int, count: int, written: int) -> int:
        if file not in (1, 2):
            return _EBADF
        pairs = self.memory.read_pointers(vectors, 2 * count)
        data = b"".join(map(self.memory.read, pairs[::2], pairs[1::2]))
        *lines, self._line = (self._line + data).split(b"\n")
        self.log.extend(line.decode("utf-8", "replace") for line in lines)
        self.memory.write_pointer(written, len(data))
        return 0

    def _clock_time_get(self, clock: int, _precision: int, out: int) -> int:
        now = time.time_ns() if clock == 0 else time.perf_counter_ns()
        self.memory.write(out, struct.pack("<q", now))
        return 0

    def _environ_sizes_get(self, count: int, size: int) -> int:
        self.memory.write_pointer(count, 0)
        self.memory.write_pointer(size, 0)
        return 0

    def _set_utc(self, timezone: int, daylight: int, standard: int, summer: int) -> None:
        self.memory.write_pointer(timezone, 0)
        self.memory.write(daylight, struct.pack("<i", 0))
        for name in (standard, summer):
            self.memory.write(name, b"UTC\0")

    def _utc_time(self, seconds: int, out: int) -> None:
        t = time.gmtime(seconds)
        fields = (t.tm_sec, t.tm_min, t.tm_hour, t.tm_mday, t.tm_mon - 1, t.tm_year - 1900)
        # C counts weekdays from Sunday, and days of the year from 0.
        self.memory.write(out, struct.pack("<9i", *fields, (t.tm_wday + 1) % 7, t.tm_yday - 1, 0))
        self.memory.write_pointer(out + (40 if self.memory.is_64 else 36), 0)  # tm_gmtoff
