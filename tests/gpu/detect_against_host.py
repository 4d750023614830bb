#!/usr/bin/env python3
"""Compares `sglint detect --json` field by field with what nvidia-smi and the CUDA runtime (through PyTorch) say.

    detect_against_host.py SGLINT [PLUGIN]

Prints a table; exit code 1 when a field differs.
"""

import csv
import io
import json
import subprocess
import sys

import torch

QUERY = ("name uuid driver_version pci.bus_id compute_cap memory.total memory.free clocks.sm clocks.max.sm clocks.mem "
         "clocks.max.mem power.draw enforced.power.limit ecc.mode.current mig.mode.current compute_mode "
         "pcie.link.gen.current pcie.link.gen.max pcie.link.width.current pcie.link.width.max").split()


def run(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout


def smi():
    text = run("nvidia-smi", "--query-gpu=" + ",".join(QUERY), "--format=csv,noheader,nounits")
    return [dict(zip(QUERY, (cell.strip() for cell in row))) for row in csv.reader(io.StringIO(text)) if row]


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def on(text):
    return {"Enabled": True, "Disabled": False}.get(text)


def main():
    extra = ["--plugin", sys.argv[2]] if len(sys.argv) > 2 else []
    found = json.loads(run(sys.argv[1], "detect", "--json", *extra))
    rows, wrong = [], 0

    def row(what, ours, theirs, slack=0.0):
        nonlocal wrong
        if slack and ours is not None and theirs is not None:
            same = abs(ours - theirs) <= slack
        else:
            same = ours == theirs
        wrong += not same
        rows.append((what, ours, theirs, "same" if same and not slack else f"within {slack:g}" if same else "DIFFERS"))

    cuda = next((line.split("CUDA Version:")[1].split()[0] for line in run("nvidia-smi").splitlines()
                 if "CUDA Version:" in line), "")
    driver = found["driver"]
    row("driver.cuda", f"{driver['cuda'] // 1000}.{driver['cuda'] % 1000 // 10}", cuda)
    theirs = smi()
    row("number of GPUs", len(found["gpus"]), len(theirs))
    row("visible to CUDA", sum(g["visible"] for g in found["gpus"]), torch.cuda.device_count())
    for g, s in zip(found["gpus"], theirs):
        at = f"gpus[{g['index']}]."
        row("driver.version", driver["version"], s["driver_version"])
        row(at + "name", g["name"], s["name"])
        row(at + "uuid", g["uuid"], s["uuid"])
        row(at + "pci_bus", g["pci_bus"].upper(), s["pci.bus_id"].upper())
        row(at + "compute_capability", ".".join(map(str, g["compute_capability"])), s["compute_cap"])
        row(at + "memory.total MiB", g["memory"]["total"] / 2**20, number(s["memory.total"]))
        row(at + "memory.free MiB", g["memory"]["free"] // 2**20, number(s["memory.free"]), 1024)
        for ours, name, slack in (("clock_mhz", "clocks.sm", 2000), ("max_clock_mhz", "clocks.max.sm", 0),
                                  ("memory_clock_mhz", "clocks.mem", 0), ("max_memory_clock_mhz", "clocks.max.mem", 0),
                                  ("power_watts", "power.draw", 80), ("power_limit_watts", "enforced.power.limit", 0)):
            row(at + ours, g[ours], number(s[name]), slack)
        row(at + "ecc", g["ecc"], on(s["ecc.mode.current"]))
        row(at + "mig", g["mig"], on(s["mig.mode.current"]))
        row(at + "compute_mode", g["compute_mode"].replace("-", "_"), s["compute_mode"].lower())
        for ours, name in (("generation", "pcie.link.gen.current"), ("max_generation", "pcie.link.gen.max"),
                           ("width", "pcie.link.width.current"), ("max_width", "pcie.link.width.max")):
            row(at + "pcie." + ours, g["pcie"][ours], number(s[name]))
        busy = [line for line in run("nvidia-smi", "-i", str(g["index"]), "--query-compute-apps=pid",
                                     "--format=csv,noheader").splitlines() if line.strip().isdigit()]
        row(at + "processes", len(g["processes"]), len(busy))
        links = [line for line in run("nvidia-smi", "nvlink", "-s", "-i", str(g["index"])).splitlines() if "GB/s" in line]
        row(at + "nvlinks", g["nvlinks"], len(links))
        if g["visible"]:
            index = next(i for i in range(torch.cuda.device_count())
                         if "GPU-" + str(torch.cuda.get_device_properties(i).uuid) == g["uuid"])
            p = torch.cuda.get_device_properties(index)
            row(at + "multiprocessors", g["multiprocessors"], p.multi_processor_count)
            row(at + "l2_bytes", g["l2_bytes"], p.L2_cache_size)
            if torch.cuda.device_count() == len(found["gpus"]):
                row(at + "peers", g["peers"], [i == index or torch.cuda.can_device_access_peer(index, i)
                                               for i in range(torch.cuda.device_count())])
        print(f"gaps of GPU {g['index']}:", g["gaps"] or "none")
    print("software:", found["software"], "torch here:", torch.__version__)
    print("findings:", [f["rule"] for f in found["findings"]])
    print("machine:", json.dumps(found["machine"]))
    print("\n| field | detect | nvidia-smi / CUDA | |\n|---|---|---|---|")
    for r in rows:
        print("| " + " | ".join(str(cell) for cell in r) + " |")
    print(f"{len(rows)} fields, {wrong} differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
