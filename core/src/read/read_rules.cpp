#include "read/read_rules.h"

namespace sglint {

// Examples hold raw text: what the reader sees, not arguments.
const Rule kTextTooLong{
    .id = "read/text-too-long",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "The text has {} bytes; at most {} are read.",
    .why =
        "A launch command or a manifest is some kilobytes. Cut the part with the launch out of "
        "the log or the archive and give that.",
    .source = "sglint: a limit of the reader",
    // No example: it would have to be a megabyte long; tests/unit/read/bad_input_test.cpp makes
    // one.
};

const Rule kTooManyLaunches{
    .id = "read/too-many-launches",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "The text launches SGLang {} times; only the first {} of them are checked.",
    .why =
        "Nobody reads more reports than that, and a page would stand still. Give the text in "
        "parts, "
        "or each launch as a line of `sglint check --batch`.",
    .source = "sglint: a limit of the reader",
    // No example: it would have to be as long; tests/unit/read/bad_input_test.cpp makes one.
};

const Rule kTooManyWords{
    .id = "read/too-many-words",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "The command has more than {} words; what comes after this one is not read.",
    .why =
        "Nobody types that many: something was pasted twice, or a file was expanded in the wrong "
        "place.",
    .source = "sglint: a limit of the reader",
    // No example: it would be longer than all others together; tests/unit/read/bad_input_test.cpp
    // makes one.
};

const Rule kNotUtf8{
    .id = "read/not-utf-8",
    .stage = Stage::read,
    .severity = Severity::warning,
    .message = "The text is not UTF-8 (first at byte {}).",
    .why =
        "It was saved in another encoding, often Latin-1 or Windows-1252, or a letter was cut. The "
        "bytes are read as they are, so a value that holds them is compared byte by byte.",
    .source = "Unicode: UTF-8",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B --served-model-name d\xE9mo"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B --served-model-name d\xC3\xA9mo"},
};

const Rule kNulByte{
    .id = "read/nul-byte",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "The text holds {}.",
    .why =
        "No argument of a process can hold a NUL byte: the system cuts the argument there. A file "
        "of nothing else is what a crash or a full disk leaves behind; write it again.",
    .source = "POSIX: execve",
    // No example: a NUL byte cannot stand in a literal; tests/unit/read/bad_input_test.cpp has one.
};

const Rule kUtf16{
    .id = "read/utf-16",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "The text is {}, which is not read. Save it as UTF-8.",
    .why =
        "PowerShell's `>` and some editors write two or four bytes for each letter. No shell or "
        "container tool starts anything from such a file.",
    .source = "Unicode: UTF-16, UTF-32",
    // No example: its NUL bytes cannot stand in a literal; tests/unit/read/bad_input_test.cpp has
    // some.
};

const Rule kNotText{
    .id = "read/not-text",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "This is {}, not a text.",
    .why =
        "Only texts are read: unpack an archive, and give the script, the manifest or the command "
        "itself.",
    .source = "the first bytes of the file",
    // No example: such bytes cannot stand in a literal; tests/unit/read/bad_input_test.cpp has
    // some.
};

const Rule kUnclosedQuote{
    .id = "read/unclosed-quote",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "The quote {} is never closed.",
    .why =
        "A shell waits for the closing quote and takes everything up to it, further flags and "
        "lines included, as one argument. The text is read as if the quote ended with the line.",
    .source = "POSIX shell: Quoting",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B --served-model-name 'demo"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B --served-model-name 'demo'"},
};

const Rule kBrokenYaml{
    .id = "read/broken-yaml",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "Not YAML: {}.",
    .why =
        "The file cannot be loaded, so nothing in it is started. What stands before the place is "
        "read all the same.",
    .source = "PyYAML: scanner.py, parser.py",
    .bad = {.text = "model-path: Qwen/Qwen3-8B\ntp-size: 2: 3\n"},
    .good = {.text = "model-path: Qwen/Qwen3-8B\ntp-size: 2\n"},
};

const Rule kUnclosedTemplate{
    .id = "read/unclosed-template",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "Nothing closes this template: two braces are missing.",
    .why =
        "Helm and Jinja refuse the whole file, so nothing in it is started. What else it holds is "
        "read all the same.",
    .source = "Go: text/template/parse",
    .bad = {.text = "model-path: Qwen/Qwen3-8B\ntp-size: {{ .Values.tp }\n"},
    .good = {.text = "model-path: Qwen/Qwen3-8B\ntp-size: {{ .Values.tp }}\n"},
};

