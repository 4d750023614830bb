#!/usr/bin/env python3
"""Times SGLang's Triton decode kernels by the method of sglint_gpu_bench: CUDA graphs, cold slots, cycle and mixed.

    bench_sglang.py SGLANG_TREE [--rows 1,8,32] [--quick] [--compile-only I/N]

SGLANG_TREE is the folder that holds the package `sglang` (python/ of a checkout); only its kernel files are
imported, with stand-ins for what they import from the rest. One line of JSON a cell: for each kernel the fastest
launch shape. KDA's CUDA twin of the packed decode needs SGLang's JIT and is not timed here. --compile-only fills
Triton's cache with every N-th kernel, so that N processes can compile at once before the timing.
"""

import argparse
import importlib
import json
import pathlib
import statistics
import sys
import types

import torch


def import_kernels(tree: pathlib.Path):
    """The two kernel modules, without running any __init__ of the package."""

    def package(name: str, folder: pathlib.Path):
        module = types.ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module

    base = tree / "sglang"
    for name in ("", ".kernels", ".kernels.ops", ".kernels.ops.attention", ".kernels.ops.attention.fla"):
        package("sglang" + name, base.joinpath(*name.split(".")[1:]))
    for name in ("sglang.srt", "sglang.srt.utils"):
        package(name, base / "absent")
    common = types.ModuleType("sglang.srt.utils.common")
    common.torch_release = tuple(int(x) for x in torch.__version__.split("+")[0].split(".")[:2])
    sys.modules["sglang.srt.utils.common"] = common
    cuda_twin = types.ModuleType("sglang.kernels.ops.attention.kda_packed_decode")
    cuda_twin.covered = lambda *args, **kwargs: False
    sys.modules["sglang.kernels.ops.attention.kda_packed_decode"] = cuda_twin
    sys.modules["sglang.kernels.ops.attention"].kda_packed_decode = cuda_twin
    fla = "sglang.kernels.ops.attention.fla."
    return importlib.import_module(fla + "fused_recurrent"), importlib.import_module(
        fla + "fused_recurrent_linear_replayssm")


K = V = 128
HV = 32
LENGTH = 16
SLOTS = 2048
# block_v, num_warps, nk: SGLang's default first.
SHAPES = [(None, 1, 2), (32, 1, 2), (32, 2, 2), (64, 2, 2), (64, 4, 2), (128, 4, 2), (128, 8, 2), (32, 1, 4)]


class Pool:
    def __init__(self, kda: bool, state: torch.dtype, max_rows: int, slots: int = SLOTS):
        g = torch.Generator(device="cuda").manual_seed(1)
        self.kda, self.h, self.slots = kda, 32 if kda else 16, slots
        normal = lambda *shape: torch.randn(*shape, device="cuda", generator=g, dtype=torch.float32)
        self.state = torch.empty(slots, HV, V, K, device="cuda", dtype=state)
        for part in self.state.split(128):
            part.copy_(normal(*part.shape) * 0.3)
        self.qkv = normal(max_rows, 2 * self.h * K + HV * V).bfloat16()
        gates = (HV, K) if kda else (HV,)
        self.a = normal(max_rows, *gates).bfloat16()
        self.b = normal(max_rows, HV).bfloat16()
        self.a_log = normal(HV) * 0.5
        self.dt_bias = normal(*gates) * 0.5 - 2
        self.out = torch.empty(max_rows, 1, HV, V, device="cuda", dtype=torch.bfloat16)
        self.slot = torch.randperm(slots, device="cuda", generator=g).int()
        self.gates, self.rings = gates, {}

    def ring(self, dtype: torch.dtype):
        if dtype not in self.rings:
            self.rings.clear()
            torch.cuda.empty_cache()
            d = torch.empty(self.slots, HV, LENGTH, V, device="cuda", dtype=dtype).normal_(0, 0.5)
            k = torch.empty(self.slots, self.h, LENGTH, K, device="cuda", dtype=dtype).normal_(0, 0.09)
            g = torch.empty(self.slots, HV, LENGTH, *self.gates[1:], device="cuda").normal_(-0.12, 0.02)
            self.rings[dtype] = (d, k, g)
        return self.rings[dtype]


def graph_us(launch, launches: int, replays: int = 7) -> float:
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        launch(0)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for i in range(launches):
                launch(i)
        times = []
        for i in range(replays + 2):
            start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record(stream)
            graph.replay()
            stop.record(stream)
            stop.synchronize()
            if i >= 2:
                times.append(start.elapsed_time(stop) * 1000 / launches)
    return statistics.median(times)


def rings_of(state: torch.dtype):
    return [torch.bfloat16] if state == torch.bfloat16 else [torch.float32, torch.bfloat16]


