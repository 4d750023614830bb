// What must never be printed again.
#include "read/reader.h"

namespace sglint {

bool is_secret_name(std::string_view env_name) {
  const std::string name = upper(env_name);
  for (std::string_view part : {"TOKEN", "API_KEY", "APIKEY", "SECRET", "PASSWORD", "PASSWD",
                                "ACCESS_KEY", "CREDENTIAL", "PRIVATE_KEY"}) {
    if (!contains(name, part)) continue;
    // Counts of tokens are no secrets.
    return !contains(name, "TOKENS") && !contains(name, "TOKENIZER") &&
           !contains(name, "PER_TOKEN");
  }
  return false;
}

bool is_secret_flag(std::string_view flag) {
  std::string name = lower(flag);
  for (char& c : name)
    if (c == '_') c = '-';
  return one_of(name, {"--api-key", "--admin-api-key", "--ssl-keyfile-password", "--hf-token",
                       "--token", "--password"}) ||
         ends_with(name, "-api-key") || ends_with(name, "-password");
}

void mark_secrets(std::vector<Token>& argv) {
  for (size_t i = 0; i < argv.size(); ++i) {
    const std::string_view word = argv[i].text;
    const size_t equals = word.find('=');
    if (is_secret_flag(word.substr(0, equals))) {
      if (equals != word.npos)
        argv[i].secret = true;
      else if (i + 1 < argv.size())
        argv[i + 1].secret = true;
    }
    // Hugging Face, OpenAI and GitHub tokens show what they are.
    if (starts_with(word, "hf_") && word.size() > 20) argv[i].secret = true;
    if (starts_with(word, "sk-") && word.size() > 20) argv[i].secret = true;
    if (starts_with(word, "ghp_") && word.size() > 20) argv[i].secret = true;
  }
}

}  // namespace sglint
