"""How a kernel calls torch's threads, as `foretext.kernels.team` says.

This module is imported when a kernel that uses it is compiled.
"""

from __future__ import annotations

import itertools
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

__all__ = ["share_out"]

_INT64 = ir.IntType(64)
_INT32 = ir.IntType(32)
_POINTER = ir.IntType(8).as_pointer()
_WORKER = ir.FunctionType(ir.VoidType(), [_POINTER])
_FORK = ir.FunctionType(ir.VoidType(), [_WORKER.as_pointer(), _POINTER, _INT32, _INT32])
_numbers = itertools.count()


@intrinsic
def share_out(typing: Any, team: Any, portion: Any, args: Any, count: Any) -> Any:
    """Call ``portion(*args, k)`` for every k below `count`, by whichever thread is free.

    portion: a kernel without result; it must write nowhere that another portion writes.
    """
    if not isinstance(portion, types.Dispatcher):
        raise TypingError(f"share_out takes a kernel, not {portion}")
    inner = portion.get_call_type(typing, (*args, types.int64), {})

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        team_value, _, arguments, portions = values
        kind = ir.LiteralStructType([_INT64, _INT64, arguments.type])  # next portion, end, args
        work = cgutils.alloca_once(builder, kind)
        for i, value in enumerate((ir.Constant(_INT64, 0), portions, arguments)):
            builder.store(value, cgutils.gep_inbounds(builder, work, 0, i))
        worker = _worker(context, builder, portion, inner, args, kind)
        address = builder.extract_value(team_value, 0)
        data = builder.bitcast(work, _POINTER)
        alone = builder.icmp_signed("==", address, ir.Constant(_INT64, 0))
        with builder.if_else(alone) as (without, with_team):
            with without:
                builder.call(worker, [data])
            with with_team:
                num_threads = builder.trunc(builder.extract_value(team_value, 1), _INT32)
                function = builder.inttoptr(address, _FORK.as_pointer())
                builder.call(function, [worker, data, num_threads, ir.Constant(_INT32, 0)])
        return context.get_dummy_value()

    return types.void(team, portion, args, types.int64), generate


def _worker(context: Any, builder: Any, portion: Any, inner: Any, args: Any, kind: Any) -> Any:
    """Make the function that each thread runs: take the next portion until none is left."""
    compiled = portion.dispatcher.get_compile_result(inner)
    context.add_linking_libs([compiled.library])
    name = f"{builder.function.name}.worker{next(_numbers)}"
    worker = ir.Function(builder.module, _WORKER, name)
    worker.linkage = "internal"
    inside = ir.IRBuilder(worker.append_basic_block("entry"))
    work = inside.bitcast(worker.args[0], kind.as_pointer())
    counter, end, arguments = (cgutils.gep_inbounds(inside, work, 0, i) for i in range(3))
    last, values = inside.load(end), cgutils.unpack_tuple(inside, inside.load(arguments))
    take, run, leave = (worker.append_basic_block(part) for part in ("take", "run", "leave"))
    inside.branch(take)
    inside.position_at_end(take)
    k = inside.atomic_rmw("add", counter, ir.Constant(_INT64, 1), "monotonic")
    inside.cbranch(inside.icmp_signed("<", k, last), run, leave)
    inside.position_at_end(run)
    context.call_internal_no_propagate(inside, compiled.fndesc, inner, [*values, k])
    inside.branch(take)
    inside.position_at_end(leave)
    inside.ret_void()
    return worker
