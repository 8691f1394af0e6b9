#include "program/base/files.hpp"

#include <cerrno>
#include <cstring>
#include <memory>

#include <stdio.h>

#include "program/base/failure.hpp"

namespace txtfp::embed {

std::string read_file(const std::filesystem::path &path)
{
	const auto fail = [&] { throw Failure(FailureKind::io, path.string() + ": " + std::strerror(errno)); };
	const std::unique_ptr<FILE, int (*)(FILE *)> file(fopen(path.c_str(), "rbe"), fclose);
	if (!file)
		fail();
	std::string content;
	char buffer[65536];
	while (const std::size_t n = fread(buffer, 1, sizeof buffer, file.get()))
		content.append(buffer, n);
	if (ferror(file.get()))
		fail();
	return content;
}

} // namespace txtfp::embed
