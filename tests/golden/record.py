#!/usr/bin/env python3
"""Records golden cases: what the SGLang that is installed on this host does with command lines.

    record.py --machine h100 [--set mine] COMMANDS.txt > tests/golden/cases/mine-0.5.18.ndjson

A line of COMMANDS.txt holds environment settings and arguments as a shell writes them:
SGLANG_X=1 --model-path Qwen/Qwen3-8B --tp 2. A line that is a case already (JSON) is recorded again.
--machine: the catalogue's name of this host, or a file with its facts (`sglint detect --json`).

Every case runs in a process of its own, from the parser to check_server_args(), so nothing is launched
and no weights are loaded; config.json comes from the Hub or its cache. Recorded are the outcome, the
exception or argparse's last line, every field that differs from the parser's defaults, and the log lines.
"""
import argparse
import contextlib
import dataclasses
import io
import json
import logging
import os
import pathlib
import re
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "core/data"))
from record_arguments import plain  # noqa: E402

# Chosen anew at each start, or about this host's network and disk.
LEFT_OUT = {"random_seed"}
SETTING = re.compile(r"[A-Za-z_]\w*=")


def read_case(line, number, args):
    if line.startswith("{"):
        return json.loads(line)
    words = shlex.split(line, comments=True)
    env = {}
    while words and SETTING.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        env[name] = value
    return {"id": f"{args.set}-{number:05}", "set": args.set, "argv": words, "env": env}


def expect(argv):
    """What SGLang does with the arguments, in this process."""
    from sglang.srt import server_args as module

    logs = []
    make = logging.getLogRecordFactory()

    def keep(*args, **kwargs):  # not a handler: SGLang replaces those
        record = make(*args, **kwargs)
        logs.append([record.levelname, record.getMessage()])
        return record

    logging.setLogRecordFactory(keep)
    out = {"outcome": "ok", "error": None, "usage_message": None, "resolved": {}, "logs": logs}
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            server_args = module.prepare_server_args(list(argv))
            if not server_args.encoder_only:
                server_args.check_server_args()
    except SystemExit as stop:
        if stop.code != 2:
            raise
        out["outcome"] = "usage_error"
        out["usage_message"] = said.getvalue().rpartition(": error: ")[2].strip()
    except Exception as error:  # whatever SGLang raises is what is recorded
        out["outcome"] = "error"
        out["error"] = {"type": type(error).__name__, "message": str(error)}
        trace = error.__traceback__
        while trace.tb_next and "sglang" in trace.tb_next.tb_frame.f_code.co_filename:
            trace = trace.tb_next
        code = trace.tb_frame.f_code
        out["site"] = {"file": os.path.basename(code.co_filename), "line": trace.tb_lineno, "function": code.co_name}
    else:
        parser = argparse.ArgumentParser()
        module.ServerArgs.add_cli_args(parser)
        defaults = {name: plain(value) for name, value in vars(parser.parse_args(["--model-path", ""])).items()}
        for field in dataclasses.fields(server_args):
            value = plain(getattr(server_args, field.name))
            default = defaults[field.name] if field.name in defaults else plain(field.default)
            if field.name not in LEFT_OUT and value != default:
                out["resolved"][field.name] = value
    return out


def in_child(case):
    """expect() in a forked process: SGLang keeps state in its modules and in the environment."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.environ.update(case.get("env", {}))
        with os.fdopen(writer, "w") as pipe:
            pipe.write(json.dumps(expect(case["argv"]), default=str))
            pipe.flush()
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def main(arguments=None):
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--machine", required=True)
    options.add_argument("--set", default="own")
    options.add_argument("commands", metavar="COMMANDS.txt")
    args = options.parse_args(arguments)
    import sglang
    import sglang.srt.server_args  # once, before the cases fork

    machine = args.machine
    if os.path.exists(machine):
        with open(machine) as file:
            facts = json.load(file)
        machine = facts.get("machine", facts)
    failed = 0
    with open(args.commands) as file:
        lines = [line.strip() for line in file]
    for number, line in enumerate(line for line in lines if line and not line.startswith("#")):
        case = read_case(line, number, args)
        case.update(release=sglang.__version__, machine=machine)
        case["expect"] = in_child(case)
        if case["expect"] is None:
            print(f"record.py: {case['id']}: SGLang ended the process: {line}", file=sys.stderr)
            failed = 1
            continue
        print(json.dumps(case), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