const Rule kSmartQuotes{
    .id = "read/smart-quotes",
    .stage = Stage::read,
    .severity = Severity::warning,
    .message = "{} holds typographic quotes, which a shell passes on as part of the value.",
    .why =
        "Chat programs and word processors turn straight quotes into typographic ones. To a "
        "shell these are letters: they do not hold words together and SGLang receives them.",
    .source = "POSIX shell: Quoting",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B --served-model-name “demo”"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B --served-model-name \"demo\""},
};

const Rule kTypographicDash{
    .id = "read/typographic-dash",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "{} begins with a typographic dash, so it is no flag.",
    .why =
        "Web pages and word processors join two hyphens into a dash. SGLang's parser takes such "
        "a word for a value and refuses it.",
    .source = "Python argparse: prefix_chars",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B –tp-size 1"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B --tp-size 1"},
};

const Rule kOddSpace{
    .id = "read/odd-space",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "{} holds a no-break space or another space that does not separate words.",
    .why =
        "Text copied from a web page may hold spaces that look like spaces. A shell does not "
        "split there, so flag and value arrive as one word.",
    .source = "POSIX shell: Token Recognition",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B --tp-size\u00A01"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B --tp-size 1"},
};

const Rule kRouterLeftOut{
    .id = "read/router-left-out",
    .stage = Stage::read,
    .severity = Severity::info,
    .message = "{} is not an SGLang server and is not checked.",
    .why =
        "The router and the load balancer have arguments of their own. The workers in the same "
        "text are checked.",
    .source = "sglang_router: launch_router.py",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B\n"
                    "python3 -m sglang_router.launch_router --worker-urls http://localhost:30000"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B"},
};

const Rule kDiffusionLeftOut{
    .id = "read/diffusion-left-out",
    .stage = Stage::read,
    .severity = Severity::info,
    .message = "{} belongs to the server of image and video models, which is not checked.",
    .why = "sglang serve starts another server for diffusion models. It has arguments of its own.",
    .source = "cli/serve.py: _run_diffusion",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen-Image --num-gpus 2 --ulysses-degree 2\n"
                    "sglang serve --model-path Qwen/Qwen3-8B"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B"},
};

const Rule kSpaceAfterBackslash{
    .id = "read/space-after-backslash",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "A space after the backslash: the command ends on this line.",
    .why =
        "A backslash continues the line only when the line break follows at once. With a space "
        "in between, SGLang receives an argument that is one space, and the shell takes the "
        "next line for another command. The text is read as if the space were not there.",
    .source = "POSIX shell: Escape Character",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B \\ \n  --tp-size 1"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B \\\n  --tp-size 1"},
};

const Rule kCommentEndsCommand{
    .id = "read/comment-ends-command",
    .stage = Stage::read,
    .severity = Severity::warning,
    .message = "The shell ends the command at this comment: the flags below do not reach SGLang.",
    .why =
        "A backslash at the end of a comment is part of the comment, and a comment ends with its "
        "line. The shell then takes the following line for another command. The flags below are "
        "read as if the comment were not there.",
    .source = "POSIX shell: Token Recognition",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B \\\n  # one GPU \\\n  --tp-size 1"},
    .good = {.text = "# one GPU\nsglang serve --model-path Qwen/Qwen3-8B \\\n  --tp-size 1"},
};

const Rule kMissingContinuation{
    .id = "read/missing-continuation",
    .stage = Stage::read,
    .severity = Severity::warning,
    .message = "The line before {} has no continuation: the shell ends the command there.",
    .why =
        "Without a backslash at the end of the line above, the shell takes the flag for another "
        "command. It is read as if it belonged to the launch.",
    .source = "POSIX shell: Token Recognition",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B\n  --tp-size 1"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B \\\n  --tp-size 1"},
};

const Rule kGluedContinuation{
    .id = "read/glued-continuation",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "{} is one word: no space stands before the backslash or on the next line.",
    .why =
        "A backslash with its line break vanishes without leaving a space, so the value and the "
        "flag of the next line become one word.",
    .source = "POSIX shell: Escape Character",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B\\\n--tp-size 1"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B \\\n--tp-size 1"},
};

const Rule kDanglingBackslash{
    .id = "read/dangling-backslash",
    .stage = Stage::read,
    .severity = Severity::info,
    .message = "The last line ends with a backslash.",
    .why =
        "A shell joins the line that comes next, or waits for one. Nothing is lost here, but the "
        "next line of a script would become part of this command.",
    .source = "POSIX shell: Escape Character",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B \\\n  --tp-size 1 \\\n"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B \\\n  --tp-size 1\n"},
};

