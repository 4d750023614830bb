// Texts as people paste them, and the arguments and environment they stand for.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "read/launch.h"

namespace sglint {
namespace {

struct Row {
  const char* name;
  const char* text;
  const char* argv;      // words joined by one space, launches by " / "; "-" for none
  const char* env = "";  // NAME=value joined by one space, of the first launch
};

std::string argv_of(const ReadResult& result) {
  std::string out;
  for (size_t i = 0; i < result.launches.size(); ++i) {
    if (i) out += " / ";
    for (size_t k = 0; k < result.launches[i].argv.size(); ++k)
      out += (k ? " " : "") + result.launches[i].argv[k].text;
  }
  return result.launches.empty() ? "-" : out;
}

std::string env_of(const ReadResult& result) {
  std::string out;
  if (!result.launches.empty())
    for (const EnvSetting& e : result.launches[0].env)
      out += (out.empty() ? "" : " ") + e.name + "=" + e.value;
  return out;
}

class Forms : public testing::TestWithParam<Row> {};

TEST_P(Forms, AreRead) {
  const ReadResult result = read(GetParam().text);
  EXPECT_EQ(argv_of(result), GetParam().argv) << GetParam().text;
  EXPECT_EQ(env_of(result), GetParam().env) << GetParam().text;
}

const Row kShell[] = {
    {"Quoted", "> > ```\n> > sglang serve --model a \\\n> >     --tp 2\n> > ```\n> thanks",
     "--model a --tp 2"},
    {"QuotedBare", "> python -m sglang.launch_server --model a \\\n>   --tp 2\n",
     "--model a --tp 2"},
    {"Dynamo",
     "python3 -m dynamo.sglang --model-path a --endpoint dyn://n.c.e --dyn-tool-call-parser=x "
     "--embedding-worker --tp 2",
     "--model-path a --tp 2"},
    {"DynamoGraph",
     "spec:\n  services:\n    decode:\n      extraPodSpec:\n        mainContainer:\n"
     "          command: [python3, -m, dynamo.sglang]\n          args:\n"
     "            - --model-path\n            - a\n            - --migration-limit\n"
     "            - \"3\"\n            - --tp=2\n",
     "--model-path a --tp=2"},
    {"Equals", "sglang serve --model-path=Qwen/Qwen3-8B --tp=2",
     "--model-path=Qwen/Qwen3-8B --tp=2"},
    {"Path", "/opt/venv/bin/python3.11 -u -m sglang.launch_server --model a", "--model a"},
    {"Script", "python3 /sgl-workspace/sglang/python/sglang/launch_server.py --model a",
     "--model a"},
    {"Module", "python -m sglang serve a --tp 2", "--model-path a --tp 2"},
    {"ModelType", "sglang serve --model-type llm --model-path a", "--model-path a"},
    {"DoubleQuotes", "sglang serve --model a --json \"{\\\"a\\\": 1}\"",
     "--model a --json {\"a\": 1}"},
    {"Glued", "sglang serve --model 'a'\"b\"c", "--model abc"},
    {"AnsiC", "sglang serve --model a --chat-template $'x\\ny'", "--model a --chat-template x\ny"},
    {"EmptyWord", "sglang serve --model a --api-key '' --tp \"\"", "--model a --api-key  --tp "},
    {"Background", "sglang serve --model a > log 2>&1 & sglang serve --model b &",
     "--model a / --model b"},
    {"ArrayToLog", "A=(sglang serve --model a)\n\"${A[@]}\" > log", "--model a"},
    {"LogOnItsOwnLine", "L=/x\nA=1 sglang serve --model a \\\n--tp 2 \\\n> $L 2>&1 &",
     "--model a --tp 2", "A=1"},
    {"SecondaryPrompts", "$ sglang serve \\\n> --model \\\n> a", "--model a"},
    {"SecondaryPromptBeforeProgram", "docker run i \\\n> sglang serve --model a", "--model a"},
    {"ResultsOfABenchmark",
     "```\nsglang serve --model a\n```\n```\n-----Time per Output Token----\n---Latency---\n```",
     "--model a"},
    {"FlagsQuotedBesideALaunch", "```\nsglang serve --model a\n```\n```\n--tp 2 --dp 2\n```",
     "--model a"},
    {"FlagsAlone", "--tp 2 --dp 2", "--tp 2 --dp 2"},
    {"ArgumentsOfAnotherProgram",
     "parser.add_argument(\n    \"--tp-size\", type=int, default=1\n)\n# for sglang", "-"},
    {"NamesInALog",
     "`python -m sglang.launch_server` is still supported, but `sglang serve` is better.\n"
     "$ sglang serve --model a\n",
     "--model a"},
    {"NameAlone", "sglang serve", ""},
    {"HelpBeside", "sglang serve --help\nsglang serve --model a", "--model a"},
    {"Diffusion", "sglang serve --model-path a --num-gpus 2\nsglang serve b", "--model-path b"},
    {"DiffusionByType", "sglang serve a --model-type diffusion", "-"},
    {"Tee", "sglang serve --model a 2>&1 | tee log.txt", "--model a"},
    {"AndRedirect", "sglang serve --model a &> log", "--model a"},
    {"ProcessSubstitution", "sglang serve --model a > >(tee log) 2>&1", "--model a"},
    {"Env", "env -u X A=1 sglang serve --model a", "--model a", "A=1"},
    {"Sudo", "sudo -E A=1 python3 -m sglang.launch_server --model a", "--model a", "A=1"},
    {"SudoUser", "sudo -u sgl -H python3 -m sglang.launch_server --model a", "--model a"},
    {"Nohup", "nohup setsid python -m sglang.launch_server --model a >x 2>&1 &", "--model a"},
    {"Taskset", "taskset -c 0-15 python -m sglang.launch_server --model a", "--model a"},
    {"NumactlShort", "numactl -N 0 -m 0 python3 -m sglang.launch_server --model a", "--model a"},
    {"Srun", "srun -N 2 --gres=gpu:8 python3 -m sglang.launch_server --model a", "--model a"},
    {"SrunBash", "srun --ntasks=1 bash -c 'X=1 sglang serve --model a'", "--model a", "X=1"},
    {"Uv", "uv run python -m sglang.launch_server --model a", "--model a"},
    {"UvModule", "uv run --with sglang sglang serve --model a", "--model a"},
    {"Conda", "conda run -n env python -m sglang.launch_server --model a", "--model a"},
    {"Nsys", "nsys profile -o out -t cuda python -m sglang.launch_server --model a", "--model a"},
    {"Exec", "exec python -m sglang.launch_server --model a", "--model a"},
    {"Timeout", "timeout -k 5 2h sglang serve --model a", "--model a"},
    {"BashLc", "bash -lc \"source x && python -m sglang.launch_server --model a --tp 2\"",
     "--model a --tp 2"},
    {"BashInner", "bash -c 'export A=1; python -m sglang.launch_server --model \"b c\"'",
     "--model b c", "A=1"},
    {"BashOuterVariable", "M=a; bash -c \"sglang serve --model $M\"", "--model a"},
    {"Ssh", "ssh -p 2222 root@host 'A=1 sglang serve --model a'", "--model a", "A=1"},
    {"SshBare", "ssh host python3 -m sglang.launch_server --model a", "--model a"},
    {"Tmux", "tmux new-session -d -s x 'python -m sglang.launch_server --model a'", "--model a"},
    {"Screen", "screen -dmS x bash -c 'sglang serve --model a'", "--model a"},
    {"Eval", "CMD=\"sglang serve --model a --json '{\\\"x\\\": 1}'\"\neval \"$CMD\"",
     "--model a --json {\"x\": 1}"},
    {"BareVariable", "CMD=\"sglang serve --model a\"\n$CMD --tp 2", "--model a --tp 2"},
    {"Common", "COMMON=\"--tp 2 --trust-remote-code\"\nsglang serve --model a $COMMON",
     "--model a --tp 2 --trust-remote-code"},
    {"Append", "A=\"--tp 2\"\nA+=\" --dp 2\"\nsglang serve --model a $A",
     "--model a --tp 2 --dp 2"},
    {"ArrayAppend", "A=(--model a)\nA+=(--tp 2)\nsglang serve \"${A[@]}\" --dp 1",
     "--model a --tp 2 --dp 1"},
    {"ArrayQuoted", "A=(--model \"a b\" # why\n 'c d')\nsglang serve \"${A[@]}\"",
     "--model a b c d"},
    {"DefaultKnown", "M=x\nsglang serve --model ${M:-y} --tp ${T:-4}", "--model x --tp 4"},
    {"DefaultNested", "M=x\nsglang serve --model ${N:-$M}", "--model x"},
    {"ExportLater", "A=1\nexport A\nsglang serve --model a", "--model a", "A=1"},
    {"ExportSeveral", "export A=1 B='2 3'\nsglang serve --model a", "--model a", "A=1 B=2 3"},
    {"Unset", "export A=1 B=2\nunset A\nsglang serve --model a", "--model a", "B=2"},
    {"SetA", "set -a\nA=1\nset +a\nB=2\nsglang serve --model a", "--model a", "A=1"},
    {"PrefixWins", "export A=1\nA=2 sglang serve --model a", "--model a", "A=2"},
    {"Unknown", "sglang serve --model $M --tp $(nproc) --port $((1+2))",
     "--model $M --tp $(nproc) --port $((1+2))"},
    {"Backticks", "sglang serve --model a --host `hostname -i`", "--model a --host `hostname -i`"},
    {"Loop",
     "for i in 0 1; do\n  CUDA_VISIBLE_DEVICES=$i sglang serve --model a --port 3000$i &\ndone",
     "--model a --port 3000$i", "CUDA_VISIBLE_DEVICES=$i"},
    {"If", "if [ -z \"$X\" ]; then sglang serve --model a; fi", "--model a"},
    {"Function", "start() {\n  sglang serve --model a\n}\nstart", "--model a"},
    {"Subshell", "(cd /x && sglang serve --model a)", "--model a"},
    {"Crlf", "sglang serve \\\r\n  --model a \\\r\n  --tp 2\r\n", "--model a --tp 2"},
    {"TrailingSpaces", "sglang serve \\ \n  --model a \\\t\n --tp 2", "--model a --tp 2"},
    {"GluedBackslash", "sglang serve --model a --tp 2\\\n  --dp 1", "--model a --tp 2 --dp 1"},
    {"CommentBetween", "sglang serve \\\n  --model a \\\n  # --tp 8 \\\n  --dp 2",
     "--model a --dp 2"},
    {"MissingBackslash", "sglang serve --model a\n  --tp 2\n  --dp 1\n", "--model a --tp 2 --dp 1"},
    {"BlankLine", "sglang serve --model a \\\n\n  --tp 2", "--model a --tp 2"},
    {"Ps2", "$ sglang serve \\\n>   --model a \\\n>   --tp 2", "--model a --tp 2"},
    {"RootPrompt", "# python3 -m sglang.launch_server --model a", "--model a"},
    {"RootPromptHost", "root@abc:/# sglang serve --model a", "--model a"},
    {"Brackets", "[root@node1 ~]# sglang serve --model a", "--model a"},
    {"ZshPrompt", "➜  sglang git:(main) ✗ python -m sglang.launch_server --model a", "--model a"},
    {"ZshPromptShort", "➜ python -m sglang.launch_server --model a", "--model a"},
    {"MacPrompt", "me@mac work % sglang serve --model a", "--model a"},
    {"StarPrompt", "❯ sglang serve --model a", "--model a"},
    {"CondaPrompt", "(base) $ sglang serve --model a", "--model a"},
    {"CondaOnly", "(venv) python -m sglang.launch_server --model a", "--model a"},
    {"BashVersion", "bash-5.1# sglang serve --model a", "--model a"},
    {"Notebook", "!python -m sglang.launch_server --model a", "--model a"},
    {"Heredoc",
     "cat > run.sh <<'EOF'\n#!/bin/bash\nexport A=1\nsglang serve --model a\nEOF\nchmod +x run.sh",
     "--model a", "A=1"},
    {"DockerHeredoc", "docker exec -i x bash <<EOF\nsglang serve --model a\nEOF", "--model a"},
    {"Router", "python -m sglang_router.launch_router --worker-urls http://a", "-"},
    {"OtherModules", "python -m sglang.bench_serving --backend sglang", "-"},
    {"Grep", "ps aux | grep sglang.launch_server; pkill -f 'python -m sglang.launch_server'", "-"},
    {"Echo", "echo \"run sglang serve --model a\"", "-"},
    {"Pip", "pip install \"sglang[all]\"", "-"},
    {"Prose",
     "I'm stuck and it's late. Here's what I run:\n\npython -m sglang.launch_server --model a --tp "
     "2\n\nIt doesn't start.",
     "--model a --tp 2"},
    {"Placeholder", "sglang serve --model-path <model> --tp <num gpus> --host <ip> ...",
     "--model-path <model> --tp <num gpus> --host <ip> ..."},
    {"Jinja", "sglang serve --model-path {{ model }} --tp {{tp}}",
     "--model-path {{ model }} --tp {{tp}}"},
    {"EnDash", "sglang serve –model-path a", "–model-path a"},
    {"NoBreakSpace", "sglang serve --model-path\u00A0a", "--model-path\u00A0a"},
    {"FlagsLines", "--model-path a\n--tp 2\n--trust-remote-code\n",
     "--model-path a --tp 2 --trust-remote-code"},
    {"FlagsContinued", "  --model-path a \\\n  --tp 2 \\\n", "--model-path a --tp 2"},
    {"Fences",
     "First:\n```\nsglang serve --model a\n```\nthen\n~~~sh\n$ sglang serve --model b\n~~~\n",
     "--model a / --model b"},
    {"FenceYaml", "```yaml\nmodel-path: a\ntp-size: 2\n```", "--model-path a --tp-size 2"},
    {"FenceIndented", "1. x\n   ```bash\n   sglang serve --model a \\\n     --tp 2\n   ```",
     "--model a --tp 2"},
    {"Inline", "Use `sglang serve --model a` or ``python -m sglang.launch_server --model b``.",
     "--model a / --model b"},
    {"ByteOrderMark", "\xEF\xBB\xBFsglang serve --model a", "--model a"},
    {"BraceRange", "sglang serve --model a --cuda-graph-bs {1..4} {8,16}",
     "--model a --cuda-graph-bs 1 2 3 4 8 16"},
    {"BraceStep", "sglang serve --model a --cuda-graph-bs 1 {32..0..16}",
     "--model a --cuda-graph-bs 1 32 16 0"},
    {"BraceNested", "sglang serve --model a --lora-paths x{b,c{d,e}}f",
     "--model a --lora-paths xbf xcdf xcef"},
    {"BraceQuoted", "sglang serve --model a --x '{1..4}' \"{a,b}\" {a} {}",
     "--model a --x {1..4} {a,b} {a} {}"},
    {"BraceHuge", "sglang serve --model a --x {1..999999}", "--model a --x {1..999999}"},
    {"BetweenProse",
     "[2026-11-29 12:00:00] x=y (z)\nUse 'quotes' here. Count: 3; more & less\nexport A=1\n$ "
     "sglang serve --model a\nDone, see <https://x.y>.\n",
     "--model a", "A=1"},
    {"AfterAnUnclosedApostrophe", "That's it, don't panic:\nsglang serve --model a\n", "--model a"},
    {"QuoteOverLines", "echo 'x\nsglang serve --model b\n'\nsglang serve --model a\n", "--model a"},
    {"HeredocOfOther", "cat <<E > f\nsglang serve --model b\nE\nM=a\nsglang serve --model $M\n",
     "--model b / --model a"},
};
INSTANTIATE_TEST_SUITE_P(Shell, Forms, testing::ValuesIn(kShell),
                         [](const auto& info) { return std::string(info.param.name); });

const Row kContainers[] = {
    {"Run",
     "docker run -d --gpus=all -p30000:30000 -e A=1 -eB=2 --env=C=3 img:1 sglang serve --model a",
     "--model a", "A=1 B=2 C=3"},
    {"RunEntrypoint",
     "docker run --entrypoint python3 lmsysorg/sglang:latest -m sglang.launch_server --model a",
     "--model a"},
    {"RunEntrypointBash", "docker run --entrypoint /bin/bash img -c 'sglang serve --model a'",
     "--model a"},
    {"RunFlags", "docker run --gpus all lmsysorg/sglang:v0.5.18 --model-path a --tp 2",
     "--model-path a --tp 2"},
    {"RunHandsOn", "export A=1\ndocker run -e A -e B img sglang serve --model a", "--model a",
     "A=1"},
    {"Podman",
     "sudo podman run --device nvidia.com/gpu=all --rm img bash -lc \"A=1 sglang serve --model a\"",
     "--model a", "A=1"},
    {"Exec", "docker exec -e A=1 -it c bash -c \"sglang serve --model a\"", "--model a", "A=1"},
    {"ComposeExec", "docker compose exec app python -m sglang.launch_server --model a",
     "--model a"},
    {"Kubectl", "kubectl exec -it pod -n ns -- sglang serve --model a", "--model a"},
    {"Pull",
     "docker pull lmsysorg/sglang:latest\ndocker run --gpus all lmsysorg/sglang:latest nvidia-smi",
     "-"},
    {"ComposeString",
     "services:\n  a:\n    image: x\n    command: python3 -m sglang.launch_server --model a --tp "
     "2\n",
     "--model a --tp 2"},
    {"ComposeFolded",
     "services:\n  a:\n    command: >-\n      sglang serve --model a\n      --api-key 'b c'\n",
     "--model a --api-key b c"},
    {"ComposeLiteral",
     "services:\n  a:\n    command: |\n      sglang serve \\\n        --model a \\\n        --tp "
     "2\n",
     "--model a --tp 2"},
    {"ComposeEntry",
     "services:\n  a:\n    entrypoint: python3 -m sglang.launch_server\n    command: --model a "
     "--tp 2\n",
     "--model a --tp 2"},
    {"ComposeEntryList",
     "services:\n  a:\n    entrypoint: [\"python3\", \"-m\", \"sglang.launch_server\"]\n    "
     "command: [\"--model\", \"a\"]\n    environment:\n      - A=1\n      - B=x y\n",
     "--model a", "A=1 B=x y"},
    {"ComposeBash",
     "services:\n  a:\n    command: [bash, -c, \"export A=1 && sglang serve --model $$M\"]\n    "
     "environment: {M: q}\n",
     "--model q", "M=q A=1"},
    {"ComposeBashString",
     "services:\n  a:\n    command: bash -c \"sleep 1 && sglang serve --model a\"\n", "--model a"},
    {"ComposeEntryBash",
     "services:\n  a:\n    entrypoint: [\"/bin/sh\", \"-c\"]\n    command:\n      - |\n        "
     "sglang serve \\\n          --model a\n",
     "--model a"},
    {"ComposeDefault",
     "services:\n  a:\n    command: sglang serve --model ${M:-a} --tp ${T-2} --port $P\n",
     "--model a --tp 2 --port $P"},
    {"ComposeNumbers",
     "services:\n  a:\n    command:\n      - sglang\n      - serve\n      - --tp\n      - 8\n      "
     "- --mem-fraction-static=0.80\n",
     "--tp 8 --mem-fraction-static=0.80"},
    {"ComposeTwo",
     "version: '3'\nservices:\n  p:\n    command: sglang serve --model a --disaggregation-mode "
     "prefill\n  d:\n    command: sglang serve --model a --disaggregation-mode decode\n",
     "--model a --disaggregation-mode prefill / --model a --disaggregation-mode decode"},
    {"ComposeAnchor",
     "x-base: &base\n  image: i\n  environment:\n    A: \"1\"\nservices:\n  s:\n    <<: *base\n    "
     "command: sglang serve --model a\n",
     "--model a", "A=1"},
    {"ComposeFragment",
     "  sglang:\n    image: lmsysorg/sglang:latest\n    command: >\n      python3 -m "
     "sglang.launch_server\n      --model-path a\n",
     "--model-path a"},
    {"KubePod",
     "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: s\n    command: [\"python3\", "
     "\"-m\", \"sglang.launch_server\"]\n    args: [\"--model\", \"$(M)\", \"--tp\", \"2\"]\n    "
     "env:\n    - name: M\n      value: a\n    - name: HF_TOKEN\n      valueFrom: {secretKeyRef: "
     "{name: x, key: y}}\n",
     "--model a --tp 2", "M=a"},
    {"KubeShell",
     "kind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n        - name: s\n      "
     "    command: [\"/bin/bash\", \"-c\"]\n          args:\n            - |\n              export "
     "A=1\n              exec python3 -m sglang.launch_server \\\n                --model a \\\n   "
     "             --tp 2\n",
     "--model a --tp 2", "A=1"},
    {"KubeCommandOnly",
     "spec:\n  containers:\n  - command:\n    - sh\n    - -c\n    - sglang serve --model a --host "
     "$(POD_IP)\n",
     "--model a --host $(POD_IP)"},
    {"KubeTwo",
     "kind: Pod\nspec:\n  containers:\n  - {name: a, command: [sglang, serve, --model, "
     "a]}\n---\nkind: Pod\nspec:\n  containers:\n  - {name: b, args: [--model-path, b], image: "
     "lmsysorg/sglang}\n",
     "--model a / --model-path b"},
    {"KubeJson",
     "{\"kind\": \"Pod\", \"spec\": {\"containers\": [{\"command\": [\"sglang\", \"serve\"], "
     "\"args\": [\"--model\", \"a\"]}]}}",
     "--model a"},
    {"KubeWorkerSet",
     "kind: LeaderWorkerSet\nspec:\n  leaderWorkerTemplate:\n    leaderTemplate:\n      spec:\n    "
     "    containers:\n        - command: [python3, -m, sglang.launch_server, --model, a, "
     "--node-rank, \"0\"]\n    workerTemplate:\n      spec:\n        containers:\n        - "
     "command: [python3, -m, sglang.launch_server, --model, a, --node-rank, $(LWS_WORKER_INDEX)]\n",
     "--model a --node-rank 0 / --model a --node-rank $(LWS_WORKER_INDEX)"},
    {"Script",
     "jobs:\n  t:\n    steps:\n      - run: |\n          pip install sglang\n          sglang "
     "serve --model a &\n",
     "--model a"},
    {"Dockerfile",
     "FROM lmsysorg/sglang:v0.5.17-cu129 AS x\nENV A=1 B=\"2 3\"\nENV C 4 5\nENTRYPOINT "
     "[\"python3\", \"-m\", \"sglang.launch_server\"]\nCMD [\"--model\", \"a\"]\n",
     "--model a", "A=1 B=2 3 C=4 5"},
    {"DockerfileShell",
     "FROM x\nENV M=a\nCMD python3 -m sglang.launch_server \\\n  # note\n  --model $M \\\n  --tp "
     "2\n",
     "--model a --tp 2", "M=a"},
    {"DockerfileSh", "FROM x\nCMD [\"sh\", \"-c\", \"sglang serve --model a\"]\n", "--model a"},
    {"DockerfileLines",
     "FROM x\nENTRYPOINT [ \\\n  \"sglang\", \"serve\", \\\n  \"--model\", \"a\" \\\n]\n",
     "--model a"},
    {"Systemd",
     "[Service]\nEnvironment=\"A=1\" B=2\nEnvironment=M=a\nExecStart=/usr/bin/python3 -m "
     "sglang.launch_server \\\n  --model ${M} \\\n  --tp 2\n",
     "--model a --tp 2", "A=1 B=2 M=a"},
    {"SystemdComments",
     "[Service]\nEnvironment=A=1 \\\n# B=2\n  C=3\nExecStart=sglang serve --model a \\\n"
     "# not now: --tp 4\n; nor \\\n--tp 3 \\\n  # 'x\n--port 7\nRestart=always\n",
     "--model a --tp 3 --port 7", "A=1 C=3"},
    {"SystemdBash", "[Service]\nExecStart=/bin/bash -c 'sglang serve --model a'\n", "--model a"},
    {"HelmValues",
     "image:\n  repository: lmsysorg/sglang\n  tag: v0.5.17\nargs:\n  - --model-path\n  - a\n",
     "--model-path a"},
    {"HelmNested",
     "worker:\n  replicas: 1\n  extraArgs:\n  - --model-path\n  - a\n  - --tp\n  - \"2\"\n",
     "--model-path a --tp 2"},
    {"ComposeBrokenBelow",
     "services:\n  a:\n    environment: {A: \"1\"}\n    command: sglang serve --model a\n  b:\n    "
     "ports: [\"1:1\n",
     "--model a", "A=1"},
};
INSTANTIATE_TEST_SUITE_P(Containers, Forms, testing::ValuesIn(kContainers),
                         [](const auto& info) { return std::string(info.param.name); });

const Row kOther[] = {
    {"ExpressionInAnFString",
     "import os\ncmd = f'sglang serve --model {a.m} --tp {a.n * b[\"k\"]}'",
     "--model {a.m} --tp {a.n_*_b[_k_]}"},
    {"AdaptersByName",
     "import sglang\nsglang.Engine(model_path='a', lora_paths={'x': 'y/z', 'v': p})",
     "--model-path a --lora-paths x=y/z v=p"},
    {"ListOfAnotherProgram", "import sglang\nx = ['--model-variant', 'a']", "-"},
    {"Notebook",
     "{\"cells\":[{\"source\":[\"!sglang serve \\\\\\n\",\n\"  --model a \\\\\\n\",\"  --tp "
     "2\\n\"],"
     "\"outputs\":[]},{\"source\":[\"import sglang\\n\",\"e = sglang.Engine(model_path=\\\"b\\\", "
     "tp_size=4)\"]}],\"nbformat\":4}",
     "--model a --tp 2 / --model-path b --tp-size 4"},
    {"NotebookOfStrings",
     "{\"cells\":[{\"source\":\"!sglang serve --model a\",\"id\":\"x\"}],\"nbformat\":4}",
     "--model a"},
    {"FormatLater", "import os\nos.system('sglang serve --model {} --tp {}'.format(m, 2))",
     "--model {} --tp {}"},
    {"ListThatGrows",
     "import os\nc = ['python', '-m', 'sglang.launch_server', '--tp', '2']\nc += more",
     "--tp 2 ..."},
    {"Supervisord",
     "[program:a]\ncommand=python -m sglang.launch_server --model a --tp 2\nautostart=true\n",
     "--model a --tp 2"},
    {"BodyOfARequest", "model: a\nextra:\n  chat_template_kwargs:\n    enable_thinking: false\n",
     "-"},
    {"MapOfAnotherProgram", "steps:\n  with:\n    version: v1\n    disable_annotations: true\n",
     "-"},
    {"MapOfARecipeWithNodes", "sglang_config:\n  decode:\n    model-path: a\n    tp-size: 16\n",
     "--model-path a --tp-size 16 --nnodes <nodes>"},
    {"MapOfARecipe",
     "model:\n  path: r1\nbackend:\n  sglang_config:\n    prefill:\n"
     "      tp-size: 8\n      disaggregation-mode: prefill\n",
     "--tp-size 8 --disaggregation-mode prefill --model-path <model>"},
    {"Config",
     "model-path: a\ntp-size: 2\ntrust-remote-code: true\nenable-metrics: false\ncuda-graph-bs: "
     "[1, 2]\nlora-paths:\n  - x=/a\n  - y=/b\n",
     "--model-path a --tp-size 2 --trust-remote-code --cuda-graph-bs 1 2 --lora-paths x=/a y=/b"},
    {"ConfigUnderscores", "model_path: a\ntp_size: 2\nmem_fraction_static: 0.80\n",
     "--model-path a --tp-size 2 --mem-fraction-static 0.8"},
    {"ConfigQuoted", "\"model-path\": 'a'\n\"port\": \"30000\"\n", "--model-path a --port 30000"},
    {"ConfigJson", "{\"model_path\": \"a\", \"tp_size\": 2, \"enable_metrics\": true}",
     "--model-path a --tp-size 2 --enable-metrics"},
    {"ConfigMap", "model-path: a\njson-model-override-args:\n  x: 1\n  y: [a]\n",
     "--model-path a --json-model-override-args {\"x\": 1, \"y\": [\"a\"]}"},
    {"ConfigOctal", "model-path: a\nport: 010\nrandom-seed: 1_000\n",
     "--model-path a --port 8 --random-seed 1000"},
    {"Recipe",
     "name: x\nbackend:\n  prefill_environment:\n    A: \"1\"\n  sglang_config:\n    prefill:\n    "
     "  model-path: a\n      disaggregation-mode: prefill\n    decode:\n      model-path: a\n      "
     "disaggregation-mode: decode\n",
     "--model-path a --disaggregation-mode prefill / --model-path a --disaggregation-mode decode",
     "A=1"},
    {"RecipeNested", "engine:\n  server_args:\n    model_path: a\n    tp_size: 4\n",
     "--model-path a --tp-size 4"},
    {"YamlList", "- python3\n- -m\n- sglang.launch_server\n- --model\n- a\n", "--model a"},
    {"YamlFlags", "- --model-path\n- a\n- --tp\n- \"2\"\n", "--model-path a --tp 2"},
    {"Json",
     "[\"python3\", \"-m\", \"sglang.launch_server\", \"--model\", \"a\", \"--json\", "
     "\"{\\\"x\\\": 1}\"]",
     "--model a --json {\"x\": 1}"},
    {"JsonFlags", "[\"--model-path\", \"a\", \"--tp\", 2]", "--model-path a --tp 2"},
    {"JsonLines", "[\n  \"sglang\",\n  \"serve\",\n  \"a\"\n]", "--model-path a"},
    {"JsonObject", "{\"args\": [\"--model-path\", \"a\"]}", "--model-path a"},
    {"PythonList", "['python', '-m', 'sglang.launch_server', '--model', 'a', '--tp', str(2),]",
     "--model a --tp 2"},
    {"PythonNames",
     "cmd = [\"python3\", \"-m\", \"sglang.launch_server\", \"--model-path\", model, \"--port\", "
     "str(port)]\nsubprocess.Popen(cmd)",
     "--model-path model --port str(port)"},
    {"PythonRun",
     "import subprocess\nsubprocess.run([\n    \"sglang\", \"serve\",  # x\n    \"--model\", "
     "\"a\",\n], check=True)",
     "--model a"},
    {"PythonSystem",
     "import os\nos.environ[\"A\"] = \"1\"\nos.system(\"python -m sglang.launch_server --model "
     "a\")",
     "--model a", "A=1"},
    {"PythonFormat",
     "server, port = launch_server_cmd(f\"python -m sglang.launch_server --model {m} --tp 2\")",
     "--model {m} --tp 2"},
    {"PythonTriple",
     "launch_server_cmd('''\npython3 -m sglang.launch_server \\\n  --model a \\\n  --tp 2\n''')",
     "--model a --tp 2"},
    {"PythonConcatenated",
     "cmd = (\"python -m sglang.launch_server \"\n       \"--model a \"\n       \"--tp 2\")",
     "--model a --tp 2"},
    {"PythonSplit", "args = \"sglang serve --model a\".split()", "--model a"},
    {"PowerShell", "PS C:\\x> $env:A=\"1\"; python -m sglang.launch_server --model a", "--model a",
     "A=1"},
    {"PowerShellVariable",
     "$m = 'a'\n$env:B = 'x'\nsglang serve `\n  --model $m `\n  --json '{\"a\": 1}'",
     "--model a --json {\"a\": 1}", "B=x"},
    {"PowerShellSplat",
     "$a = @(\n  '--model', 'a',\n  '--tp', '2'\n)\n$env:X = '1'\nsglang serve @a",
     "--model a --tp 2", "X=1"},
    {"PowerShellDocker",
     "docker run --gpus all `\n  -e A=1 `\n  lmsysorg/sglang:latest `\n  sglang serve --model a",
     "--model a", "A=1"},
    {"PowerShellEmptyArray", "$env:A = 1\n$x = @()\n$x\nsglang serve --model a", "--model a",
     "A=1"},
    {"Cmd",
     "C:\\x> set \"A=1 2\"\nC:\\x> python -m sglang.launch_server ^\n  --model a ^\n  --json "
     "\"{\\\"a\\\": 1}\"",
     "--model a --json {\"a\": 1}", "A=1 2"},
    {"CmdVariable", "@echo off\nset M=a\nsglang serve --model %M% --tp %TP%", "--model a --tp %TP%",
     "M=a"},
    {"CmdChained", "set A=1&& sglang serve ^\n --model a", "--model a", "A=1"},
    {"PythonEngine",
     "import sglang as sgl\nllm = sgl.Engine(model_path=\"a\", tp_size=2, trust_remote_code=True, "
     "enable_metrics=False, cuda_graph_bs=[1, 2])\n",
     "--model-path a --tp-size 2 --trust-remote-code --cuda-graph-bs 1 2"},
    {"PythonServerArgs",
     "os.environ[\"A\"] = \"1\"\nserver_args = ServerArgs(\n    model_path='a',  # remark\n    "
     "revision=None,\n    mem_fraction_static=0.8,\n    port=port,\n)\n",
     "--model-path a --mem-fraction-static 0.8 --port port", "A=1"},
    {"PythonEngineOff",
     "sgl.Engine(model_path='a', disable_radix_cache=False, mem_fraction_static=None, "
     "dllm_fdfo=False, lora_strict_loading=True, cuda_graph_bs=[], fp8_gemm_runner_backend='x', "
     "ep_join_mode='scale')",
     "--model-path a --no-dllm-fdfo --lora-strict-loading --fp8-gemm-backend x "
     "--elastic-ep-join-mode scale"},
    {"PythonEngineDict",
     "engine = Engine(model_path=\"a\", model_loader_extra_config={\"x\": True}, **more)",
     "--model-path a --model-loader-extra-config {\"x\": true}"},
    {"PythonOtherCall", "engine = Engine(url=\"sqlite://\", echo=True)", "-"},
};
INSTANTIATE_TEST_SUITE_P(Other, Forms, testing::ValuesIn(kOther),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Read, ImageTagTellsTheRelease) {
  const ReadResult r = read(
      "docker run --gpus '\"device=0,1\"' lmsysorg/sglang:v0.5.17-cu129 sglang serve --model a");
  ASSERT_EQ(r.launches.size(), 1u);
  EXPECT_EQ(r.launches[0].release, Release::v0_5_17);
  EXPECT_EQ(r.launches[0].gpu_count, 2);
}

TEST(Read, ResourceLimitsTellTheGpus) {
  const ReadResult r = read(
      "spec:\n  containers:\n  - name: w\n    image: lmsysorg/sglang:v0.5.18\n    command: "
      "[sglang, serve, a]\n"
      "    resources:\n      limits:\n        nvidia.com/gpu: \"4\"\n");
  ASSERT_EQ(r.launches.size(), 1u);
  EXPECT_EQ(r.launches[0].gpu_count, 4);
  EXPECT_EQ(r.launches[0].name, "w");
  EXPECT_EQ(r.launches[0].release, Release::v0_5_18);
}

TEST(Read, UnknownAndSecretTokensAreMarked) {
  const ReadResult r =
      read("HF_TOKEN=x sglang serve --model <m> --api-key k --admin-api-key=j --tp $T --port 1");
  ASSERT_EQ(r.launches.size(), 1u);
  const std::vector<Token>& t = r.launches[0].argv;
  ASSERT_EQ(t.size(), 9u);
  EXPECT_TRUE(t[1].unknown);
  EXPECT_TRUE(t[3].secret);
  EXPECT_TRUE(t[4].secret);
  EXPECT_TRUE(t[6].unknown);
  EXPECT_FALSE(t[8].unknown);
  EXPECT_FALSE(t[8].secret);
  ASSERT_EQ(r.launches[0].env.size(), 1u);
  EXPECT_TRUE(r.launches[0].env[0].secret);
}

TEST(Read, UnknownValueOfAVariableStaysOneWord) {
  const std::pair<const char*, const char*> cases[] = {
      {"IP=$(hostname -i | awk '{print $1}')\nsglang serve --model a --dist-init-addr $IP:5000",
       "$(hostname -i | awk '{print $1}'):5000"},
      {"export M=$(scontrol show hostnames $L | head -n 1)\nsglang serve --model a --host $M",
       "$(scontrol show hostnames $L | head -n 1)"},
      {"M=`cat model.txt`\nsglang serve --port 1 --model $M", "`cat model.txt`"},
      {"M=$(a b)\nN=x/$M\nN+=.$(c d)\nsglang serve --port 1 --model $N", "x/$(a b).$(c d)"},
      {"M=$(a b)\nC=\"--port 1 --model $M\"\nsglang serve $C", "$(a b)"},
      {"export M=$(a b)\nbash -c 'sglang serve --port 1 --model $M'", "$(a b)"},
      {"M=$(a b) bash -c 'sglang serve --port 1 --model $M'", "$(a b)"},
  };
  for (const auto& [text, last] : cases) {
    const ReadResult r = read(text);
    ASSERT_EQ(r.launches.size(), 1u) << text;
    const std::vector<Token>& t = r.launches[0].argv;
    ASSERT_EQ(t.size(), 4u) << text;
    EXPECT_EQ(t[3].text, last) << text;
    EXPECT_TRUE(t[3].unknown) << text;
  }
}

TEST(Read, SpansCutTheSourceInEveryLayer) {
  const std::string text =
      "services:\n  a:\n    command: [bash, -c, \"sglang serve --model 'b c' --json '{\\\"x\\\": "
      "1}'\"]\n";
  const ReadResult r = read(text);
  ASSERT_EQ(r.launches.size(), 1u);
  const std::vector<Token>& t = r.launches[0].argv;
  ASSERT_EQ(t.size(), 4u);
  const auto cut = [&](const Token& k) {
    return text.substr(k.span.begin, k.span.end - k.span.begin);
  };
  EXPECT_EQ(cut(t[0]), "--model");
  EXPECT_EQ(cut(t[1]), "'b c'");
  EXPECT_EQ(cut(t[3]), "'{\\\"x\\\": 1}'");
  EXPECT_EQ(t[3].text, "{\"x\": 1}");
}

}  // namespace
}  // namespace sglint
