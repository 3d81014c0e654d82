// Rows of a contraction evaluated term by term from the definition, for what the kernels do not do: padding beside
// operands that are not finite, and matrix units on operands outside the kernels' range.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/lowering.hpp"
#include "engine/packed.hpp"

namespace fusecheck::engine {

template <class T>
using InnerProduct = std::function<T(std::span<const T> a, std::span<const T> b, T c)>;

enum class WhichRows { with_padding, all };  // with_padding: rows that have a tap on padding

// Terms in the order of the lowering; a tap on padding has a = +0, and b = +0 too where b is not finite. Calls
// store(position, value) from several threads, each position once.
template <class T>
void evaluate_by_definition(const Lowering& lowering, const RowLists& rows, WhichRows which, std::span<const T> a,
                            std::span<const T> b, std::span<const T> bias, const InnerProduct<T>& inner_product,
                            int threads, const std::function<void(std::int64_t, T)>& store);

}  // namespace fusecheck::engine
