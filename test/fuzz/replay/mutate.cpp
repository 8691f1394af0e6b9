// Calls a fuzz target, without libFuzzer and its bookkeeping, with mutations of a corpus: several times as many inputs, for targets whose corpus reaches
// all they have.
//
//   mutate-NAME COUNT SEED FOLDER…    the last input is written to mutated-NAME.bin if the target ends the program
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)());

namespace {

std::string input;

void keep_input()
{
	const int file = ::open("mutated.bin", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (file < 0 || ::write(file, input.data(), input.size()) < 0)
		std::perror("mutated.bin");
	::close(file);
	static constexpr char said[] = "the input is in mutated.bin\n";
	(void) !::write(STDERR_FILENO, said, sizeof said - 1);
}

// xorshift: the generators of the standard library take as long as a short input
class Random {
public:
	explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
	std::size_t below(std::size_t n)
	{
		state_ ^= state_ << 13;
		state_ ^= state_ >> 7;
		state_ ^= state_ << 17;
		return static_cast<std::size_t>((static_cast<unsigned __int128>(state_) * n) >> 64);
	}

private:
	std::uint64_t state_;
};

class Mutator {
public:
	Mutator(std::vector<std::string> corpus, std::uint64_t seed) : corpus_(std::move(corpus)), random_(seed) {}

	void next()
	{
		input = corpus_[random_.below(corpus_.size())];
		for (std::size_t n = 1 + random_.below(4); n > 0; --n)
			change();
		if (input.size() > most_bytes)
			input.resize(most_bytes);
	}

private:
	static constexpr std::size_t most_bytes = 1 << 12;

	std::size_t place() { return random_.below(input.size() + 1); }
	std::string_view part_of(const std::string &other)
	{
		const std::size_t begin = random_.below(other.size() + 1);
		return std::string_view(other).substr(begin, random_.below(random_.below(2) == 0 ? 8 : 64));
	}

	void change()
	{
		static constexpr std::string_view lively =
			"\"\",\t\n\r\\/{}[]:;0123456789eE+-.tfnu\0 \x7F\x80\xBF\xC0\xE2\xED\xEF\xF0\xF4\xFF";
		if (input.empty())
			input = "\1\1\n";
		const std::size_t at = random_.below(input.size());
		switch (random_.below(8)) {
		case 0:
			input[at] = static_cast<char>(random_.below(256));
			break;
		case 1:
			input[at] = lively[random_.below(lively.size())];
			break;
		case 2:
			input[at] = static_cast<char>(input[at] ^ (1 << random_.below(8)));
			break;
		case 3:
			input.insert(place(), 1 + random_.below(3), lively[random_.below(lively.size())]);
			break;
		case 4:
			input.erase(at, 1 + random_.below(random_.below(2) == 0 ? 4 : 32));
			break;
		case 5:
			input.insert(place(), std::string(part_of(input)));
			break;
		case 6:
			input.insert(place(), part_of(corpus_[random_.below(corpus_.size())]));
			break;
		default: // the begin of one and the end of another
			input.resize(at);
			input += part_of(corpus_[random_.below(corpus_.size())]);
		}
	}

	std::vector<std::string> corpus_;
	Random random_;
};

std::vector<std::string> read_corpus(int count, char **folders)
{
	std::vector<std::string> corpus;
	for (int i = 0; i < count; ++i)
		for (const auto &entry : std::filesystem::directory_iterator(folders[i])) {
			std::ifstream file(entry.path(), std::ios::binary);
			corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
		}
	return corpus;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc < 4) {
		std::fprintf(stderr, "usage: %s COUNT SEED FOLDER...\n", argv[0]);
		return 2;
	}
	const std::uint64_t most = std::strtoull(argv[1], nullptr, 10);
	std::vector<std::string> corpus = read_corpus(argc - 3, argv + 3);
	if (corpus.empty()) {
		std::fprintf(stderr, "the folders have no file\n");
		return 2;
	}
	std::fprintf(stderr, "%zu files, %llu inputs\n", corpus.size(), static_cast<unsigned long long>(most));
	__sanitizer_set_death_callback(keep_input);
	std::signal(SIGABRT, [](int) {
		keep_input();
		std::_Exit(1);
	});
	Mutator mutator(std::move(corpus), std::strtoull(argv[2], nullptr, 10));
	for (std::uint64_t n = 1; n <= most; ++n) {
		mutator.next();
		LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(input.data()), input.size());
		if (n % (std::uint64_t{1} << 20) == 0)
			std::fprintf(stderr, "%llu\n", static_cast<unsigned long long>(n));
	}
	std::fprintf(stderr, "%llu inputs\n", static_cast<unsigned long long>(most));
	return 0;
}
