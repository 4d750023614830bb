#!/usr/bin/env python3
"""Writes core/data/arguments/<release>.json: the options, fields and environment variables of the SGLang
that is installed here, as its own parser has them. Nothing is launched, no GPU is needed.

usage: record_arguments.py [RELEASE]      RELEASE: where the package does not know its own version

One entry a line, so that the difference between two releases reads well. Afterwards run
generate_arguments.py.
"""
import argparse
import ast
import dataclasses
import enum
import json
import os
import pathlib
import re
import sys

ACTIONS = {
    "_StoreAction": "store", "_StoreTrueAction": "store_true", "_StoreFalseAction": "store_false",
    "_StoreConstAction": "store_const", "_AppendAction": "append", "_HelpAction": "help",
    "BooleanOptionalAction": "boolean_optional", "LoRAPathAction": "lora_path",
    "DeprecatedAction": "deprecated_removed", "DeprecatedAliasStoreAction": "deprecated_alias_store",
    "DeprecatedStoreTrueAction": "deprecated_store_true", "DeprecatedStoreConstAction": "deprecated_store_const"}


def plain(value):
    """The value as JSON writes it."""
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if members := getattr(value, "__struct_fields__", None):  # msgspec
        return {name: plain(getattr(value, name)) for name in members}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(v) for v in value), key=str)
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def option(action):
    """What the checker uses of an argparse action, without what is empty."""
    out = {
        "option_strings": list(action.option_strings),
        "dest": action.dest,
        "action": ACTIONS[type(action).__name__],
        "type": None if action.type is None else getattr(action.type, "__name__", str(action.type)),
        "nargs": action.nargs,
        "const": plain(action.const),
        "default": "==SUPPRESS==" if action.default is argparse.SUPPRESS else plain(action.default),
        "choices": plain(action.choices),
        "choices_unordered": isinstance(action.choices, (set, frozenset)),
        "required": bool(action.required),
        "metavar": plain(action.metavar),
        "replacement": getattr(action, "new_flag", None),
        "stores": plain(getattr(action, "const_value", None)),
        "error_message": getattr(action, "error_message", None),
    }
    if out["error_message"]:  # "--old is no longer supported. Use --new …"
        out["replacement"] = re.findall(r"--[a-z][a-z0-9-]*", out["error_message"])[1:2] or None
    return {key: value for key, value in out.items() if value is not None and value is not False}


def variable(name, field):
    default = field.default() if callable(field.default) else field.default
    out = {
        "name": name,
        "type": type(field).__name__.replace("Env", "").replace("WithAlias", "").lower(),
        "class": type(field).__name__,
        "default": None if of_this_host(default) else plain(default),
        "deprecated_name": getattr(field, "deprecated_name", None),
    }
    return {key: value for key, value in out.items() if value is not None}


def of_this_host(default):
    return isinstance(default, str) and default.startswith(os.path.expanduser("~"))


def type_name(annotation):
    """A[T, help and the like] is T."""
    node = ast.parse(annotation if isinstance(annotation, str) else annotation.__name__, mode="eval").body
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("A", "Annotated"):
        node = node.slice.elts[0]
    return ast.unparse(node)


def lines(items):
    return "[\n" + ",\n".join("  " + json.dumps(i, ensure_ascii=False) for i in items) + "\n]"


def main(arguments):
    import sglang
    from sglang.srt import environ
    from sglang.srt.server_args import ServerArgs

    release = arguments[0] if arguments else sglang.__version__
    parser = argparse.ArgumentParser(prog="sglang serve")
    ServerArgs.add_cli_args(parser)
    defaults = {k: plain(v) for k, v in vars(parser.parse_args(["--model-path", ""])).items()}
    defaults["model_path"] = None
    fields = []
    for field in dataclasses.fields(ServerArgs):
        own = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        default = defaults.get(field.name, None if own is dataclasses.MISSING else plain(own))
        fields.append({"name": field.name, "type": type_name(field.type), "default": default})
    known = {field["name"] for field in fields}
    extra = [{"name": k, "type": "Any", "default": v} for k, v in defaults.items() if k not in known]
    variables = [variable(k, v) for k, v in vars(environ.Envs).items() if isinstance(v, environ.EnvField)]
    deprecated = [{"name": name, "replacement": d.replacement, "note": getattr(d, "note", None),
                   "transform": getattr(getattr(d, "transform", None), "__name__", None)}
                  for name, d in getattr(environ, "_DEPRECATED_ENVS", {}).items()]
    text = (f'{{"release": {json.dumps(release)}, "prog": {json.dumps(parser.prog)},\n'
            f'"fields": {lines(fields)},\n"options_without_field": {lines(extra)},\n'
            f'"options": {lines([option(a) for a in parser._actions])},\n"env": {lines(variables)},\n'
            f'"env_deprecated": {lines(deprecated)}}}\n')
    json.loads(text)
    path = pathlib.Path(__file__).parent / "arguments" / f"{release}.json"
    path.write_text(text, encoding="utf-8")
    print("wrote", path)


if __name__ == "__main__":
    main(sys.argv[1:])
