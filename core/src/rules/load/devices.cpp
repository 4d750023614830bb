// GPUs and nodes against the layout: entrypoints/engine.py and managers/data_parallel_controller.py
// start one process for each rank of this node; model_executor/model_runner.py gives it its GPU.

#include <algorithm>

#include "base/text.h"
#include "rules/load/layout.h"

namespace sglint {
namespace {

#define SGLINT_QWEN "--model-path Qwen/Qwen3-8B"
constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};
constexpr std::string_view kRanges = "entrypoints/engine.py: _calculate_rank_ranges";

constexpr Rule kTooFewGpus{
    .id = "devices/too-few-gpus",
    .stage = Stage::load,
    .exception = "AcceleratorError",
    .message =
        "{} error: invalid device ordinal\nGPU device may be out of range, do you have "
        "enough GPUs?",
    .why =
        "ServerArgs does not count GPUs. Each rank starts a process of its own, and the first rank "
        "past the last GPU of this machine (or of those that CUDA_VISIBLE_DEVICES shows) stops all "
        "of them. The ranks of one machine are --tp-size times --pp-size over --nnodes, and each "
        "copy of --dp-size needs as many again unless --enable-dp-attention shares them.",
    .source = "model_executor/model_runner.py: ModelRunner.__init__ (set_device)",
    .bad = {SGLINT_QWEN " --tp-size 16"},
    .good = {SGLINT_QWEN " --tp-size 8"},
    .releases = kSince0516,
};

constexpr Rule kNoRanks{
    .id = "parallelism/size-below-one",
    .stage = Stage::load,
    .exception = "IndexError",
    .message = "list index out of range",
    .why =
        "ServerArgs takes a --tp-size of 0 or less. SGLang then starts no scheduler at all and "
        "fails where it asks the first one for its model's facts.",
    .source = "entrypoints/http_server.py: launch_server (scheduler_infos[0])",
    .bad = {SGLINT_QWEN " --tp-size 0"},
    .good = {SGLINT_QWEN " --tp-size 1"},
    .releases = kSince0516,
};

constexpr Rule kZeroSize{
    .id = "parallelism/size-zero",
    .stage = Stage::load,
    .exception = "ZeroDivisionError",
    .message = "integer division or modulo by zero",
    .why =
        "A number of stages, of expert groups or of context-parallel ranks of 0 means nothing, but "
        "ServerArgs takes it. SGLang divides by it where it gives the ranks their parts.",
    .source = "entrypoints/engine.py: _calculate_rank_ranges, _compute_parallelism_ranks",
    .bad = {SGLINT_QWEN " --pp-size 0"},
    .good = {SGLINT_QWEN " --pp-size 1"},
    .releases = kSince0516,
};

constexpr Rule kNegativeSize{
    .id = "parallelism/size-negative",
    .stage = Stage::load,
    .message = "--{} {} is negative.",
    .why = "ServerArgs takes it; the ranks that it comes to do not exist.",
    .source = kRanges,
    .bad = {SGLINT_QWEN " --pp-size -1"},
    .good = {SGLINT_QWEN " --pp-size 1"},
    .releases = kSince0516,
};

constexpr Rule kExpertGroups{
    .id = "parallelism/experts-do-not-divide-tp",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "assert self.cpu_group is not None",
    .why =
        "Expert groups share out the TP ranks: --tp-size must be a multiple of --ep-size times "
        "--moe-dp-size. Otherwise some ranks belong to no group and stop. The assertion has no "
        "text; this is the line that the traceback shows.",
    .source = "distributed/parallel_state.py: GroupCoordinator.__init__",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --ep-size 3"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --ep-size 4"},
    .releases = kSince0516,
};

constexpr Rule kMoreExpertGroups{
    .id = "parallelism/more-expert-groups-than-ranks",
    .stage = Stage::load,
    .exception = "ZeroDivisionError",
    .message = "integer division or modulo by zero",
    .why = "--ep-size shares out the ranks of --tp-size; it adds no GPUs. Say --tp-size with it.",
    .source = "entrypoints/engine.py: _compute_parallelism_ranks",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --ep-size 8"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --ep-size 8"},
    .releases = kSince0516,
};

constexpr Rule kNodeRank{
    .id = "parallelism/node-rank-out-of-range",
    .stage = Stage::load,
    .message = "--node-rank {} does not exist: --nnodes {} has the ranks 0 to {}.",
    .why =
        "ServerArgs does not look. The node takes ranks that do not exist or that another node "
        "has, and the others wait for it until the rendezvous times out.",
    .source = kRanges,
    .bad = {SGLINT_QWEN " --tp-size 16 --nnodes 2 --node-rank 2 --dist-init-addr 10.0.0.1:5000"},
    .good = {SGLINT_QWEN " --tp-size 16 --nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000"},
    .releases = kSince0516,
};

