// What the examples menu offers: situations that people meet.
export interface Example {
  name: string;
  machine: string;
  text: string;
}

export const examples: Example[] = [
  {
    name: "ReplaySSM",
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
    machine: "h100",
    text: `sglang serve \\
  --model-path moonshotai/Kimi-Linear-48B-A3B-Instruct \\
  --trust-remote-code \\
  --linear-attn-prefill-backend flashkda \\
  --linear-attn-decode-backend flashkda
`,
  },
  {
    name: "1 GPU",
    machine: "h100x1",
    text: `sglang serve --model-path Qwen/Qwen3-8B --port 30000
`,
  },
  {
    name: "DP attention",
    machine: "h200",
    text: `python -m sglang.launch_server \\
  --model-path deepseek-ai/DeepSeek-V3 \\
  --trust-remote-code \\
  --tp-size 8 --dp-size 8 --enable-dp-attention
`,
  },
  {
    name: "EAGLE",
    machine: "h100",
    text: `sglang serve --model-path meta-llama/Llama-3.1-8B-Instruct \\
  --speculative-algorithm EAGLE3 \\
  --speculative-draft-model-path lmsys/EAGLE3-LLaMA3.1-Instruct-8B \\
  --speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4
`,
  },
];
