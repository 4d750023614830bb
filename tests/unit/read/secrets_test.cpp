// Where secrets stand in a text, and where nothing is one.
#include "read/secrets.h"

#include <gtest/gtest.h>

#include <string>

#include "read/launch.h"

namespace sglint {
namespace {

std::string found(std::string_view text) {
  std::string out;
  for (const Span& span : secrets_in(text))
    out += (out.empty() ? "" : " ") + std::string(text.substr(span.begin, span.end - span.begin));
  return out;
}

TEST(Secrets, AreFound) {
  struct Row {
    const char* text;
    const char* secrets;
  };
  for (const Row& row : {
           Row{"export HF_TOKEN=hf_abc", "hf_abc"},
           Row{"docker run -e HF_TOKEN=x1 --env \"OPENAI_API_KEY=y y\" img", "x1 y"},
           Row{"sglang serve --api-key k --admin-api-key=j --port 1", "k j"},
           Row{"[\"--api-key\", \"k 1\"]", "k 1"},
           Row{"args: ['--api-key', 'k']", "k"},
           Row{"- --api-key=k\n- --hf-token\n", "k"},
           Row{"env:\n- name: HF_TOKEN\n  value: \"abcd\"\n", "abcd"},
           Row{"HF_TOKEN: abcd\napi_key: 'x'\n", "abcd x"},
           Row{"curl -H \"Authorization: Bearer abc.def-1\" http://h", "abc.def-1"},
           Row{"--x '{\"token\": \"t1\", \"max_tokens\": 8}'", "t1"},
           Row{"\"{\\\"token\\\": \\\"t1\\\"}\"", "t1"},
           Row{"git clone https://user:pw@host/x?token=abc&y=1", "pw abc"},
           Row{"see hf_ABCDEFGHIJKLMNOPQRST and sk-ABCDEFGHIJKLMNOPQRST",
               "hf_ABCDEFGHIJKLMNOPQRST sk-ABCDEFGHIJKLMNOPQRST"},
           Row{"Engine(model_path='a', api_key=\"k\")", "k"},
           Row{"$env:HF_TOKEN = \"abc\"", "abc"},
           Row{"set HF_TOKEN=abc\n", "abc"},
           Row{"wandb_password = 'p w'", "p w"},
       })
    EXPECT_EQ(found(row.text), row.secrets) << row.text;
}

TEST(Secrets, AreNotSeenWhereNoneAre) {
  for (const char* text :
       {"", "--max-total-tokens 4096 --tokenizer-path a", "HF_TOKEN=$HF_TOKEN", "-e HF_TOKEN",
        "HF_TOKEN: ${T}", "--api-key <key>", "#new-token: 4096, token usage: 0.53",
        "\"eos_token\": \"<|im_end|>\", \"pad_token\": \"x\"", "http://host:30000/v1/models?x=1",
        "mailto://a@b", "sk-short hf_short", "token = None", "--skip-tokenizer-init",
        "tokenizer_mode: auto"})
    EXPECT_EQ(found(text), "") << text;
}

TEST(Secrets, AreMarkedInEveryForm) {
  for (const char* text :
       {"HF_TOKEN=abcd sglang serve --model a --api-key k",
        "docker run -e HF_TOKEN=abcd img sglang serve --model a --api-key=k",
        "services:\n  s:\n    environment: {HF_TOKEN: abcd}\n    command: [sglang, serve, --model, "
        "a, --api-key, k]\n",
        "spec:\n  containers:\n  - env:\n    - {name: HF_TOKEN, value: abcd}\n    command: "
        "[sglang, serve, --model, a, --api-key, k]\n",
        "FROM x\nENV HF_TOKEN=abcd\nCMD [\"sglang\", \"serve\", \"a\", \"--api-key\", \"k\"]\n",
        "$env:HF_TOKEN = 'abcd'\nsglang serve --model a --api-key k `\n  --tp 1\n",
        "set HF_TOKEN=abcd\nsglang serve --model a ^\n --api-key k\n",
        "[Service]\nEnvironment=HF_TOKEN=abcd\nExecStart=/bin/sglang serve --api-key k\n",
        "os.environ['HF_TOKEN'] = 'abcd'\nEngine(model_path='a', api_key='k')\n"}) {
    const ReadResult r = read(text);
    ASSERT_EQ(r.launches.size(), 1u) << text;
    bool argument = false, variable = false;
    for (const Token& t : r.launches[0].argv)
      argument = argument || (t.secret && t.text.back() == 'k');
    for (const EnvSetting& e : r.launches[0].env)
      variable = variable || (e.secret && e.value == "abcd");
    EXPECT_TRUE(argument && variable) << text;
  }
}

}  // namespace
}  // namespace sglint
