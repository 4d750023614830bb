#!/usr/bin/env python3
"""Says what changed between two releases of SGLang that the checker would have to follow.

usage: drift.py OLD NEW      folders that hold sglang/srt, or wheels or source archives of SGLang

Reads the sources, imports nothing. Prints Markdown; exit code 0 if nothing changed, 1 if something
did, 2 if it cannot be told.
"""
import ast
import pathlib
import sys
import tarfile
import zipfile

# Where launch commands are judged.
PLACES = ("server_args.py", "server_args_config_parser.py", "arg_groups/", "environ.py",
          "configs/model_config.py", "utils/hf_transformers", "disaggregation/utils.py",
          "speculative/spec_info.py", "layers/attention/")
FIRST_SHOWN = 60


def sources(path):
    """Path below sglang/srt -> text, of the places that matter."""
    path = pathlib.Path(path)
    if path.is_dir():
        named = ((str(f), f.read_text(encoding="utf-8")) for f in path.rglob("*.py"))
        return {place: text for name, text in named if (place := below(name))}
    if path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as z:
            return {place: z.read(name).decode() for name in z.namelist() if (place := below(name))}
    with tarfile.open(path) as t:
        return {place: t.extractfile(m).read().decode() for m in t.getmembers()
                if m.isfile() and (place := below(m.name))}


def below(name):
    name = name.replace("\\", "/")
    marker = "sglang/srt/"
    place = name[name.rfind(marker) + len(marker):] if marker in name else ""
    return place if place.endswith(".py") and place.startswith(PLACES) else ""


def template(node):
    """A message with {} where values go; None where it is not written out."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = template(node.left), template(node.right)
        return left + right if left is not None and right is not None else None
    return None


def facts(tree):
    """Kind -> {name: how it is}: what a launch command can meet."""
    out = {"Fields of ServerArgs": {}, "Options written by hand": {}, "Environment variables": {},
           "Rejections": {}, "Warnings": {}}
    for place, text in sorted(tree.items()):
        for node in ast.walk(ast.parse(text, place)):
            if isinstance(node, ast.ClassDef) and node.name in ("ServerArgs", "Envs"):
                kind = "Fields of ServerArgs" if node.name == "ServerArgs" else "Environment variables"
                for member in node.body:
                    if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
                        out[kind][member.target.id] = " = ".join(
                            without_help(n) for n in (member.annotation, member.value) if n is not None)
                    elif isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name):
                        out[kind][member.targets[0].id] = ast.unparse(member.value)
            elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                put(out["Rejections"], node.exc.args[0], place)
            elif isinstance(node, ast.Assert) and node.msg is not None:
                put(out["Rejections"], node.msg, place)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                if node.func.attr in ("warning", "warning_once"):
                    put(out["Warnings"], node.args[0], place)
                elif node.func.attr == "add_argument" and (name := template(node.args[0])):
                    out["Options written by hand"][name] = ", ".join(
                        [ast.unparse(a) for a in node.args] +
                        [ast.unparse(k) for k in node.keywords if k.arg != "help"])
    return out


def put(messages, node, place):
    text = template(node)
    if text:
        messages[" ".join(text.split())] = place


def without_help(node):
    """As written, less the text of the help, which changes nothing."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        kept = [e for e in node.slice.elts if template(e) is None]
        for e in kept:
            if isinstance(e, ast.Call):
                e.keywords = [k for k in e.keywords if k.arg != "help"]
        return ", ".join(ast.unparse(e) for e in kept)
    return ast.unparse(node)


def differences(old, new):
    out = []
    for kind in old:
        a, b = old[kind], new[kind]
        items = [f"added `{n}`: `{b[n]}`" for n in b if n not in a]
        items += [f"removed `{n}`" for n in a if n not in b]
        if kind not in ("Rejections", "Warnings"):  # of those only the place could differ
            items += [f"changed `{n}`: `{a[n]}` → `{b[n]}`" for n in b if n in a and a[n] != b[n]]
        if items:
            out.append((kind, items))
    return out


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    trees = [sources(path) for path in sys.argv[1:]]
    for path, tree in zip(sys.argv[1:], trees):
        if "server_args.py" not in tree:
            print(f"drift.py: {path} holds no sglang/srt/server_args.py", file=sys.stderr)
            return 2
    changes = differences(*(facts(tree) for tree in trees))
    for kind, items in changes:
        print(f"\n### {kind}: {len(items)}\n")
        print("\n".join(f"- {item}" for item in items[:FIRST_SHOWN]))
        if len(items) > FIRST_SHOWN:
            print(f"- … and {len(items) - FIRST_SHOWN} more")
    if not changes:
        print("Nothing that a launch command meets has changed.")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
