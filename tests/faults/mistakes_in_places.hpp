// Mistakes in what is read and written: geometry, tails, images, residuals, masks, gradients.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "mistakes_in_values.hpp"

namespace fusecheck::testing {

inline WrongKernel with_mask_of(std::function<bool(const Tensors& outputs, const Case& of, std::int64_t i)> positive) {
  return [=](const Case& of) {
    const Tensors outputs = right(of);
    Values mask(static_cast<std::size_t>(outputs.at("y").size()));
    for (std::size_t i = 0; i < mask.size(); ++i) {
      mask[i] = positive(outputs, of, static_cast<std::int64_t>(i)) ? 1 : 0;
    }
    Tensors inputs = of.inputs;
    inputs["mask"] = Tensor::from(DType::boolean, outputs.at("y").shape(), std::span<const double>(mask));
    return outputs_of(of.context, inputs);
  };
}

inline std::vector<Mistake> geometry() {
  const std::string odd = "ConvRelu/DTYPE/x=2x20x11x11/ATTR,oc=20/random";
  const auto with = [&](const std::string& attr) { return std::string(odd).replace(odd.find("ATTR"), 4, attr); };
  // Group 0's channels for every group: c mod (20/4).
  const auto first_group = [](const std::string& input) {
    return with_input(input, [=](const Case& of, std::int64_t i) {
      const Shape& shape = of.inputs.at(input).shape();
      const std::int64_t plane = shape[2] * shape[3];
      const std::int64_t c = along(shape, 1, i);
      return of.inputs.at(input).at(i - (c - c % 5) * plane);
    });
  };
  // Filters turned around both axes of the kernel, and read as c, oc in place of oc, c.
  const auto flipped =
      with_input("w", [](const Case& of, std::int64_t i) { return of.inputs.at("w").at(i - i % 9 + 8 - i % 9); });
  const auto transposed = with_input("w", [](const Case& of, std::int64_t i) {
    return of.inputs.at("w").at((i / 9 % 20 * 20 + i / 180) * 9 + i % 9);
  });
  return {
      {"pads_swapped", with("pad=0x1x2x1"), with_attr("pad", {2, 1, 0, 1}), {"y"}},
      {"pads_left_and_right_swapped", with("pad=1x0x1x2"), with_attr("pad", {1, 2, 1, 0}), {"y"}},
      {"strides_swapped", with("pad=1,stride=2x1"), with_attr("stride", {1, 2}), {"y"}},
      {"dilation_ignored", with("dilation=2x1,pad=2"), with_attr("dilation", {1, 1}), {"y"}},
      {"group_offset_of_x", with("groups=4"), first_group("x"), {"y", "dw"}, "c in [5,20)"},
      {"group_offset_of_residual",
       "ConvAdd/DTYPE/x=2x20x9x7/groups=4,oc=20/random",
       first_group("residual"),
       {"y"},
       "c in [5,20)"},
      {"kernel_flipped", with("pad=1"), flipped, {"y", "dx"}},
      {"filters_transposed", with("pad=1"), transposed, {"y", "dx"}},
  };
}

inline std::vector<Mistake> tails() {
  constexpr double poison = std::numeric_limits<double>::quiet_NaN();
  const std::string random = infer + "/random";
  const auto unwritten = [](const std::string& output, std::size_t axis, std::int64_t from, double value) {
    return written(output, [=](const Tensors& outputs, const Shape& shape, std::int64_t i) {
      return along(shape, axis, i) >= from ? value : outputs.at(output).at(i);
    });
  };
  // One input's element is left out of the sums.
  const auto without = [](const std::string& input, std::function<bool(std::int64_t)> drop) {
    return with_input(input, [=](const Case& of, std::int64_t i) { return drop(i) ? 0 : of.inputs.at(input).at(i); });
  };
  return {
      {"tail_channels_unwritten", random, unwritten("y", 1, 16, poison), {"y"}, "c in [16,20)"},
      {"tail_channels_zero", random, unwritten("y", 1, 16, 0), {"y"}, "c in [16,20)"},
      {"tail_channels_of_dx_unwritten", random, unwritten("dx", 1, 16, poison), {"dx"}, "c in [16,20)"},
      {"tail_filters_of_dw_zero", random, unwritten("dw", 0, 16, 0), {"dw"}, "oc in [16,20)"},
      {"last_column_unwritten", random, unwritten("y", 3, 6, poison), {"y"}, "last column only"},
      {"last_row_of_dx_zero", random, unwritten("dx", 2, 8, 0), {"dx"}, "last row only"},
      {"second_image_unwritten", random, unwritten("y", 0, 1, poison), {"y"}, "batch 1 only"},
      {"second_image_is_the_first",
       random,
       written("y", [](const Tensors& outputs, const Shape& shape,
                       std::int64_t i) { return outputs.at("y").at(i % (element_count(shape) / shape[0])); }),
       {"y"},
       "batch 1 only"},
      {"dw_of_the_first_image", random, without("dy", [](std::int64_t i) { return i >= 20 * 9 * 7; }), {"dw", "dbeta"}},
      // K = 180: (c, kh, kw) = (19, 2, 2) for y, (oc, kh, kw) for dx, the last pixel for dw
      {"last_term_of_y_dropped", random, without("w", [](std::int64_t i) { return i % 180 == 179; }), {"y"}},
      {"last_term_of_dx_dropped",
       random,
       without("w", [](std::int64_t i) { return i / 180 == 19 && i % 9 == 8; }),
       {"dx"}},
      {"last_block_of_dw_dropped", random, without("dy", [](std::int64_t i) { return i % 63 >= 56; }), {"dw"}},
      {"zeros",
       random,
       [](const Case& of) {
         Tensors outputs = right(of);
         for (auto& [name, tensor] : outputs) tensor = Tensor(tensor.dtype(), tensor.shape());
         return outputs;
       },
       {"y", "dx", "dw", "db", "dgamma", "dbeta"}},
  };
}

inline std::vector<Mistake> residuals_and_masks() {
  const auto line = [](const std::string& op) { return op + "/DTYPE/" + plain + "/random"; };
  const WrongKernel no_mask = with_mask_of([](const Tensors&, const Case&, std::int64_t) { return true; });
  return {
      {"residual_dropped", line("ConvBnAddRelu"), none("residual"), {"y"}},
      {"residual_after_relu", line("ConvBnAddRelu"), of_op("ConvBnReluAdd"), {"y", "dresidual"}},
      {"residual_before_relu", line("ConvBnReluAdd"), of_op("ConvBnAddRelu"), {"y", "dresidual"}},
      // gamma·(conv + residual - mean)·rstd + beta
      {"residual_before_batch_norm",
       line("ConvBnAdd"),
       with_input("residual",
                  [](const Case& of, std::int64_t i) {
                    const Tensor& residual = of.inputs.at("residual");
                    return scale_of(of, along(residual.shape(), 1, i)) * residual.at(i);
                  }),
       {"y"}},
      {"mask_of_y_with_its_residual",
       line("ConvBnReluAdd"),
       with_mask_of([](const Tensors& outputs, const Case&, std::int64_t i) { return outputs.at("y").at(i) > 0; }),
       {"dx", "dw", "dgamma", "dbeta"}},
      {"mask_of_dy",
       line("ConvBnRelu"),
       with_mask_of([](const Tensors&, const Case& of, std::int64_t i) { return of.inputs.at("dy").at(i) > 0; }),
       {"dx", "dw", "dgamma", "dbeta"}},
      {"no_mask", line("ConvBnAddRelu"), no_mask, {"dx", "dw", "dgamma", "dbeta", "dresidual"}},
      {"dgamma_and_dbeta_swapped",
       line("ConvBnRelu"),
       [](const Case& of) {
         Tensors outputs = right(of);
         std::swap(outputs.at("dgamma"), outputs.at("dbeta"));
         return outputs;
       },
       {"dgamma", "dbeta"}},
      {"dresidual_missing",
       line("ConvBnReluAdd"),
       written("dresidual", [](const Tensors&, const Shape&, std::int64_t) { return 0.0; }),
       {"dresidual"}},
      {"dw_averaged_over_images",
       line("ConvBnRelu"),
       written("dw", [](const Tensors& outputs, const Shape&, std::int64_t i) { return outputs.at("dw").at(i) / 2; }),
       {"dw"}},
      {"dx_scaled_by_1.01",
       line("ConvBnRelu"),
       written("dx",
               [](const Tensors& outputs, const Shape&, std::int64_t i) { return outputs.at("dx").at(i) * 1.01; }),
       {"dx"}},
      {"dx_negated",
       line("ConvRelu"),
       written("dx", [](const Tensors& outputs, const Shape&, std::int64_t i) { return -outputs.at("dx").at(i); }),
       {"dx"}},
  };
}

}  // namespace fusecheck::testing
