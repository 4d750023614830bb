#!/usr/bin/env python3
"""Writes core/data/arguments/<release>.json from a recorded argument dump of that release.

usage: import_arguments.py ARGS.json DEFAULTS.json ENV.json

ARGS, DEFAULTS and ENV are what the recorder writes for a release (options, parser defaults,
environment variables). Only what the checker uses is kept, one entry a line, so that the diff
between two releases reads well. Afterwards run generate_arguments.py.
"""
import json
import pathlib
import sys

OPTION_KEYS = ("option_strings", "dest", "action", "type", "nargs", "const", "default", "choices",
               "choices_unordered", "required", "metavar", "replacement", "stores", "error_message")


def lines(items):
    return "[\n" + ",\n".join("  " + json.dumps(i, ensure_ascii=False) for i in items) + "\n]"


def main():
    args, defaults, env = (json.load(open(p)) for p in sys.argv[1:4])
    release = args["meta"]["release"]
    options = [{k: o[k] for k in OPTION_KEYS if o.get(k) is not None and o[k] is not False} for o in args["options"]]
    fields = [{"name": f["name"], "type": f["type"], "default": defaults["defaults"].get(f["name"])}
              for f in args["meta"]["all_fields"]]
    extra = [{"name": n, "type": "Any", "default": d} for n, d in defaults["options_without_field"].items()]
    variables = [{k: v[k] for k in ("name", "type", "class", "default", "deprecated_name") if v.get(k) is not None}
                 for v in env["env"]]
    text = (f'{{"release": {json.dumps(release)}, "prog": {json.dumps(args["meta"]["prog"])},\n'
            f'"fields": {lines(fields)},\n"options_without_field": {lines(extra)},\n'
            f'"options": {lines(options)},\n"env": {lines(variables)},\n'
            f'"env_deprecated": {lines(env["deprecated"])}}}\n')
    json.loads(text)
    path = pathlib.Path(__file__).parent / "arguments" / f"{release}.json"
    path.write_text(text)
    print("wrote", path)


main()
