#include "tensor/file_layout.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "tensor/npy_header.hpp"

namespace fusecheck::tensor {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::string_view lfs_magic = "version https://git-lfs.github.com/spec/v1";
constexpr std::string_view zip_magic = "PK\x03\x04";

std::string bytes_text(std::uintmax_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

struct Encoding {
  DType dtype;
  bool swap_bytes;
};

// numpy's type string: byte order, kind, bytes.
Encoding parse_descr(const std::string& descr, const std::string& file, std::optional<DType> declared) {
  constexpr std::array<std::pair<std::string_view, DType>, 9> known = {{{"f8", DType::f64},
                                                                        {"f4", DType::f32},
                                                                        {"f2", DType::f16},
                                                                        {"i8", DType::i64},
                                                                        {"i4", DType::i32},
                                                                        {"u1", DType::u8},
                                                                        {"b1", DType::boolean},
                                                                        {"u2", DType::bf16},
                                                                        {"V2", DType::bf16}}};
  const std::string_view kind = std::string_view(descr).substr(std::min<std::size_t>(1, descr.size()));
  if (kind.starts_with('O') || descr == "O") {
    usage_error(file +
                ": holds pickled Python objects (dtype 'O'), which are never loaded; save it with a numeric dtype");
  }
  const auto* const entry = std::find_if(known.begin(), known.end(), [&](const auto& e) { return e.first == kind; });
  const char order = descr.empty() ? '\0' : descr[0];
  const bool one_byte = kind == "u1" || kind == "b1";
  // '|' says that byte order does not apply: numpy writes it for one-byte types and for raw bytes ('V').
  const bool order_fits = order == '<' || order == '>' || (order == '|' && (one_byte || kind == "V2"));
  if (entry == known.end() || !order_fits) {
    usage_error(file + ": dtype " + base::quoted(descr) +
                " is not supported; convert it to one of f8, f4, f2, i8, i4, u1, b1 " +
                "(or bf16 as '<u2' bit patterns)");
  }
  if (entry->second == DType::bf16 && declared != DType::bf16) {
    usage_error(file + ": dtype " + base::quoted(descr) + " holds 16-bit patterns" +
                (declared ? ", declared " + std::string(name_of(*declared)) : "") +
                "; it is read as bf16 only where bf16 is declared");
  }
  return {entry->second, order == '>' && !one_byte};
}

void check_declared(const OpenFile& file, const FileHeader& header, const Declared& declared) {
  if (declared.dtype && *declared.dtype != header.dtype) {
    usage_error(file.name + ": holds " + std::string(name_of(header.dtype)) + ", declared " +
                std::string(name_of(*declared.dtype)) + "; correct the declaration or convert the file");
  }
  if (declared.shape && *declared.shape != header.shape) {
    usage_error(file.name + ": has shape " + to_text(header.shape) + ", declared " + to_text(*declared.shape) +
                "; correct the declaration or reshape the file");
  }
}

std::uintmax_t payload_bytes(const FileHeader& header) {
  // element_count is at most 2^40: no overflow.
  return static_cast<std::uintmax_t>(element_count(header.shape)) * size_of(header.dtype);
}

Layout npy_layout(OpenFile& file, const Declared& declared) {
  if (file.size < 10) {
    usage_error(file.name + ": truncated in the .npy header: " + bytes_text(file.size) + ", at least 10 are needed");
  }
  const std::string version = file.read_text(2);
  const int major = static_cast<unsigned char>(version[0]);
  if (major < 1 || major > 3 || version[1] != '\0') {
    usage_error(file.name + ": .npy version " + std::to_string(major) + "." +
                std::to_string(static_cast<unsigned char>(version[1])) +
                " is unknown; versions 1.0, 2.0 and 3.0 are read");
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t before_text = 8 + length_bytes;
  if (file.size < before_text) {
    usage_error(file.name + ": truncated in the .npy header: " + bytes_text(file.size) + ", at least " +
                std::to_string(before_text) + " are needed");
  }
  std::uintmax_t length = 0;
  const std::string length_field = file.read_text(length_bytes);
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(length_field[i]);
  if (length > file.size - before_text) {
    usage_error(file.name + ": truncated in the .npy header, or its length is wrong: it promises " +
                bytes_text(length) + ", the file has " + std::to_string(file.size - before_text) + " left");
  }
  // The longest header of 64 dimensions fits several times; a longer one is no array that fusecheck could use.
  if (length > 65535)
    usage_error(file.name + ": malformed .npy header: " + bytes_text(length) + " long, at most 65535 are read");
  const auto parsed = parse_npy_header(file.read_text(static_cast<std::size_t>(length)), file.name);
  const Encoding encoding = parse_descr(parsed.descr, file.name, declared.dtype);

  Layout layout{{encoding.dtype, parsed.shape}, before_text + length, encoding.swap_bytes, parsed.fortran_order};
  std::uintmax_t expected = 0;
  try {
    expected = payload_bytes(layout.header);
  } catch (const Error& error) {
    throw Error(error.kind(), file.name + ": " + error.what());
  }
  const std::string content = to_text(parsed.shape) + " " + std::string(name_of(encoding.dtype));
  if (expected == 0)
    usage_error(file.name + ": holds no elements (shape " + to_text(parsed.shape) + "); nothing could be checked");
  const std::uintmax_t present = file.size - layout.offset;
  if (present < expected) {
    usage_error(file.name + ": truncated: payload has " + bytes_text(present) + ", its header promises " +
                std::to_string(expected) + " (" + content + "); write or copy it again");
  }
  if (present > expected) {
    usage_error(file.name + ": " + bytes_text(present - expected) + " after the " + std::to_string(expected) +
                " that its header promises (" + content + "); write it again");
  }
  return layout;
}

Layout bin_layout(const OpenFile& file, const Declared& declared) {
  if (!declared.dtype || !declared.shape) {
    const std::string_view absent = declared.dtype ? "shape" : declared.shape ? "dtype" : "dtype and shape";
    usage_error(file.name + ": has no .npy header, so its " + std::string(absent) + " must be declared");
  }
  const Layout layout{{*declared.dtype, *declared.shape}};
  const std::uintmax_t expected = payload_bytes(layout.header);
  if (expected == 0) usage_error(file.name + ": declared with no elements; nothing could be checked");
  if (file.size != expected) {
    const bool more = file.size > expected;
    const std::uintmax_t difference = more ? file.size - expected : expected - file.size;
    std::string message = file.name + ": has " + bytes_text(file.size) + ", expected " + std::to_string(expected) +
                          " (" + to_text(*declared.shape) + " " + std::string(name_of(*declared.dtype)) +
                          "): " + bytes_text(difference) + (more ? " more" : " fewer");
    if (more && difference == 128) {
      message += "; is it a .npy file that was renamed?";
    } else if (more && difference <= 4096) {
      message += "; is there a header?";
    } else {
      message += "; check the declared shape and dtype";
    }
    usage_error(message);
  }
  return layout;
}

}  // namespace

void OpenFile::read(std::byte* to, std::size_t count) {
  stream.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count));
  if (static_cast<std::size_t>(stream.gcount()) != count) no_verdict_error(name + ": cannot be read to its end");
}

