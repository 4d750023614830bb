// What the examples menu offers: situations that people meet.
export interface Example {
  name: string;
  /** What goes on in it, for the tooltip. */
  about: string;
  machine: string;
  text: string;
}

export const examples: Example[] = [
  {
    name: "ReplaySSM",
    about: "ReplaySSM with a decode backend that cannot read its ring: two rejections, one behind the other",
    machine: "h100",
    text: `python -m sglang.launch_server \\
  --model-path Qwen/Qwen3-Next-80B-A3B-Instruct \\
  --tp-size 4 \\
  --enable-linear-replayssm \\
  --linear-attn-decode-backend flashinfer
`,
  },
  {
    name: "FlashKDA",
    about: "FlashKDA is for prefill only, and here it is named for decode",
    machine: "h100",
    text: `sglang serve \\
  --model-path moonshotai/Kimi-Linear-48B-A3B-Instruct \\
  --trust-remote-code \\
  --linear-attn-prefill-backend flashkda \\
  --linear-attn-decode-backend flashkda
`,
  },
  {
    name: "Fails after loading",
    about: "The arguments pass, and the server dies once the weights are loaded",
    machine: "h100",
    text: `sglang serve \\
  --model-path moonshotai/Kimi-Linear-48B-A3B-Instruct \\
  --trust-remote-code --tp 8 \\
  --linear-attn-decode-backend flashinfer
`,
  },
  {
    name: "Typo",
    about: "A misspelt flag and one from another engine",
    machine: "h100",
    text: `sglang serve --model-path Qwen/Qwen3-32B-FP8 \\
  --tensor-paralel-size 4 \\
  --mem-fraction-statik 0.85
`,
  },
  {
    name: "Renamed flag",
    about: "Flags that an older release had",
    machine: "h200",
    text: `python -m sglang.launch_server \\
  --model-path deepseek-ai/DeepSeek-V3 --trust-remote-code \\
  --tp-size 8 --enable-ep-moe --cuda-graph-max-bs 64
`,
  },
  {
    name: "TP 8",
    about: "Tensor parallel over one host",
    machine: "h200",
    text: `python -m sglang.launch_server \\
  --model-path deepseek-ai/DeepSeek-V3 --trust-remote-code \\
  --tp-size 8 --mem-fraction-static 0.88
`,
  },
  {
    name: "DP attention",
    about: "Data-parallel attention whose sizes do not fit together",
    machine: "h200",
    text: `python -m sglang.launch_server \\
  --model-path deepseek-ai/DeepSeek-V3 --trust-remote-code \\
  --tp-size 8 --dp-size 3 --enable-dp-attention
`,
  },
  {
    name: "EAGLE",
    about: "Speculative decoding with a draft model",
    machine: "h100",
    text: `sglang serve --model-path meta-llama/Llama-3.1-8B-Instruct \\
  --speculative-algorithm EAGLE3 \\
  --speculative-draft-model-path lmsys/EAGLE3-LLaMA3.1-Instruct-8B \\
  --speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 6
`,
  },
  {
    name: "PD pair",
    about: "Prefill and decode servers that must agree",
    machine: "h100",
    text: `# prefill
python -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp-size 4 \\
  --disaggregation-mode prefill --port 30000

# decode
python -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp-size 4 \\
  --disaggregation-mode decode --port 30001 --kv-cache-dtype fp8_e4m3
`,
  },
  {
    name: "Compose",
    about: "A docker compose file; the image says which release",
    machine: "h100",
    text: `services:
  qwen:
    image: lmsysorg/sglang:v0.5.17
    command: >
      python3 -m sglang.launch_server
      --model-path Qwen/Qwen3-32B --tp 2
      --host 0.0.0.0 --port 30000
      --attention-backend trtllm_mha
    environment:
      HF_TOKEN: \${HF_TOKEN}
    deploy:
      resources:
        reservations:
          devices: [{driver: nvidia, count: 2, capabilities: [gpu]}]
`,
  },
  {
    name: "Kubernetes",
    about: "A Deployment with arguments as a list",
    machine: "h100",
    text: `apiVersion: apps/v1
kind: Deployment
metadata: {name: qwen3-next}
spec:
  selector: {matchLabels: {app: qwen3-next}}
  template:
    metadata: {labels: {app: qwen3-next}}
    spec:
      containers:
        - name: sglang
          image: lmsysorg/sglang:v0.5.18
          command: ["python3", "-m", "sglang.launch_server"]
          args:
            - --model-path=Qwen/Qwen3-Next-80B-A3B-Instruct
            - --tp-size=4
            - --enable-linear-replayssm
            - --mamba-radix-cache-strategy=extra_buffer
          resources: {limits: {nvidia.com/gpu: 4}}
`,
  },
  {
    name: "AMD",
    about: "A backend of another maker's GPUs",
    machine: "mi300x",
    text: `python -m sglang.launch_server \\
  --model-path Qwen/Qwen3-235B-A22B --tp-size 8 \\
  --attention-backend fa3
`,
  },
];