constexpr Rule kNoRendezvous{
    .id = "parallelism/nodes-need-an-address",
    .stage = Stage::load,
    .message =
        "--nnodes {} without --dist-init-addr: each node waits for the others at its own "
        "127.0.0.1.",
    .why =
        "Without --dist-init-addr the ranks meet at a free port of the local machine. Over several "
        "nodes they never do, and the launch hangs until torch.distributed times out.",
    .source = "distributed/bootstrap.py: _resolve_dist_init_method",
    .bad = {SGLINT_QWEN " --tp-size 16 --nnodes 2 --node-rank 0"},
    .good = {SGLINT_QWEN " --tp-size 16 --nnodes 2 --node-rank 0 --dist-init-addr 10.0.0.1:5000"},
    .releases = kSince0516,
};

constexpr Rule kStages{
    .id = "parallelism/nodes-and-stages-do-not-divide",
    .stage = Stage::load,
    .message = "{} pipeline stages over {} nodes: some ranks are started twice or not at all.",
    .why =
        "Either each node holds whole stages or each stage holds whole nodes: of --pp-size and "
        "--nnodes one must be a multiple of the other. SGLang rounds down without a word, and the "
        "launch hangs.",
    .source = kRanges,
    .bad = {SGLINT_QWEN " --tp-size 4 --pp-size 3 --nnodes 2 --node-rank 0 --dist-init-addr "
                        "10.0.0.1:5000"},
    .good = {SGLINT_QWEN " --tp-size 4 --pp-size 4 --nnodes 2 --node-rank 0 --dist-init-addr "
                         "10.0.0.1:5000"},
    .releases = kSince0516,
};

constexpr Rule kNoCopies{
    .id = "parallelism/dp-size-below-one",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message = "--dp-size {} is taken for one copy of the model.",
    .why = "Only a --dp-size over 1 starts the data parallel controller.",
    .source = "entrypoints/engine.py: Engine._launch_scheduler_processes",
    .bad = {SGLINT_QWEN " --dp-size 0"},
    .good = {SGLINT_QWEN " --dp-size 1"},
    .releases = kSince0516,
};
#undef SGLINT_QWEN

// torch.cuda.device_count(): entries behind the first that names no GPU do not count.
int64_t visible_gpus(const Resolution& r, std::string_view variable) {
  const int64_t all = r.machine().num_gpus;
  const auto list = r.env().raw(variable);
  if (!list) return all;
  int64_t count = 0;
  for (size_t begin = 0; begin <= list->size();) {
    const size_t end = std::min(list->find(',', begin), list->size());
    const std::string_view entry = list->substr(begin, end - begin);
    begin = end + 1;
    if (entry.empty() || entry[0] == '-') break;
    const bool number = entry.find_first_not_of("0123456789 ") == std::string_view::npos;
    if (number && (entry.size() > 4 || atoi(std::string(entry).c_str()) >= all)) break;
    ++count;
  }
  return std::min(count, all);
}

std::string text(int64_t n) { return str(Value(n)); }

void gpus(Resolution& r, const Layout& l, int64_t nodes) {
  const Machine& m = r.machine();
  if (!is_cuda(m) && !is_hip(m)) return;
  const int64_t tp_here = l.tp / std::max<int64_t>(nodes / l.pp, 1);
  const int64_t stages = std::max<int64_t>(l.pp / nodes, 1);
  const int64_t copies = l.dp_attention ? 1 : std::max<int64_t>(l.dp, 1);
  const int64_t step = r.get(f::gpu_id_step), base = r.get(f::base_gpu_id);
  const int64_t needed =
      base + (stages - 1) * tp_here + (tp_here - 1) * step + (copies - 1) * l.tp * l.pp * step + 1;
  const char* variable = is_hip(m) ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
  const int64_t have = visible_gpus(r, variable);
  if (needed <= have) return;

  std::vector<Fix> fixes;
  if (needed <= m.num_gpus)
    fixes.push_back({{unset_env(variable)}, "uses GPUs that the variable kept away"});
  Fix plain{{}, "uses the first GPUs of the machine"};
  if (base > 0) plain.edits.push_back(unset(f::base_gpu_id));
  if (step > 1) plain.edits.push_back(unset(f::gpu_id_step));
  if (!plain.edits.empty() && tp_here * stages * copies <= have) fixes.push_back(plain);
  if (copies > 1 && have >= l.tp * l.pp)
    fixes.push_back({{set(f::dp_size, text(have / (l.tp * l.pp)))}, "fewer copies of the model"});
  const int64_t most = have / (std::max<int64_t>(stages, 1) * (copies > 1 ? copies : 1));
  if (most >= 1 && l.tp > most && nodes == 1) {
    const int64_t tp = fitting_tp(r, most);
    Fix fewer{{set(f::tp_size, text(tp))}, "fewer GPUs: the model must fit in their memory"};
    if (l.ep > 1 && tp % l.ep != 0) fewer.edits.push_back(set(f::ep_size, text(tp)));
    fixes.push_back(std::move(fewer));
  }
  if (copies == 1 && nodes == 1 && have > 0 && (l.tp * l.pp) % have == 0)
    fixes.push_back({{set(f::nnodes, text(l.tp * l.pp / have)),
                      set(f::dist_init_addr, "FIRST_NODE:5000"), set(f::node_rank, "0")},
                     "needs as many machines: start it on each with its --node-rank and the first "
                     "one's address"});
  r.note(kTooFewGpus, {is_hip(m) ? "HIP" : "CUDA"}, std::move(fixes),
         {f::tp_size.id, f::pp_size.id, f::dp_size.id});
}

}  // namespace

