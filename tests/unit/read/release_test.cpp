// Which release a text speaks of, and what it leaves open.
#include <gtest/gtest.h>

#include "read/launch.h"
#include "read/read_rules.h"

namespace sglint {
namespace {

struct Row {
  const char* image;
  const char* release;  // "" for none
  const char* version;  // "" if the release is exactly known
  bool found;           // is there a finding?
};

TEST(Release, OfAnImage) {
  for (const Row& row : {
           Row{"lmsysorg/sglang:v0.5.18", "0.5.18", "", false},
           Row{"lmsysorg/sglang:v0.5.17-cu129", "0.5.17", "", false},
           Row{"reg:5000/lmsysorg/sglang:v0.5.16-rocm700-mi35x", "0.5.16", "", false},
           Row{"lmsysorg/sglang:v0.5.15.post1", "0.5.15.post1", "", false},
           Row{"lmsysorg/sglang:v0.4.9", "0.5.15.post1", "v0.4.9", true},
           Row{"lmsysorg/sglang:v0.5.17.post2-cu130", "0.5.17", "v0.5.17.post2-cu130", true},
           Row{"rocm/sgl-dev:v0.6.0", "0.5.18", "v0.6.0", true},
           Row{"lmsysorg/sglang:latest", "", "latest", false},
           Row{"lmsysorg/sglang", "", "latest", false},
           Row{"lmsysorg/sglang:dev-cu13", "", "dev-cu13", false},
           Row{"lmsysorg/sglang@sha256:0123abcd", "", "sha256:0123abcd", false},
           Row{"lmsysorg/sglang:v0.5.18@sha256:0123abcd", "0.5.18", "", false},
           Row{"vllm/vllm-openai:v0.4.9", "", "", false},
       }) {
    for (const std::string& text :
         {std::string("docker run --gpus all ") + row.image + " sglang serve --model-path a",
          std::string("services:\n  s:\n    image: ") + row.image +
              "\n    command: sglang serve --model-path a\n",
          std::string("container {\n  image   = \"") + row.image +
              "\"\n  command = [\"sglang\", \"serve\", \"a\"]\n}\n",
          std::string("FROM ") + row.image + "\nCMD [\"sglang\", \"serve\", \"a\"]\n"}) {
      const ReadResult r = read(text);
      ASSERT_EQ(r.launches.size(), 1u) << text;
      const Launch& launch = r.launches[0];
      EXPECT_EQ(launch.release ? release_name(*launch.release) : "", row.release) << text;
      EXPECT_EQ(launch.version, row.version) << text;
      ASSERT_EQ(r.findings.size(), row.found ? 1u : 0u) << text;
      if (!row.found) continue;
      EXPECT_EQ(r.findings[0].rule, &kUnknownRelease);
      const Span at = r.findings[0].span;
      EXPECT_EQ(text.substr(at.begin, at.end - at.begin), row.image) << text;
    }
  }
}

TEST(Release, OfWhatWasInstalled) {
  const ReadResult r = read(
      "pip install \"sglang[all]==0.5.16\"\npython -m sglang.launch_server --model-path a\n"
      "docker run lmsysorg/sglang:v0.5.17 sglang serve --model-path b\n");
  ASSERT_EQ(r.launches.size(), 2u);
  EXPECT_EQ(r.launches[0].release, Release::v0_5_16);
  EXPECT_EQ(r.launches[1].release, Release::v0_5_17);
  EXPECT_TRUE(read("pip install sglang").launches.empty());
  EXPECT_TRUE(read("uv pip install sglang==0.5.17").findings.empty());
}

TEST(Release, NearestOfAVersion) {
  EXPECT_EQ(nearest_release("v0.5.18"), Release::v0_5_18);
  EXPECT_EQ(nearest_release("0.5.15"), Release::v0_5_15_post1);
  EXPECT_EQ(nearest_release("0.5.16.post9"), Release::v0_5_16);
  EXPECT_EQ(nearest_release("1.0"), Release::v0_5_18);
  EXPECT_EQ(nearest_release("99999999999.0"), Release::v0_5_18);
  for (const char* none : {"", "latest", "v", "dev", "7", "x0.5.1"})
    EXPECT_EQ(nearest_release(none), std::nullopt) << none;
}

TEST(Assumptions, WhatStandsElsewhere) {
  struct Case {
    const char* text;
    const char* said;
  };
  for (const Case& c : {
           Case{"services:\n  s:\n    env_file: .env\n    command: sglang serve --model a\n",
                "The variables in .env (env_file) are not known."},
           Case{"services:\n  s:\n    env_file: [a.env, {path: b.env}]\n    command: sglang serve "
                "--model a\n",
                "The variables in a.env, b.env (env_file) are not known."},
           Case{"spec:\n  containers:\n  - command: [sglang, serve, a]\n    envFrom:\n    - "
                "configMapRef: {name: c}\n",
                "The variables in envFrom are not known."},
           Case{"spec:\n  containers:\n  - command: [sglang, serve, a]\n    env:\n    - name: "
                "HF_TOKEN\n      valueFrom: {secretKeyRef: {name: a, key: b}}\n",
                "The values of HF_TOKEN come from the cluster (valueFrom) and are not known."},
           Case{"docker run --env-file .env img sglang serve --model a",
                "The variables in .env (--env-file) are not known."},
           Case{"[Service]\nEnvironmentFile=/etc/x\nExecStart=/bin/sglang serve --model a\n",
                "The variables in /etc/x (EnvironmentFile) are not known."},
           Case{"Engine(model_path='a', **kwargs)", "The arguments in **kwargs are not known."},
       }) {
    const ReadResult r = read(c.text);
    ASSERT_EQ(r.launches.size(), 1u) << c.text;
    bool said = false;
    for (const std::string& a : r.launches[0].assumptions) said = said || a == c.said;
    EXPECT_TRUE(said) << c.text;
  }
}

}  // namespace
}  // namespace sglint
