"""One trace processor in WebAssembly: RPC bytes in, RPC bytes out. Used by one thread only."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from wasmtime import (
    Config,
    Engine,
    Func,
    FuncType,
    Instance,
    MemoryType,
    Module,
    Store,
    Table,
    Trap,
    TrapCode,
    ValType,
    WasmtimeError,
)
from wasmtime import Memory as WasmMemory

from perfetto_pypto.engine.cache import image_path, load_module
from perfetto_pypto.engine.imports import Imports
from perfetto_pypto.engine.memory import PAGE, GuestMemory
from perfetto_pypto.errors import EngineError

#: The engine's request buffer: larger requests are handed over in slices of this size.
REQUEST_BYTES = 32 * 1024 * 1024

#: The build's own C stack is 64 KiB and overflows into its data without a word. SQLite's deepest
#: legal expression needs about 2 MiB.
_C_STACK_BYTES = 8 * 1024 * 1024

#: Native stack of the compiled code. More aborts the process (wasmtime keeps 2 MiB), and the
#: default of 512 KiB is too little for that expression.
_WASM_STACK_BYTES = 2 * 1024 * 1024


class WasmHost:
    """Starts an engine.

    Args:
        wasm: path of a trace_processor.wasm, 32 or 64 bit.

    Raises:
        EngineError: it is no trace processor, or can't be started.
    """

    def __init__(self, wasm: str) -> None:
        self._replies: list[bytes] = []
        self._dead: str | None = None
        small = _address_space_is_limited()
        self._engine = Engine(_config(small=small))
        self._store = Store(self._engine)
        self._store.set_epoch_deadline(1)
        try:
            module = load_module(self._engine, Path(wasm).read_bytes(), _settings(small=small))
            self._start(module)
        except (KeyError, OSError, Trap, WasmtimeError) as error:
            self._store.close()
            raise EngineError(
                f"{wasm}: can't be started as a trace processor ({_first_line(error)}); "
                "use Perfetto's trace_processor.wasm, or a native trace_processor_shell"
            ) from error

    def request(self, parts: Iterable[bytes | memoryview]) -> list[bytes]:
        """Feeds the pieces of a serialised TraceProcessorRpcStream.

        Returns:
            The replies, each a serialised TraceProcessorRpcStream or a piece of one.

        Raises:
            EngineError: the engine crashed, now or before; it is never entered again.
        """
        if self._dead:
            raise EngineError(self._dead)
        self._replies = []
        self._imports.log.clear()
        self._store.set_epoch_deadline(1)
        filled = 0
        try:
            for part in parts:
                rest = memoryview(part)
                while rest:
                    room = REQUEST_BYTES - filled
                    self._memory.write(self._buffer + filled, rest[:room])
                    filled += min(room, len(rest))
                    rest = rest[room:]
                    if filled == REQUEST_BYTES:
                        self._on_request(self._store, filled)
                        filled = 0
            if filled:
                self._on_request(self._store, filled)
        except BaseException as error:
            # The C++ side stopped half-way: whatever it holds is not to be trusted.
            self._dead = _why(error, self._imports.failure)
            raise EngineError(self._dead) from error
        replies, self._replies = self._replies, []
        return replies

    def interrupt(self) -> None:
        """Stops the running request; the one call that another thread may make."""
        self._engine.increment_epoch()

    def close(self) -> None:
        """Frees the engine's memory; without this call it would stay until the process ends."""
        self._dead = self._dead or "the trace processor is closed; open the trace again"
        self._store.close()

    def _start(self, module: Module) -> None:
        kind = {export.name: export.type for export in module.exports}.get("memory")
        if not isinstance(kind, MemoryType):
            raise WasmtimeError("no memory")
        self._imports = Imports(self._store)
        bound = [self._imports.bind(wanted) for wanted in module.imports]
        exports = Instance(self._store, module, bound).exports(self._store)
        memory = exports["memory"]
        if not isinstance(memory, WasmMemory):
            raise WasmtimeError("no memory")
        self._memory = self._imports.memory = GuestMemory(
            self._store, memory, is_64=kind.is_64, max_pages=kind.limits.max or (1 << 32) // PAGE
        )

        def function(name: str) -> Func:
            found = exports[name]
            if not isinstance(found, Func):
                raise WasmtimeError(f"{name} is no function")
            return found

        function("emscripten_stack_init")(self._store)
        function("__wasm_call_ctors")(self._store)
        stack = function("emscripten_builtin_memalign")(self._store, 16, _C_STACK_BYTES)
        function("_emscripten_stack_restore")(self._store, stack + _C_STACK_BYTES)

        table = exports["__indirect_function_table"]
        if not isinstance(table, Table):
            raise WasmtimeError("no function table")
        pointer = ValType.i64() if kind.is_64 else ValType.i32()
        reply = Func(self._store, FuncType([pointer, ValType.i32()], []), self._on_reply)
        slot = table.grow(self._store, 1, reply)
        buffer = function("trace_processor_rpc_init")(self._store, slot, REQUEST_BYTES)
        self._buffer = self._memory.address(buffer)
        self._on_request = function("trace_processor_on_rpc_request")

    def _on_reply(self, pointer: int, size: int) -> None:
        self._replies.append(self._memory.read(pointer, size & 0xFFFFFFFF))


def compiled_image(wasm: str) -> Path:
    """The file that keeps the compiled ``wasm``, there or not."""
    small = _address_space_is_limited()
    return image_path(Path(wasm).read_bytes(), _settings(small=small))


def _config(*, small: bool) -> Config:
    config = Config()
    config.wasm_memory64 = True
    config.epoch_interruption = True
    config.max_wasm_stack = _WASM_STACK_BYTES
    if small:
        # By default wasmtime reserves 4 GiB of addresses, and 2 GiB more to grow into.
        config.memory_reservation = 0
        config.memory_reservation_for_growth = 0
    return config


def _settings(*, small: bool) -> str:
    return "small" if small else "default"


def _address_space_is_limited() -> bool:
    if sys.platform == "win32":
        return False
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _why(error: BaseException, failure: str | None) -> str:
    if isinstance(error, Trap) and error.trap_code is TrapCode.INTERRUPT:
        return "the trace processor was interrupted; open the trace again"
    # A trap's text is a stack of C++ frames, and the cause at its end.
    traps = [line.strip() for line in str(error).splitlines() if "wasm trap:" in line]
    return (
        f"the trace processor crashed: {failure or [*traps, _first_line(error)][0]}; "
        "open the trace again, or with a native trace_processor_shell if it is too large"
    )