int64_t Layout::attn_tp() const {
  const int64_t parts = (dp_attention ? dp : 1) * cp;
  return parts > 0 && tp % parts == 0 ? tp / parts : 0;
}

int64_t Layout::moe_tp() const {
  const int64_t parts = ep * moe_dp;
  return parts > 0 && tp % parts == 0 ? tp / parts : 0;
}

Layout layout_of(const Resolution& r) {
  return {r.get(f::tp_size),
          r.get(f::pp_size),
          r.get(f::dp_size),
          r.get(f::ep_size),
          r.get(f::moe_dp_size),
          r.get(f::attn_cp_size),
          r.get(f::enable_dp_attention)};
}

void devices(Resolution& r) {
  if (!r.since(Release::v0_5_16) || r.get(f::ep_join_mode) == "scale") return;
  const Layout l = layout_of(r);
  const int64_t nodes = r.get(f::nnodes), rank = r.get(f::node_rank);
  if (l.tp < 1) return r.note(kNoRanks, {}, {{{unset(f::tp_size)}, "one GPU"}}, {f::tp_size.id});
  bool sound = true;
  for (const auto& key : {f::pp_size, f::ep_size, f::moe_dp_size, f::attn_cp_size}) {
    const int64_t size = r.get(key);
    if (size > 0) continue;
    r.note(size == 0 ? kZeroSize : kNegativeSize, {hyphens(field_name(key.id)), size},
           {{{unset(key)}, ""}}, {key.id});
    sound = false;
  }
  if (l.dp < 1) r.note(kNoCopies, {l.dp}, {{{unset(f::dp_size)}, ""}}, {f::dp_size.id});
  if (!sound || nodes < 1) return;
  if (rank < 0 || rank >= nodes) {
    r.note(kNodeRank, {rank, nodes, nodes - 1}, {{{set(f::node_rank, "0")}, "the first node"}},
           {f::node_rank.id, f::nnodes.id});
  } else if (nodes > 1 && l.pp % nodes != 0 && nodes % l.pp != 0) {
    r.note(kStages, {l.pp, nodes}, {{{set(f::pp_size, text(nodes))}, "one stage a node"}},
           {f::pp_size.id, f::nnodes.id});
  }
  if (nodes > 1 && r.value(f::dist_init_addr).is_none() &&
      !r.env().is_set("SGLANG_DISTRIBUTED_INIT_METHOD_OVERRIDE"))
    r.note(
        kNoRendezvous, {nodes},
        {{{set(f::dist_init_addr, "FIRST_NODE:5000")}, "put the first node's address in its place"},
         {{unset(f::nnodes)}, "one machine"}},
        {f::nnodes.id});
  if (l.ep * l.moe_dp > l.tp) {
    r.note(kMoreExpertGroups, {},
           {{{set(f::tp_size, text(l.ep * l.moe_dp))}, "as many GPUs as expert groups"},
            {{unset(f::ep_size)}, "every GPU holds a part of every expert"}},
           {f::ep_size.id, f::tp_size.id});
  } else if (l.moe_tp() == 0) {
    r.note(kExpertGroups, {},
           {{{unset(f::ep_size)}, "every GPU holds a part of every expert"},
            {{set(f::ep_size, text(l.tp))}, "every GPU holds whole experts"}},
           {f::ep_size.id, f::tp_size.id});
  }
  gpus(r, l, nodes);
}

RuleList devices_rules() {
  return {&kTooFewGpus,       &kNoRanks,  &kZeroSize,     &kNegativeSize, &kExpertGroups,
          &kMoreExpertGroups, &kNodeRank, &kNoRendezvous, &kStages,       &kNoCopies};
}

}  // namespace sglint
