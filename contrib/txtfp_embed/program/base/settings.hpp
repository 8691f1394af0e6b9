// The configuration file: JSON.
//
//   {
//     "socket": "/run/txtfp-embed/socket", "socket_mode": "0660", "service_threads": 2,
//     "database": "dbname=app", "workers": 1, "batch": 64,
//     "onnxruntime": "/usr/lib/libonnxruntime.so",
//     "models": {
//       "minilm": {"onnx": "model.onnx", "tokenizer": "tokenizer.json", "like": "sentence-transformers/all-MiniLM-L6-v2"},
//       "fast":   {"static": "model.safetensors"},
//       "small":  {"provider": "openai", "model": "text-embedding-3-small", "key_file": "/etc/txtfp-embed.openai"}
//     }
//   }
//
// An unknown member is an error. Paths are relative to the file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <variant>

#include "program/model/local_model.hpp"
#include "program/model/static_model.hpp"
#include "program/provider/provider.hpp"

namespace txtfp::embed {

struct Settings {
	std::filesystem::path socket = "/run/txtfp-embed/socket";
	unsigned socket_mode = 0660;
	int service_threads = 2;
	std::string database; // a connection string of libpq; empty: the environment (PGHOST and so on) decides
	int workers = 1;
	int batch = 64;     // rows that a worker takes at once
	int poll_ms = 1000; // how often an idle worker looks for jobs without a notification
	std::map<std::string, std::variant<LocalModelSettings, StaticModelSettings, ProviderSettings>, std::less<>> models;
};

// Throws Failure(config, io).
Settings read_settings(const std::filesystem::path &path);
Settings parse_settings(std::string_view json, const std::filesystem::path &folder);

} // namespace txtfp::embed
