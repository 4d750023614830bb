#!/usr/bin/env python3
"""Joins the lines of sglint_gpu_bench and bench_sglang.py into the tables of a report.

    compare.py ours.jsonl [sglang.jsonl]
"""

import json
import sys


def main():
    cells, ceilings = {}, {}
    for path in sys.argv[1:]:
        for line in open(path):
            if not line.startswith("{"):
                continue
            d = json.loads(line)
            if d["what"] == "ceilings":
                ceilings = d
            elif d["what"] == "decode":
                cells.setdefault((d["gate"], d["state"]), {}).setdefault(d["rows"], {})[d["who"]] = d
    if ceilings:
        print(f"Ceilings of the same run: copy {ceilings['copy_gbs']} GB/s, read {ceilings['read_gbs']} GB/s. "
              "All times in us per launch.\n")
    slower = []
    for (gate, state), rows_cells in cells.items():
        print(f"{gate.upper()} {state}\n")
        print("| B | plain: floor | SGLang | ours | replay: floor | SGLang best cycle / mixed | ours cycle / mixed | "
              "% of floor cycle / mixed | ours over SGLang replay cycle / mixed | ours over best plain cycle / mixed |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        for rows, who in sorted(rows_cells.items()):
            o, s = who.get("sglint"), who.get("sglang")
            if o is None:
                continue
            floor = o["replay_floor_us"]
            peer = [f"{s[k]:.1f}" if s else "-" for k in ("plain_us", "cycle_us", "mixed_us")]
            over = [f"{s[k] / o[k]:.2f}x" if s else "-" for k in ("cycle_us", "mixed_us")]
            best_plain = min(o["plain_us"], s["plain_us"]) if s else o["plain_us"]
            print(f"| {rows} | {o['plain_floor_us']:.1f} | {peer[0]} | {o['plain_us']:.1f} | {floor:.1f} | "
                  f"{peer[1]} / {peer[2]} | {o['cycle_us']:.1f} / {o['mixed_us']:.1f} | "
                  f"{100 * floor / o['cycle_us']:.0f} / {100 * floor / o['mixed_us']:.0f} | {over[0]} / {over[1]} | "
                  f"{best_plain / o['cycle_us']:.2f}x / {best_plain / o['mixed_us']:.2f}x |")
            for k in ("cycle_us", "mixed_us"):
                if s and s[k] <= o[k]:
                    slower.append(f"{gate} {state} B={rows} {k[:-3]}: {o[k]} against SGLang's {s[k]}")
        print()
    if any("sglang" in w for r in cells.values() for w in r.values()):
        print("Slower than SGLang's best replay in: " + ("; ".join(slower) or "no cell"))


if __name__ == "__main__":
    main()
