#!/usr/bin/env python3
"""Writes the texts of tests/golden/text as one file each: seeds for read_fuzz.

usage: seeds.py FOLDER
"""

import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
source = pathlib.Path(__file__).parent.parent / "golden" / "text" / "texts.ndjson"
for line in source.read_text(encoding="utf-8").splitlines():
    row = json.loads(line)
    (folder / row["id"]).write_text(row["text"], encoding="utf-8")