const Rule kSeveralWordsInOneItem{
    .id = "read/several-words-in-one-item",
    .stage = Stage::read,
    .severity = Severity::error,
    .message = "{} is one list item, so SGLang receives flag and value as one word.",
    .why =
        "No shell splits the items of a list: each item is one argument. Write the flag and its "
        "value as two items, or join them with `=`.",
    .source = "Docker, Kubernetes: exec form",
    .bad = {.text = "[\"python3\", \"-m\", \"sglang.launch_server\", \"--model-path\", "
                    "\"Qwen/Qwen3-8B\", \"--tp-size 1\"]"},
    .good = {.text = "[\"python3\", \"-m\", \"sglang.launch_server\", \"--model-path\", "
                     "\"Qwen/Qwen3-8B\", \"--tp-size\", \"1\"]"},
};

const Rule kLostQuotes{
    .id = "read/lost-quotes",
    .stage = Stage::read,
    .severity = Severity::warning,
    .message = "The shell takes JSON without quotes apart: SGLang receives {}.",
    .why =
        "JSON needs single quotes around it. Without them the shell removes the double quotes "
        "and splits at every space.",
    .source = "POSIX shell: Quote Removal",
    .bad = {.text =
                "sglang serve --model-path Qwen/Qwen3-8B --json-model-override-args {\"a\": 1}"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B --json-model-override-args "
                     "'{\"max_position_embeddings\": 4096}'"},
};

const Rule kUnderscoreKey{
    .id = "read/underscore-key",
    .stage = Stage::read,
    .severity = Severity::info,
    .message = "{} has underscores: a file given by --config needs hyphens.",
    .why =
        "SGLang makes `--key` of each key of its --config file letter for letter, and its "
        "options are spelt with hyphens. Recipes of other tools, which translate the keys, "
        "accept both; the key is read as the option.",
    .source = "server_args_config_parser.py: ConfigArgumentMerger._convert_config_to_args",
    .bad = {.text = "model_path: Qwen/Qwen3-8B\ntp_size: 1\n"},
    .good = {.text = "model-path: Qwen/Qwen3-8B\ntp-size: 1\n"},
};

const Rule kImageWithoutProgram{
    .id = "read/image-without-program",
    .stage = Stage::read,
    .severity = Severity::warning,
    .message = "No program stands between the image and {}.",
    .why =
        "SGLang's images have no server as their entry point: the container would try to run "
        "the flag as a program. With an image of your own that starts the server this is right. "
        "The flags are read as SGLang's.",
    .source = "docker/Dockerfile of SGLang: no ENTRYPOINT that serves",
    .bad = {.text = "docker run --gpus all lmsysorg/sglang:v0.5.18 --model-path Qwen/Qwen3-8B"},
    .good = {.text = "docker run --gpus all lmsysorg/sglang:v0.5.18 sglang serve --model-path "
                     "Qwen/Qwen3-8B"},
};

const Rule kUnknownRelease{
    .id = "read/unknown-release",
    .stage = Stage::read,
    .severity = Severity::info,
    .message = "{} is none of the releases that are known here: {} is the nearest.",
    .why =
        "Flags, defaults and rules change with every release, so that the verdict may not hold for "
        "this one. Name the release that is meant if it is another.",
    .source = "sglint: the releases it has tables of",
    .bad = {.text = "docker run --gpus all lmsysorg/sglang:v0.4.9 sglang serve --model-path "
                    "Qwen/Qwen3-8B"},
    .good = {.text = "docker run --gpus all lmsysorg/sglang:v0.5.18 sglang serve --model-path "
                     "Qwen/Qwen3-8B"},
};

RuleList read_rules() {
  return {&kTextTooLong,
          &kTooManyLaunches,
          &kTooManyWords,
          &kNotUtf8,
          &kNulByte,
          &kUtf16,
          &kNotText,
          &kUnclosedQuote,
          &kBrokenYaml,
          &kUnclosedTemplate,
          &kSmartQuotes,
          &kTypographicDash,
          &kOddSpace,
          &kRouterLeftOut,
          &kDiffusionLeftOut,
          &kSpaceAfterBackslash,
          &kCommentEndsCommand,
          &kMissingContinuation,
          &kGluedContinuation,
          &kDanglingBackslash,
          &kSeveralWordsInOneItem,
          &kLostQuotes,
          &kUnderscoreKey,
          &kImageWithoutProgram,
          &kUnknownRelease};
}

}  // namespace sglint
