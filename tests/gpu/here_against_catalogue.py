#!/usr/bin/env python3
"""Checks commands on this host (--here) and on the catalogue's machine of the same kind; the reports must be the same
bytes but for what names the machine and what is assumed of it.

    here_against_catalogue.py SGLINT MACHINE [PLUGIN]
"""

import json
import subprocess
import sys

COMMANDS = """
--model-path Qwen/Qwen3-8B
--model-path Qwen/Qwen3-8B --tp 2
--model-path Qwen/Qwen3-8B --attention-backend fa3 --mem-fraction-static 0.9
--model-path Qwen/Qwen3-8B --attention-backend trtllm_mha
--model-path Qwen/Qwen3-Next-80B-A3B-Instruct-FP8 --enable-linear-replayssm
--model-path Qwen/Qwen3-Next-80B-A3B-Instruct-FP8 --linear-attn-decode-backend flashinfer
--model-path moonshotai/Kimi-Linear-48B-A3B-Instruct --tp 2 --trust-remote-code
--model-path Qwen/Qwen3-30B-A3B --speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 1
--model-path openai/gpt-oss-20b --kv-cache-dtype fp8_e4m3
--model-path deepseek-ai/DeepSeek-V3 --tp 8
""".strip().splitlines()


def report(sglint, command, *machine):
    done = subprocess.run([sglint, "check", *machine, "--format", "json", "--", "python", "-m", "sglang.launch_server",
                           *command.split()], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)


def main():
    sglint, machine = sys.argv[1:3]
    here = ["--here", *(["--plugin", sys.argv[3]] if len(sys.argv) > 3 else [])]
    differ = 0
    for command in COMMANDS:
        results = [report(sglint, command, *here), report(sglint, command, "--machine", machine)]
        named = []
        for _, r in results:
            named.append(([launch.pop("machine", "") for launch in r["launches"]],
                          [launch.pop("assumptions", []) for launch in r["launches"]]))
            r["diagnostics"] = [d for d in r.get("diagnostics", []) if d["stage"] != "host"]
        same = json.dumps(results[0]) == json.dumps(results[1])
        differ += not same
        launch = results[0][1]["launches"][0]
        print("same   " if same else "DIFFERS", launch["outcome"], len(json.dumps(results[0])), "bytes |", command)
        if not same:
            for a, b in zip(results[0][1]["launches"], results[1][1]["launches"]):
                print("   in:", [k for k in a if a.get(k) != b.get(k)], "exit", results[0][0], results[1][0])
                for k in ("logs", "diagnostics", "resolved"):
                    print("   ", [x for x in zip(a.get(k, []), b.get(k, [])) if x[0] != x[1]][:2])
    print("left out of the comparison: machine", named[0][0], "against", named[1][0], "and assumptions:")
    for at, names in zip(("--here", machine), named):
        print("  ", at, names[1])
    print(f"{len(COMMANDS)} commands, {differ} differ")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main())
