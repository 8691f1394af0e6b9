// Checks that each file has the checksum of its name: check_dictionary FILE…
#include <cstdio>
#include <string>

#include "core/frozen.hpp"

using namespace txtfp::cjk;

namespace {

bool is_as_frozen(const std::string &path)
{
	const std::size_t slash = path.rfind('/') + 1;
	const std::string name = path.substr(slash, path.rfind('.') - slash);
	for (const DictionaryName &known : frozen) {
		if (known.name != name)
			continue;
		Dictionary file;
		const OpenError error = file.open(path.c_str(), known.kind, &known.checksum);
		if (error == OpenError::none)
			return true;
		const auto expected = checksum_digits(known.checksum);
		std::fprintf(stderr, "error: %s is not the dictionary %s with checksum %.32s.\n", path.c_str(), name.c_str(),
			expected.data());
		std::fprintf(stderr, "       %s\n",
			error == OpenError::other ? "It was made from another edition of its source; README.md names the right "
										"one. Remove it and try again."
									  : "It is missing or damaged. Remove it and try again.");
		return false;
	}
	std::fprintf(stderr, "error: there is no dictionary %s\n", name.c_str());
	return false;
}

} // namespace

int main(int argc, char **argv)
{
	int wrong = 0;
	for (int i = 1; i < argc; ++i)
		wrong += !is_as_frozen(argv[i]);
	return wrong == 0 ? 0 : 1;
}