std::string OpenFile::read_text(std::size_t count) {
  std::string text(count, '\0');
  read(reinterpret_cast<std::byte*>(text.data()), count);
  return text;
}

OpenFile open_file(const std::filesystem::path& path) {
  OpenFile file;
  const std::string plain = path.string();
  const std::string shown = base::quoted(plain);
  file.name = shown == "'" + plain + "'" ? plain : shown;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) no_verdict_error(file.name + ": no such file");
  if (error) no_verdict_error(file.name + ": cannot be read: " + error.message());
  if (std::filesystem::is_directory(status))
    usage_error(file.name + ": is a directory; name a .npy or .bin file in it");
  // A pipe or a device has no size to check against, and opening one can wait for ever.
  if (!std::filesystem::is_regular_file(status))
    usage_error(file.name + ": is not a regular file; save it as one first");
  file.size = std::filesystem::file_size(path, error);
  if (!error) file.stream.open(path, std::ios::binary);
  if (error || !file.stream) no_verdict_error(file.name + ": cannot be read; check its permissions");
  return file;
}

Layout inspect(OpenFile& file, const std::filesystem::path& path, const Declared& declared) {
  if (file.size == 0) usage_error(file.name + ": is empty");
  const std::string start =
      file.read_text(std::min<std::size_t>(lfs_magic.size(), static_cast<std::size_t>(file.size)));
  if (start.starts_with(lfs_magic)) {
    usage_error(file.name + ": is a Git LFS pointer (" + bytes_text(file.size) + "), not data; run 'git lfs pull'");
  }
  const bool named_npy = path.extension() == ".npy";
  if (start.starts_with(npy_magic)) {
    if (path.extension() == ".bin") usage_error(file.name + ": starts with a .npy header; rename it to .npy");
    file.stream.seekg(static_cast<std::streamoff>(npy_magic.size()));
    Layout layout = npy_layout(file, declared);
    check_declared(file, layout.header, declared);
    return layout;
  }
  if (start.starts_with(zip_magic) && (named_npy || path.extension() == ".npz")) {
    usage_error(file.name + ": is a .npz (zip) archive; save each array as a .npy file with numpy.save");
  }
  if (named_npy) {
    if (npy_magic.starts_with(start)) {
      usage_error(file.name + ": truncated in the .npy header: " + bytes_text(file.size) + ", at least 10 are needed");
    }
    // A pickle of protocol 2 or later starts with 0x80 and the protocol.
    if (start.size() > 1 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5) {
      usage_error(file.name + ": is a pickled Python object, which is never loaded; save the array with numpy.save");
    }
    usage_error(file.name + ": is not a .npy file: starts with " + base::quoted(start.substr(0, 6)) +
                ", not '\\x93NUMPY'; headerless data is named .bin");
  }
  return bin_layout(file, declared);
}

}  // namespace fusecheck::tensor
