"""The kernels of the sample runs. `make_traces.py` calls one of them per process.

    python kernels.py softmax '{"stitch": 8}'

Each function compiles its kernel and runs it once in PyPTO's simulator, which writes
`output/output_*` into the working directory. A schedule doesn't depend on values: inputs are zeros.
A semantic label names the slices of the operations that follow it. PyPTO fuses neighbouring
operations into one task, and the label that most of them carry becomes its name.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import pypto
import torch

FP32, BF16 = pypto.DT_FP32, pypto.DT_BF16


def _jit(stitch: int | None = None, pass_options: dict[str, Any] | None = None) -> Any:
    runtime: dict[str, Any] = {"run_mode": pypto.RunMode.SIM}
    if stitch is not None:
        runtime["stitch_function_max_num"] = stitch
    return pypto.frontend.jit(runtime_options=runtime, pass_options=pass_options or {})


def _fp32(*shape: int) -> torch.Tensor:
    return torch.zeros(shape, dtype=torch.float32)


def _bf16(*shape: int) -> torch.Tensor:
    return torch.zeros(shape, dtype=torch.bfloat16)


def ffn(tokens: int = 256, hidden: int = 512, inner: int = 1024) -> None:
    """SwiGLU feed-forward block: cube and vector cores hand work to each other."""
    block = 128

    @_jit()
    def kernel(
        x: pypto.Tensor([tokens, hidden], BF16),
        w_gate: pypto.Tensor([hidden, inner], BF16),
        w_up: pypto.Tensor([hidden, inner], BF16),
        w_down: pypto.Tensor([inner, hidden], BF16),
        y: pypto.Tensor([tokens, hidden], FP32),
    ):
        pypto.set_cube_tile_shapes([128, 128], [64, 256], [128, 128])
        pypto.set_vec_tile_shapes(32, 256)
        for i in pypto.loop(tokens // block, name="LOOP_tokens", idx_name="i"):
            rows = pypto.view(x, [block, hidden], [i * block, 0])
            pypto.set_semantic_label("gate")
            gate = pypto.matmul(rows, w_gate, FP32)
            pypto.set_semantic_label("up")
            up = pypto.matmul(rows, w_up, FP32)
            pypto.set_semantic_label("swiglu")
            act = pypto.cast(pypto.mul(pypto.mul(gate, pypto.sigmoid(gate)), up), BF16)
            pypto.set_semantic_label("down")
            pypto.assemble(pypto.matmul(act, w_down, FP32), [i * block, 0], y)

    kernel(
        _bf16(tokens, hidden),
        _bf16(hidden, inner),
        _bf16(hidden, inner),
        _bf16(inner, hidden),
        _fp32(tokens, hidden),
    )


def softmax(stitch: int, rows: int = 1024, cols: int = 1024) -> None:
    """Row softmax, one loop step per block of rows: the classic victim of a small stitch."""
    block = 64

    @_jit(stitch)
    def kernel(x: pypto.Tensor([rows, cols], FP32), y: pypto.Tensor([rows, cols], FP32)):
        pypto.set_vec_tile_shapes(8, cols)
        for i in pypto.loop(rows // block, name="LOOP_rows", idx_name="i"):
            pypto.set_semantic_label("softmax")
            part = pypto.view(x, [block, cols], [i * block, 0])
            power = pypto.exp(pypto.sub(part, pypto.amax(part, dim=-1, keepdim=True)))
            total = pypto.sum(power, dim=-1, keepdim=True)
            pypto.assemble(pypto.div(power, total), [i * block, 0], y)

    kernel(_fp32(rows, cols), _fp32(rows, cols))


def flash(stitch: int, heads: int = 16, queries: int = 256, keys: int = 1024) -> None:
    """Flash attention with an online softmax: per block of keys QK, softmax, PV and rescale."""
    depth, q_block, k_block = 128, 128, 256
    scale = depth**-0.5

    @_jit(stitch)
    def kernel(
        q: pypto.Tensor([heads * queries, depth], BF16),
        k: pypto.Tensor([heads * keys, depth], BF16),
        v: pypto.Tensor([heads * keys, depth], BF16),
        out: pypto.Tensor([heads * queries, depth], FP32),
    ):
        pypto.set_cube_tile_shapes([128, 128], [128, 128], [128, 128])
        for head in pypto.loop(heads, name="LOOP_heads", idx_name="head"):
            for block in pypto.loop(queries // q_block, name="LOOP_queries", idx_name="block"):
                row = head * queries + block * q_block
                peak = pypto.tensor([q_block, 1], FP32, "peak")
                total = pypto.tensor([q_block, 1], FP32, "total")
                acc = pypto.tensor([q_block, depth], FP32, "acc")
                for step in pypto.loop(keys // k_block, name="LOOP_keys", idx_name="step"):
                    col = head * keys + step * k_block
                    pypto.set_semantic_label("QK")
                    q_part = pypto.view(q, [q_block, depth], [row, 0])
                    k_part = pypto.view(k, [k_block, depth], [col, 0])
                    v_part = pypto.view(v, [k_block, depth], [col, 0])
                    score = pypto.matmul(q_part, k_part, FP32, b_trans=True)
                    pypto.set_vec_tile_shapes(32, k_block)
                    if pypto.is_loop_begin(step):
                        pypto.set_semantic_label("softmax")
                        scaled = pypto.mul(score, scale)
                        top = pypto.amax(scaled, dim=-1, keepdim=True)
                        prob = pypto.exp(pypto.sub(scaled, top))
                        total[:] = pypto.sum(prob, dim=-1, keepdim=True)
                        peak[:] = top
                        weight = pypto.cast(prob, BF16)
                        pypto.set_semantic_label("PV")
                        acc[:] = pypto.matmul(weight, v_part, FP32)
                    else:
                        pypto.set_semantic_label("softmax")
                        scaled = pypto.mul(score, scale)
                        top = pypto.maximum(peak, pypto.amax(scaled, dim=-1, keepdim=True))
                        prob = pypto.exp(pypto.sub(scaled, top))
                        fade = pypto.exp(pypto.sub(peak, top))
                        total[:] = pypto.add(
                            pypto.mul(total, fade), pypto.sum(prob, dim=-1, keepdim=True)
                        )
                        peak[:] = top
                        weight = pypto.cast(prob, BF16)
                        pypto.set_semantic_label("PV")
                        fresh = pypto.matmul(weight, v_part, FP32)
                        pypto.set_semantic_label("rescale")
                        acc[:] = pypto.add(pypto.mul(acc, fade), fresh)
                    if pypto.is_loop_end(step):
                        pypto.set_semantic_label("norm")
                        pypto.assemble(pypto.div(acc, total), [row, 0], out)

    kernel(
        _bf16(heads * queries, depth),
        _bf16(heads * keys, depth),
        _bf16(heads * keys, depth),
        _fp32(heads * queries, depth),
    )


def matmul(split_k: bool, m: int = 256, k: int = 16384, n: int = 256) -> None:
    """A product with few 128 × 128 output tiles and a long K: few cores, unless K is split."""

    @_jit()
    def kernel(
        a: pypto.Tensor([m, k], BF16), b: pypto.Tensor([k, n], BF16), c: pypto.Tensor([m, n], FP32)
    ):
        pypto.set_cube_tile_shapes([128, 128], [64, 512], [128, 128], enable_split_k=split_k)
        pypto.set_vec_tile_shapes(64, 128)
        pypto.set_semantic_label("matmul")
        c[:] = pypto.matmul(a, b, FP32)

    kernel(_bf16(m, k), _bf16(k, n), _fp32(m, n))


def rmsnorm(tile: int, merge: int | None = None, rows: int = 1024, cols: int = 512) -> None:
    """RMS norm whose vector tile holds `tile` rows; `merge` equal subgraphs become one task."""
    # Without the key -2 the wheel ignores the setting (0.2.0).
    nbuffer = {"vec_nbuffer_setting": {-2: 1, -1: merge}} if merge else None

    @_jit(pass_options=nbuffer)
    def kernel(
        x: pypto.Tensor([rows, cols], FP32),
        gain: pypto.Tensor([1, cols], FP32),
        y: pypto.Tensor([rows, cols], FP32),
    ):
        pypto.set_vec_tile_shapes(tile, cols)
        pypto.set_semantic_label("mean_square")
        square = pypto.sum(pypto.mul(pypto.mul(x, x), 1.0 / cols), dim=-1, keepdim=True)
        pypto.set_semantic_label("scale")
        y[:] = pypto.mul(pypto.mul(x, pypto.rsqrt(pypto.add(square, 1e-6))), gain)

    kernel(_fp32(rows, cols), _fp32(1, cols), _fp32(rows, cols))


KERNELS: dict[str, Callable[..., None]] = {
    "ffn": ffn,
    "softmax": softmax,
    "flash": flash,
    "matmul": matmul,
    "rmsnorm": rmsnorm,
}

if __name__ == "__main__":
    KERNELS[sys.argv[1]](**json.loads(sys.argv[2]))
