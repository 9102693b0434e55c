#include "golden.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tilewright/json.hpp"

namespace conformance {
namespace {

constexpr std::size_t kWordsKept = 512;
using tilewright::Json;

std::string hex(std::uint64_t value, int digits) {
  char text[20];
  std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

std::string digest_of(const Words& words) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const std::uint32_t word : words)
    for (int byte = 0; byte < 4; ++byte) hash = (hash ^ (word >> 8 * byte & 0xff)) * 0x100000001b3ull;
  return hex(hash, 16);
}

Words parse_words(const std::string& text) {
  Words words;
  for (std::size_t at = 0; at + 8 <= text.size(); at += 8)
    words.push_back(static_cast<std::uint32_t>(std::stoul(text.substr(at, 8), nullptr, 16)));
  return words;
}

Json to_json(const Golden& golden) {
  Json::Object members{{"digest", golden.digest}};
  if (golden.words) {
    std::string text;
    for (const std::uint32_t word : *golden.words) text += hex(word, 8);
    members.emplace_back("words", text);
  }
  return members;
}

Golden from_json(const Json& json) {
  Golden golden{json.at("digest").text(), std::nullopt};
  if (const Json* words = json.find("words")) golden.words = parse_words(words->text());
  return golden;
}

}  // namespace

Golden make_golden(const Words& output) {
  Golden golden{digest_of(output), std::nullopt};
  if (output.size() <= kWordsKept) golden.words = output;
  return golden;
}

const GoldenStore::File* GoldenStore::load(const std::string& group) {
  const auto [place, is_new] = files_.try_emplace(group);
  if (!is_new) return place->second ? &*place->second : nullptr;
  const std::string path = folder_ + "/" + group + ".json";
  std::ifstream file(path);
  if (!file) return nullptr;
  std::stringstream text;
  text << file.rdbuf();
  try {
    const Json json = Json::parse(text.str());
    const Json& from = json.at("recorded");
    File loaded{{from.at("date").text(), from.at("gpu").text(), from.at("driver").text(),
                 from.at("toolkit").text(), from.at("header").text()},
                {}};
    for (const auto& [name, golden] : json.at("cases").members())
      loaded.goldens.emplace(name, from_json(golden));
    place->second = std::move(loaded);
  } catch (const std::exception& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
  return &*place->second;
}

const Golden* GoldenStore::find(const Case& what) {
  const File* file = load(what.group);
  if (!file) return nullptr;
  const auto found = file->goldens.find(what.name);
  return found == file->goldens.end() ? nullptr : &found->second;
}

const Provenance* GoldenStore::provenance(const std::string& group) {
  const File* file = load(group);
  return file ? &file->from : nullptr;
}

void GoldenStore::write(const std::string& group, const Provenance& from,
                        const std::map<std::string, Golden>& goldens) const {
  const std::string path = folder_ + "/" + group + ".json";
  std::ofstream file(path);
  const Json recorded = Json::Object{{"date", from.date},
                                     {"gpu", from.gpu},
                                     {"driver", from.driver},
                                     {"toolkit", from.toolkit},
                                     {"header", from.header}};
  file << "{\n\"recorded\": " << recorded.dump() << ",\n\"cases\": {";
  const char* separator = "\n";
  for (const auto& [name, golden] : goldens) {  // one case a line
    file << separator << Json(name).dump() << ": " << to_json(golden).dump();
    separator = ",\n";
  }
  file << "\n}\n}\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace conformance
