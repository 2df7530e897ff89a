"""numba as kernels use it; the one place that imports it, when something has to be compiled.

A kernel that another one calls is typed and optimised, but neither made into machine code of its
own nor kept: the caller's code contains it. That is half of the time that compiling takes.
"""

from __future__ import annotations

import re
from types import FunctionType
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]

from foretext.kernels.compile import compiling_began
from foretext.kernels.compiled.kept import ObjectCode
from foretext.kernels.compiled.numba_files import check_files

__all__ = ["Machine", "callee", "dispatcher", "object_code"]

types: Any = numba.types
OPTIMISED = 3  # numba's own level
_TARGET = re.compile(r"^target (?:triple|datalayout) = .*$", re.MULTILINE)


class Machine(NamedTuple):
    """A processor and a system, in LLVM's words."""

    triple: str
    processor: str
    features: str


class _Listener(event.Listener):
    """Hears of what numba compiles, not of what it finds in its cache."""

    def on_start(self, event: Any) -> None:
        compiling_began()

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Listener())


def dispatcher(function: FunctionType, options: dict[str, Any]) -> Any:
    """Return a function for callers in Python, whose machine code numba caches on disk.

    Where neither the package's own folder nor the user's cache folder can be written (a read-only
    container, a home that does not exist), numba refuses to decorate at all: "cannot cache
    function: no locator available". Then the kernel is compiled again in every process: slower to
    start, the same numbers.
    """
    try:
        made = numba.njit(cache=True, **options)(function)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        return numba.njit(**options)(function)
    check_files(made)
    return made


def callee(function: FunctionType, options: dict[str, Any]) -> Any:
    """Return a function that only compiled code can call."""
    made = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)
    usual = made._compiler
    made._compiler = _CalleeCompiler(
        usual.py_func, usual.targetdescr, usual.targetoptions, usual.locals, usual.pipeline_class
    )
    found = made.get_call_template

    def without_literals(given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        kinds = tuple(map(types.unliteral, given))  # or each constant would get code of its own
        return found(kinds, {name: types.unliteral(kind) for name, kind in named.items()})

    made.get_call_template = without_literals
    return made


def object_code(
    function: FunctionType,
    options: dict[str, Any],
    arguments: tuple[Any, ...],
    machine: Machine | None = None,
) -> ObjectCode:
    """Compile a function for the types of these arguments, and for this machine or another one."""
    kinds = tuple(map(numba.typeof, arguments))
    made = callee(function, options)
    made.compile(kinds)
    compiled = made.overloads[kinds]
    with global_compiler_lock:
        compiled.library.finalize()  # links what it calls, and optimises
    text = compiled.library.get_llvm_str()
    if machine is None:
        machine = Machine(*compiled.library.codegen.magic_tuple())
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        text = _TARGET.sub("", text)
    target = llvm.Target.from_triple(machine.triple).create_target_machine(
        machine.processor, machine.features, OPTIMISED, reloc="pic", codemodel="small"
    )
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(target.target_data)
    returned = compiled.signature.return_type
    as_tuple = isinstance(returned, types.BaseTuple)
    parts = list(returned) if as_tuple else [returned] if returned != types.none else []
    return ObjectCode(
        target.emit_object(module),
        compiled.fndesc.llvm_func_name,
        [_name_of(part) for part in parts],
        as_tuple,
    )


def _name_of(kind: Any) -> str:
    if not isinstance(kind, types.Number | types.Boolean):
        raise TypeError(f"a kept kernel returns numbers, not {kind}")
    return str(numba.np.numpy_support.as_dtype(kind).str[1:])


class _CalleeCompiler(_FunctionCompiler):
    """Ends before machine code is made; whoever calls the function links what there is."""

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_compile = True
        return flags

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        result = super()._compile_core(args, return_type)
        mark = list[
            Any
        ]().append  # numba tells functions apart by a builtin, which it would call otherwise
        context = self.targetdescr.target_context
        context.insert_user_function(mark, result.fndesc, [result.library])
        return result._replace(entry_point=mark)
