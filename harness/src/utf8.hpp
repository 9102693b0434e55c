// utf8.hpp - the little of UTF-8 that JSON needs.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

/// Appends a code point below U+110000 that is no surrogate.
void append_utf8(std::string& out, std::uint32_t code);

/// Length of the sequence at `text[0]`, 0 if it is malformed (overlong, surrogate, above U+10FFFF, cut
/// short).
std::size_t utf8_length(std::string_view text);

}  // namespace tilewright
