#include "program/model/models.hpp"

namespace txtfp::embed {

namespace {

std::unique_ptr<Embedder> load(const LocalModelSettings &settings) { return std::make_unique<LocalModel>(settings); }
std::unique_ptr<Embedder> load(const StaticModelSettings &settings) { return std::make_unique<StaticModel>(settings); }
std::unique_ptr<Embedder> load(const ProviderSettings &settings) { return make_provider(settings); }

} // namespace

Models::Models(const Settings &settings)
{
	for (const auto &[name, model] : settings.models)
		entries_[name].load = [&model = model] { return std::visit([](const auto &one) { return load(one); }, model); };
}

Embedder &Models::get(std::string_view name)
{
	const auto found = entries_.find(name);
	if (found == entries_.end())
		config_failure("there is no model \"" + std::string(name) + "\"");
	Entry &entry = found->second;
	const std::lock_guard lock(entry.mutex);
	if (!entry.embedder)
		entry.embedder = entry.load();
	return *entry.embedder;
}

} // namespace txtfp::embed
