#!/usr/bin/env python3
"""command_line_test.py PROGRAM [ARGUMENT...]: what people type, and where the answer goes.

The same file tests the native program and the npm package's (wasm/test/cli.test.mjs runs it with Node).
"""
import gzip
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = []
GOOD = ["sglang", "serve", "--model-path", "Qwen/Qwen3-8B", "--tp", "2"]
LINE = " ".join(GOOD)


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("good.sh", LINE + "\n")
        self.write("bad.sh", "sglang serve --model-path Qwen/Qwen3-8B --tpsize 2\n")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())

    def run_it(self, *args, stdin=b"", **options):
        options.setdefault("stdout", subprocess.PIPE)
        run = subprocess.run(PROGRAM + list(args), input=stdin, cwd=self.folder.name, stderr=subprocess.PIPE, **options)
        return run.returncode, (run.stdout or b"").decode(), run.stderr.decode()

    def refused(self, *args, says, **options):
        """Exit code 2, nothing on standard output, and a sentence that says what to do."""
        code, out, err = self.run_it(*args, **options)
        self.assertEqual((code, out), (2, ""), f"{args}: {err}")
        self.assertTrue(err.startswith("sglint: ") and err.endswith("\n"), err)
        self.assertIn(says, err)
        return err

    def accepted(self, *args, **options):
        code, out, err = self.run_it(*args, **options)
        self.assertEqual((code, err), (0, ""), f"{args}: {out}")
        self.assertIn("accepts this command", out)

    # Standard output -----------------------------------------------------------------------------

    def commands(self):
        self.write("requests.ndjson", '{"argv":["--model-path","Qwen/Qwen3-8B"]}\n' * 300)
        yield from (["--help"], ["--version"], ["check", "--help"], ["rules"], ["rules", "--json"])
        yield ["explain", "linear-attention/flashkda-is-prefill-only"]
        for form in ("text", "json", "sarif", "junit", "github"):
            yield ["check", "bad.sh", "--format", form]
        yield from (["check", "bad.sh", "--fix"], ["check", "--why", "attention_backend", "good.sh"])
        for form in ("text", "json"):
            yield ["matrix", "good.sh", "--machines", "h100", "--format", form]
            yield ["upgrade", "good.sh", "--from", "0.5.16", "--format", form]
            yield ["check", "--batch", "requests.ndjson", "--format", form]
        yield ["selftest", "--help"]

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_an_answer_that_cannot_be_written_is_said(self):
        for args in self.commands():
            with self.subTest(args=args), open("/dev/full", "wb") as full:
                code, _, err = self.run_it(*args, stdout=full)
                self.assertEqual(code, 2, err)
                self.assertEqual(err, "sglint: the answer cannot be written to standard output: No space left on device\n")

    def test_a_closed_pipe_is_quiet(self):
        self.write("requests.ndjson", '{"argv":["--model-path","Qwen/Qwen3-8B"]}\n' * 20)
        for args in (["rules", "--json"], ["check", "bad.sh"], ["check", "--batch", "requests.ndjson"], ["--help"]):
            for ignored in (True, False):  # SIGPIPE, as Python and some CI systems leave it
                with self.subTest(args=args, ignored=ignored):
                    read, write = os.pipe()
                    os.close(read)
                    code, _, err = self.run_it(*args, stdout=write, restore_signals=not ignored)
                    os.close(write)
                    self.assertEqual(err, "")
                    self.assertNotEqual(code, 0)

    # Empty values --------------------------------------------------------------------------------

    def test_an_empty_value_is_a_mistake(self):
        both = ("--machine", "--release", "--model", "--model-config", "--format", "--selftest", "--plugin")
        commands = {"check": both + ("--why", "--fail-on", "--ignore", "--in-place", "--batch"),
                    "matrix": both[:5] + ("--machines", "--releases"), "upgrade": both[:1] + ("--from", "--to")}
        for command, options in commands.items():
            for option in options:
                for words in ([option, ""], [option + "="]):
                    with self.subTest(command=command, words=words):
                        self.refused(command, *words, "good.sh", says=f"{option} is empty")
        self.refused("check", "--machine", " ", "good.sh", says="--machine is empty")
        self.refused("matrix", "--machines", ",", "good.sh", says="--machines is empty")
        self.refused("check", "", says="FILE is empty")
        self.refused("explain", "", says="RULE is empty")
        self.refused("check", "good.sh", "--machine", says="--machine needs a value")
        self.refused("check", "good.sh", "--machine", "--format", "json", says="--machine needs a value")

    # The command without -- ----------------------------------------------------------------------

    def test_a_command_needs_no_dashes_before_it(self):
        os.mkdir(self.path("sglang"))  # a clone beside the scripts is no file to check
        self.accepted("check", *GOOD)
        self.accepted("check", "--machine", "h100", *GOOD)
        self.accepted("check", "--", *GOOD)
        self.accepted("check", "python3", "-m", "sglang.launch_server", *GOOD[2:])
        self.accepted("check", "CUDA_VISIBLE_DEVICES=0,1", *GOOD)
        self.accepted("check", "docker", "run", "--gpus", "all", "lmsysorg/sglang:v0.5.18", *GOOD)
        self.accepted("check", "/opt/venv/bin/python", "-m", "sglang.launch_server", *GOOD[2:])
        code, out, err = self.run_it("matrix", "--machines", "h100", *GOOD)
        self.assertEqual((code, err), (0, ""))
        code, out, err = self.run_it("upgrade", "--from", "0.5.17", *GOOD)
        self.assertEqual((code, err), (0, ""))

    def test_a_whole_command_in_quotes(self):
        self.accepted("check", LINE)
        self.accepted("check", "--", LINE)
        self.accepted("check", "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --served-model-name 'a b'")
        self.accepted("check", "export A=1\n" + LINE)

    def test_a_file_of_that_name_is_a_file(self):
        self.write("sglang", LINE + "\n")
        self.write("a b.sh", LINE + "\n")
        self.accepted("check", "sglang")
        self.accepted("check", "a b.sh")
        self.accepted("check", "a b.sh", "--machine", "h100")

    def test_own_options_behind_the_command(self):
        right = f"sglint check --machine h100 --format json -- {LINE}\n"
        self.refused("check", *GOOD, "--machine", "h100", "--format", "json", says=right)
        self.refused("check", "--machine=h100", *GOOD[:4], "--format=json", *GOOD[4:],
                     says=f"sglint check --machine=h100 --format=json -- {LINE}\n")
        code, out, err = self.run_it("check", "--", *GOOD, "--machine", "h100")
        self.assertEqual(code, 1)
        self.assertIn("unrecognized arguments: --machine h100", out)
        self.assertIn("sglint: --machine stands behind --", err)

    def test_the_line_to_type_shows_no_secret(self):
        err = self.refused("check", *GOOD, "--api-key", "topsecret1", "--machine", "h100", says="--api-key ***")
        self.assertNotIn("topsecret1", err)
        err = self.refused("check", "--model-path", "Qwen/Qwen3-8B", "--api-key=topsecret1", says="***")
        self.assertNotIn("topsecret1", err)

    def test_flags_of_sglang_without_the_dashes(self):
        self.refused("check", "--tp", "2", says="sglint check -- --tp 2\n")
        self.refused("check", "--machine", "h100", "--model-path", "Qwen/Qwen3-8B", "--tp=2",
                     says="sglint check --machine h100 -- --model-path Qwen/Qwen3-8B --tp=2\n")
        self.refused("check", "--tp", "2", "--", *GOOD, says="--tp")
        self.refused("check", "good.sh", "--machne", "h100", says="did you mean --machine?")
        self.refused("check", "good.sh", "--tp", "4", says="in good.sh")
        self.refused("check", LINE, "--ep", "2", says="inside the quotes")
        self.refused("check", "--batch", "nowhere.ndjson", says="No such file")

    def test_words_that_lead_nowhere(self):
        self.refused("chekc", "good.sh", says="did you mean `sglint check`?")
        self.refused("good.sh", says="sglint check good.sh")
        self.refused(*GOOD, says=f"sglint check -- {LINE}\n")
        self.refused("--", *GOOD, says=f"sglint check -- {LINE}\n")
        self.refused(LINE, says=f"sglint check -- '{LINE}'\n")
        self.refused("--machine", "h100", "check", "good.sh", says="behind check")
        self.refused("frobnicate", says="sglint --help")
        self.refused("check", "nowhere.yaml", says="there is no file nowhere.yaml")
        self.refused("check", ".", says=". is a folder")
        self.refused("check", "good.sh", "bad.sh", says="one file")
        self.refused("check", "good.sh", "--", *GOOD, says="not both")
        self.refused("check", says="nothing to check")
        self.refused("check", "--", says="nothing to check")
        self.refused("check", "--format", "yaml", "good.sh", says="--format: one of text, json, sarif, junit, github")
        self.refused("check", "--fail-on", "never", "good.sh", says="--fail-on: one of error, warning, info")
        self.refused("explain", says="RULE")
        self.refused("upgrade", "good.sh", says="--from")
        self.refused("upgrade", "good.sh", "--from", "0.5.16", "--release", "0.5.17", says="--to")
        self.refused("rules", "all", says="all")
        self.refused("detect", "--jsno", says="--jsno") if len(PROGRAM) == 1 else None

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_a_file_that_may_not_be_read(self):
        self.write("secret.sh", LINE)
        os.chmod(self.path("secret.sh"), 0)
        self.refused("check", "secret.sh", says="Permission denied")

    # Help ----------------------------------------------------------------------------------------

    def test_help(self):
        code, out, err = self.run_it("--help")
        self.assertEqual((code, err), (0, ""))
        for words in (["help"], ["-h"]):
            self.assertEqual(self.run_it(*words), (code, out, err))
        self.assertEqual(self.run_it("help", "check"), self.run_it("check", "--help"))
        self.assertEqual(self.run_it("version"), self.run_it("--version"))
        code, out, err = self.run_it()
        self.assertEqual((code, out), (2, ""))
        self.assertIn("sglint check", err)
        for command in ("check", "matrix", "upgrade"):
            code, out, err = self.run_it(command, "--help")
            self.assertEqual((code, err), (0, ""))
            self.assertIn("-- COMMAND", out)
            for exit_code in ("Exit codes: 0 ", "1 ", "2 "):
                self.assertIn(exit_code, out)
            self.assertIn(f"sglint {command} ", out.split("Example")[1])
            self.assertLessEqual(max(map(len, out.splitlines())), 100)
        self.assertNotIn("--machine h100", self.run_it("explain", "--help")[1])

    def test_why(self):
        self.assertEqual(self.run_it("check", "--why", "port", "good.sh"), (0, "port = 30000\n  because: SGLang's default\n", ""))
        self.refused("check", "--why", "prot", "good.sh", says="did you mean port?")
        self.refused("check", "--why", "port", "--format", "json", "good.sh", says="--format json")

    def test_an_upgrade_shows_what_differs(self):
        code, out, err = self.run_it("upgrade", "--from", "0.5.16", "good.sh")
        for before, after in re.findall(r": (\S.*) → (.*)\n", out):
            self.assertNotEqual(before, after)

    def test_matrix_knows_its_release(self):
        code, out, err = self.run_it("matrix", "--machines", "h100", "--release", "0.5.17", "good.sh")
        self.assertIn("0.5.17", out)
        self.assertNotIn("0.5.18", out)

    # What is no text -----------------------------------------------------------------------------

    def test_what_is_no_text(self):
        for content, says in ((b"\0" * 4096, "nothing but NUL bytes"), (LINE.encode("utf-16"), "UTF-16"),
                              (LINE.encode("utf-16-be"), "UTF-16"), (LINE.encode("utf-32"), "UTF-32"),
                              (LINE.encode("utf-32-be"), "UTF-32"), (gzip.compress(LINE.encode()), "gzip"),
                              (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "PNG"), (b"", "is empty"), (b" \r\n", "is empty")):
            self.write("file", content)
            code, out, err = self.run_it("check", "file")
            self.assertNotEqual(code, 0)
            self.assertIn(says, out + err)

    # Line ends -----------------------------------------------------------------------------------

    def test_windows_line_ends_stay(self):
        text = "sglang serve ^\r\n  --model-path Qwen/Qwen3-8B ^\r\n  --tpsize 2\r\n"
        for text in (text, text.replace("^", "\\"), text.replace("^", "`"),
                     "services:\r\n  a:\r\n    image: lmsysorg/sglang:v0.5.18\r\n    command: >-\r\n      sglang serve\r\n"
                     "      --model-path Qwen/Qwen3-8B\r\n      --tpsize 2\r\n"):
            self.write("windows", text)
            code, out, err = self.run_it("check", "--fix", "windows")
            self.assertEqual((code, err), (0, ""))
            self.assertEqual(out, text.replace("--tpsize", "--tp-size"))
            code, out, err = self.run_it("check", "windows")
            self.assertNotIn("\r", out)
            self.assertNotIn("\u240d", out)
            shown, carets = re.search(r"\| (.*--tpsize 2.*)\n +\| ( *\^+)\n", out).groups()
            self.assertEqual(carets, " " * shown.index("--tpsize") + "^" * 8)


if __name__ == "__main__":
    PROGRAM = [os.path.abspath(a) if os.path.exists(a) else a for a in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0]])