def run_plain(plain, pool: Pool, rows: int, slots):
    kda = pool.kda
    decode = plain.fused_recurrent_kda_packed_decode if kda else plain.fused_recurrent_gated_delta_rule_packed_decode
    a = pool.a[:rows].reshape(rows, -1) if kda else pool.a[:rows]
    decode(pool.qkv[:rows], a, pool.b[:rows], pool.a_log, pool.dt_bias.reshape(-1), K**-0.5, pool.state, pool.out[:rows],
           slots, use_qk_l2norm_in_kernel=True)


def run_replay(replay, pool: Pool, ring, rows: int, slots, write_pos, flush, shape):
    block_v, warps, nk = shape
    replay.fused_recurrent_linear_replayssm_decode(
        pool.qkv[:rows], pool.a[:rows], pool.b[:rows], pool.a_log, pool.dt_bias, K**-0.5, pool.state, *ring,
        pool.out[:rows], slots, write_pos, flush, use_qk_l2norm_in_kernel=True, is_kda=pool.kda, block_v=block_v,
        num_warps=warps, nk=nk)


def compile_some(plain, replay, part: int, parts: int):
    kernels = [(kda, state, ring, shape) for kda in (False, True) for state in (torch.float32, torch.bfloat16)
               for ring in rings_of(state) for shape in SHAPES]
    for kda, state, ring, shape in kernels[part::parts]:
        pool = Pool(kda, state, 16, slots=16)
        zeros = torch.zeros(16, device="cuda", dtype=torch.int32)
        try:
            run_plain(plain, pool, 16, pool.slot)
            run_replay(replay, pool, pool.ring(ring), 16, pool.slot, zeros, zeros, shape)
            torch.cuda.synchronize()
        except Exception as e:  # a launch shape that does not fit the card: said again when it is timed
            print(f"{shape}: {type(e).__name__}: {e}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("--rows", default="1,8,32,64,128,256,512,1024")
    parser.add_argument("--quick", action="store_true", help="SGLang's default launch shape only")
    parser.add_argument("--compile-only", metavar="I/N")
    options = parser.parse_args()
    plain, replay = import_kernels(options.tree)
    if options.compile_only:
        compile_some(plain, replay, *(int(x) for x in options.compile_only.split("/")))
        return
    rows_list = [int(x) for x in options.rows.split(",")]
    shapes = SHAPES[:1] if options.quick else SHAPES
    positions = torch.arange(LENGTH, device="cuda", dtype=torch.int32)

    def sets_of(rows):
        return max(1, min(SLOTS // rows, 256))

    def launches_of(rows):
        return (max(sets_of(rows), LENGTH) + LENGTH - 1) // LENGTH * LENGTH

    for kda in (False, True):
        for state in (torch.float32, torch.bfloat16):
            pool = Pool(kda, state, max(rows_list))
            best = {rows: {} for rows in rows_list}

            def keep(rows, what, us, shape):
                if us < best[rows].get(what, (1e9,))[0]:
                    best[rows][what] = (us, shape)

            def slots(rows, i):
                first = i % sets_of(rows) * rows
                return pool.slot[first:first + rows]

            for rows in rows_list:
                us = graph_us(lambda i: run_plain(plain, pool, rows, slots(rows, i)), launches_of(rows))
                keep(rows, "plain", us, "default")
            for ring_dtype in rings_of(state):
                ring = pool.ring(ring_dtype)
                for shape in shapes:
                    for rows in rows_list:
                        flush = torch.zeros(rows, device="cuda", dtype=torch.int32)
                        tables = {
                            "cycle": [positions[p:p + 1].repeat(rows) for p in range(LENGTH)],
                            "mixed": [(torch.arange(rows, device="cuda", dtype=torch.int32) + p) % LENGTH
                                      for p in range(LENGTH)],
                        }
                        for what, table in tables.items():
                            try:
                                us = graph_us(
                                    lambda i: run_replay(replay, pool, ring, rows, slots(rows, i), table[i % LENGTH], flush,
                                                         shape), launches_of(rows))
                            except Exception as e:  # a launch shape that does not fit the card
                                print(f"skipped {shape}: {type(e).__name__}: {e}", file=sys.stderr)
                                continue
                            name = "block_v={} warps={} nk={} ring={}".format(*shape, str(ring_dtype)[6:])
                            keep(rows, what, us, name)
                            if shape == SHAPES[0] and ring_dtype == state:
                                keep(rows, what + "_default", us, name)
            for rows in rows_list:
                line = {"what": "decode", "who": "sglang", "gate": "kda" if kda else "gdn",
                        "state": "f32" if state == torch.float32 else "bf16", "rows": rows}
                for what, (us, shape) in best[rows].items():
                    line[what + "_us"], line[what + "_shape"] = round(us, 2), shape
                print(json.dumps(line), flush=True)
            del pool, ring
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
