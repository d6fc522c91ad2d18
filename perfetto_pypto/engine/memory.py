"""The guest's linear memory, for 32 and 64 bit builds alike."""

from __future__ import annotations

import struct

from wasmtime import Memory, Store

PAGE = 65536


class GuestMemory:
    """Reads and writes at guest addresses; wasmtime hands pointers over as signed numbers."""

    def __init__(self, store: Store, memory: Memory, *, is_64: bool, max_pages: int) -> None:
        self._store = store
        self._memory = memory
        self.is_64 = is_64
        self.max_bytes = max_pages * PAGE
        self._pointer = "<Q" if is_64 else "<I"
        self._mask = (1 << 64) - 1 if is_64 else (1 << 32) - 1

    def address(self, pointer: int) -> int:
        """The unsigned address of a pointer."""
        return pointer & self._mask

    def read(self, pointer: int, size: int) -> bytes:
        """Copies ``size`` bytes out."""
        start = self.address(pointer)
        return bytes(self._view(start, size))

    def write(self, pointer: int, data: bytes | memoryview) -> None:
        """Copies bytes in, once."""
        self._view(self.address(pointer), len(data))[:] = data

    def read_pointers(self, pointer: int, count: int) -> list[int]:
        """Reads an array of pointers (or of sizes)."""
        data = self.read(pointer, count * struct.calcsize(self._pointer))
        return [value for (value,) in struct.iter_unpack(self._pointer, data)]

    def write_pointer(self, pointer: int, value: int) -> None:
        """Writes a pointer (or a size)."""
        self.write(pointer, struct.pack(self._pointer, value))

    def read_text(self, pointer: int) -> str:
        """Reads a C string, up to 4 KiB of it."""
        start = self.address(pointer)
        data = self.read(start, min(4096, self.size() - start))
        return data.partition(b"\0")[0].decode("utf-8", "replace")

    def size(self) -> int:
        """Bytes in use."""
        return self._memory.data_len(self._store)

    def grow(self, pages: int) -> None:
        """Adds pages.

        Raises:
            WasmtimeError: the limit is reached, or the system has no memory.
        """
        self._memory.grow(self._store, pages)

    def _view(self, start: int, size: int) -> memoryview:
        # Taken anew each time: growing may move the memory.
        if start + size > self.size():
            raise IndexError(f"{size} bytes at {start} are outside the engine's memory")
        return memoryview(self._memory.get_buffer_ptr(self._store, size, start)).cast("B")
