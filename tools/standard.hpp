// What most files include of the standard library, compiled once (see Makefile). Files include what they need
// themselves; this saves time and decides nothing. No header of PostgreSQL: the core must compile without them.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
