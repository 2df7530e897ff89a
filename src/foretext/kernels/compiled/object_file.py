"""An object file laid out in memory, ready to be called (ELF, System V ABI for AMD64, chapter 4).

LLVM writes a kernel as an object file; loading one through LLVM again takes 40 MB and a compiler.
This does what a linker does for code that stands alone: sections get their places, addresses are
filled in, and what the code calls in the C library gets a jump.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
import sys
from ctypes.util import find_library
from functools import cache
from platform import machine
from typing import NamedTuple

__all__ = ["CAN_LOAD", "MachineCode", "NotLoadableError"]

CAN_LOAD = sys.platform == "linux" and machine() == "x86_64"

SYMBOLS, RELOCATIONS = 2, 4  # kinds of sections
ALLOCATED, WRITABLE = 2, 1  # flags of sections
FILLED_IN = b".data.rel.ro"  # written while addresses are filled in, and only read later
UNDEFINED, COMMON = 0, 0xFFF2  # in place of the number of a symbol's section
ADDRESS, RELATIVE, CALL = 1, 2, 4  # relocations: 64 bits; 32 bits from here, of data and of calls
JUMP = b"\xff\x25\x00\x00\x00\x00"  # jmp *0(%rip), the address follows
SLOT = 16  # bytes of a jump with its address


class NotLoadableError(Exception):
    """The code needs what is not provided here; numba runs it all the same."""


class Section(NamedTuple):
    """A line of the table of sections, in the file's order."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class Symbol(NamedTuple):
    """A line of the table of symbols."""

    name: int
    info: int
    other: int
    section: int
    value: int
    size: int


class MachineCode:
    """The code of an object file, mapped and executable as long as this object lives.

    Raises:
        NotLoadableError: it calls, or is addressed by, what this loader does not know.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._sections = self._read_sections()
        self._symbols, self._names = self._read_symbols()
        self._places: dict[int, int] = {}  # of sections, by number
        self._extra: dict[int, int] = {}  # of jumps and common symbols, by number of the symbol
        size = self._lay_out()
        self._memory = mmap.mmap(-1, size)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._copy()
        self._relocate()
        self._make_executable(size)

    def address(self, name: str) -> int:
        """Where a function stands in memory."""
        return self._address_of(self._names[name])

    def _read_sections(self) -> list[Section]:
        if self._content[:6] != b"\x7fELF\x02\x01":
            raise NotLoadableError("no object file of 64 bits")
        (first,) = struct.unpack_from("<Q", self._content, 40)
        (number,) = struct.unpack_from("<H", self._content, 60)
        return [
            Section(*struct.unpack_from("<IIQQQQIIQQ", self._content, first + 64 * index))
            for index in range(number)
        ]

    def _read_symbols(self) -> tuple[list[Symbol], dict[str, int]]:
        table = next(section for section in self._sections if section.kind == SYMBOLS)
        names = self._sections[table.link].offset
        symbols = [
            Symbol(*struct.unpack_from("<IBBHQQ", self._content, table.offset + 24 * index))
            for index in range(table.size // 24)
        ]
        named: dict[str, int] = {}
        for index, symbol in enumerate(symbols):
            start = names + symbol.name
            named[self._content[start : self._content.index(b"\0", start)].decode()] = index
        return symbols, named

    def _lay_out(self) -> int:
        """Give sections, common symbols and jumps their places; returns the bytes of all."""
        end = 0
        for index, section in enumerate(self._sections):
            if section.flags & ALLOCATED and section.size:
                if section.flags & WRITABLE and not self._is_named(section, FILLED_IN):
                    raise NotLoadableError("the code has variables of its own")
                end += -end % max(section.alignment, 1)
                self._places[index] = end
                end += section.size
        end += -end % SLOT
        for index, symbol in enumerate(self._symbols):
            if index and symbol.section in (UNDEFINED, COMMON):
                self._extra[index] = end
                end += SLOT if symbol.section == UNDEFINED else symbol.size + -symbol.size % SLOT
        return end

    def _is_named(self, section: Section, name: bytes) -> bool:
        (number,) = struct.unpack_from("<H", self._content, 62)
        return self._content.startswith(name, self._sections[number].offset + section.name)

    def _copy(self) -> None:
        for index, place in self._places.items():
            section = self._sections[index]
            self._memory[place : place + section.size] = self._content[
                section.offset : section.offset + section.size
            ]
        for name, index in self._names.items():
            if index in self._extra and self._symbols[index].section == UNDEFINED:
                jump = JUMP + struct.pack("<Q", _of_library(name))
                place = self._extra[index]
                self._memory[place : place + len(jump)] = jump

    def _relocate(self) -> None:
        for section in self._sections:
            if section.kind != RELOCATIONS or section.info not in self._places:
                continue
            for at in range(section.offset, section.offset + section.size, 24):
                offset, info, addend = struct.unpack_from("<QQq", self._content, at)
                place = self._places[section.info] + offset
                target = self._address_of(info >> 32) + addend
                self._fill_in(info & 0xFFFFFFFF, place, target)

    def _fill_in(self, kind: int, place: int, target: int) -> None:
        if kind == ADDRESS:
            struct.pack_into("<Q", self._memory, place, target)
        elif kind in (RELATIVE, CALL):
            struct.pack_into("<i", self._memory, place, target - self._base - place)
        else:
            raise NotLoadableError(f"relocation {kind}")

    def _address_of(self, index: int) -> int:
        symbol = self._symbols[index]
        if index in self._extra:
            return self._base + self._extra[index]
        if symbol.section not in self._places:
            raise NotLoadableError(f"symbol {index} is in section {symbol.section}")
        return self._base + self._places[symbol.section] + symbol.value

    def _make_executable(self, size: int) -> None:
        protect = _libraries()[0].mprotect
        protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        if protect(self._base, size, mmap.PROT_READ | mmap.PROT_EXEC):
            raise NotLoadableError("the system lets no memory be executed")


@cache
def _libraries() -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """The C library of this process, and its mathematical part."""
    return ctypes.CDLL(None), ctypes.CDLL(find_library("m") or "libm.so.6")


def _of_library(name: str) -> int:
    """The address of a function of the C library."""
    for library in _libraries():
        if hasattr(library, name):  # foreign
            return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
    raise NotLoadableError(f"{name} is in no library")
