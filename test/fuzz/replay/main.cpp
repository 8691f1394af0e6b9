// Runs a fuzz target once over each file of the folders that are its arguments: what the corpora show can so be seen
// where there is no libFuzzer. A target that does not like an input aborts. The last line says how many there were.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

int main(int argc, char **argv)
{
	std::vector<std::filesystem::path> files;
	for (int i = 1; i < argc; ++i)
		for (const auto &entry : std::filesystem::directory_iterator(argv[i]))
			files.push_back(entry.path());
	std::sort(files.begin(), files.end());
	for (const std::filesystem::path &path : files) {
		std::ifstream file(path, std::ios::binary);
		const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
		std::printf("%s\n", path.c_str());
		std::fflush(stdout);
		LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
	}
	std::printf("%zu inputs\n", files.size());
	return files.empty() ? 1 : 0;
}
