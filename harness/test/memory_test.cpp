#include "memory.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "host_device.hpp"

using namespace tilewright;

namespace {

Tensor tensor(Role role, std::int64_t rows, std::int64_t cols, std::int64_t stride, std::int64_t offset = 0) {
  Tensor tensor{"t", ElementType::f16, role, rows, cols, stride, offset, {}};
  tensor.image.resize(static_cast<std::size_t>(rows * stride) * 2, std::byte{0x11});
  return tensor;
}

/// Changes one byte of the operand, `at` bytes from its base pointer, and says what the operand then says.
std::string after_writing(Operand& operand, std::ptrdiff_t at) {
  operand.reset();
  static_cast<std::byte*>(operand.address())[at] = std::byte{0x42};
  return operand.damage().value_or("nothing");
}

}  // namespace

TEST_CASE("an operand starts as image or poison") {
  host::HostDevice device;
  const Tensor in = tensor(Role::input, 3, 4, 6), out = tensor(Role::output, 3, 4, 6);
  Operand input(device, in), output(device, out);
  input.reset();
  output.reset();
  CHECK(!input.damage());
  CHECK(!output.damage());
  std::uint16_t words[4];
  std::memcpy(words, input.contents() + 2 * 6, 8);  // second row begins at element 6
  CHECK_EQ(words[0], 0x1111);
  std::memcpy(words, input.contents() + 4 * 2, 8);  // behind the first row
  CHECK_EQ(words[0], kGuard);
  std::memcpy(words, output.contents(), 8);
  CHECK_EQ(words[3], kUnwritten);
}

TEST_CASE("every stray byte is seen and named") {
  host::HostDevice device;
  const Tensor in = tensor(Role::input, 3, 4, 6, 1), out = tensor(Role::output, 3, 4, 6, 1);
  Operand input(device, in), output(device, out);
  CHECK_EQ(after_writing(output, 3), "nothing");
  CHECK_EQ(after_writing(output, 8), "wrote into the padding between rows at t[0][4] (rows have 4 elements)");
  CHECK_EQ(after_writing(output, 12), "nothing");
  CHECK_EQ(after_writing(output, 2 * 16), "wrote 0 bytes behind the end of 't'");
  CHECK_EQ(after_writing(output, 2 * 16 + 4095), "wrote 4095 bytes behind the end of 't'");
  CHECK_EQ(after_writing(output, -1), "wrote before the base pointer of 't'");
  CHECK_EQ(after_writing(output, -3), "wrote 1 bytes before the start of 't'");
  CHECK_EQ(after_writing(input, 2 * 7), "changed the input t[1][1]");
  CHECK_EQ(after_writing(input, 2 * 10),
           "wrote into the padding between rows at t[1][4] (rows have 4 elements)");
}

TEST_CASE("empty operands have an address and guards") {
  host::HostDevice device;
  const Tensor none = tensor(Role::input, 0, 4, 4);
  Operand operand(device, none);
  operand.reset();
  CHECK(operand.address() != nullptr);
  CHECK(!operand.damage());
}

TEST_CASE("a small operand has no bytes to spare") {
  host::HostDevice device;
  const Tensor one = tensor(Role::output, 1, 1, 1);
  Operand operand(device, one);
  CHECK_EQ(after_writing(operand, 2), "wrote 0 bytes behind the end of 't'");
}

TEST_CASE("an image that is too small is a bug of the family") {
  host::HostDevice device;
  Tensor short_one = tensor(Role::input, 3, 4, 6);
  short_one.image.resize(10);
  CHECK_THROWS_WITH(Operand(device, short_one),
                    doctest::Contains("tensor 't': the image has 10 bytes, its elements reach to byte 32"));
}

TEST_CASE("a workspace holds its image and poison") {
  host::HostDevice device;
  WorkspaceBuffer none(device, {});
  CHECK(none.address() == nullptr);
  WorkspaceBuffer buffer(device, {8, {std::byte{1}, std::byte{2}}, 0, 4});
  const auto* bytes = static_cast<const unsigned char*>(buffer.address());
  CHECK_EQ(bytes[1], 2);
  CHECK_EQ(bytes[2], 0xA5);
  CHECK(!buffer.damage());
  static_cast<unsigned char*>(buffer.address())[9] = 0;
  CHECK_EQ(buffer.damage().value_or(""), "wrote 1 bytes behind the end of 'workspace'");
  CHECK_THROWS_WITH(WorkspaceBuffer(device, {8, {}, 4, 8}), doctest::Contains("beyond its 8 bytes"));
}

TEST_CASE("a launch leaves the image of its workspace as it was") {
  host::HostDevice device;
  WorkspaceBuffer buffer(device, {8, {std::byte{1}, std::byte{2}, std::byte{3}}, 0, 1});
  auto* bytes = static_cast<unsigned char*>(buffer.address());
  bytes[0] = 9;  // cleared before each launch
  bytes[5] = 9;  // behind the contents
  CHECK(!buffer.change());
  buffer.restore();
  CHECK_EQ(bytes[5], 0xA5);
  bytes[2] = 4;
  CHECK_EQ(buffer.change().value_or("").substr(0, 59),
           "the launch left byte 2 of the workspace as 4, it was 3: the");
}

TEST_CASE("a launch writes nothing between the image of its workspace and its scratch memory") {
  host::HostDevice device;
  WorkspaceBuffer buffer(device, {8, {std::byte{1}, std::byte{2}}, 0, 0, 5});
  auto* bytes = static_cast<unsigned char*>(buffer.address());
  bytes[5] = 9;
  CHECK(!buffer.change());
  buffer.restore();
  CHECK_EQ(bytes[5], 0xA5);
  CHECK(!buffer.change());
  bytes[4] = 9;
  CHECK_EQ(buffer.change().value_or(""),
           "the launch wrote byte 4 of the workspace, between its contents, which end at 2, and its scratch "
           "memory, which "
           "begins at 5");
  CHECK_THROWS_WITH(WorkspaceBuffer(device, {8, {}, 0, 0, 9}), doctest::Contains("beyond its 8 bytes"));
}

TEST_CASE("a sparse tensor has its rows far apart") {
  host::HostDevice device;
  Tensor far = tensor(Role::input, 3, 4, 5000);
  far.sparse = true;
  far.lead = 100;
  far.offset = 1;
  far.image.resize(3 * 4 * element_bytes(far.type));
  far.image[4 * element_bytes(far.type)] = std::byte{7};
  Operand operand(device, far);
  CHECK_EQ(device.leads, std::vector<std::size_t>{100 * element_bytes(far.type)});
  operand.reset();
  auto* first = static_cast<unsigned char*>(operand.address()) + 100 * element_bytes(far.type);
  CHECK_EQ(first[5000 * element_bytes(far.type)], 7);
  CHECK(!operand.damage());
  first[(2 * 5000 + 1) * element_bytes(far.type)] = 1;
  CHECK_EQ(operand.damage().value_or(""), "changed the input t[2][1]");
  first[-1] = 1;
  CHECK_EQ(operand.damage().value_or(""), "wrote before the base pointer of 't'");
}
