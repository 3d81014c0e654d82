#include "family/conv.hpp"

#include "fusecheck/error.hpp"

namespace fusecheck::family {

std::vector<AttrSpec> conv2d_attrs() {
  return {
      {.name = "oc", .fallback = {0}, .doc = "output channels (0: as many as x has)", .high = 1 << 20},
      {.name = "kernel", .fallback = {3, 3}, .doc = "kernel height, width", .low = 1, .high = 1024, .counts = {1, 2}},
      {.name = "stride", .fallback = {1, 1}, .doc = "step down, right", .low = 1, .high = 1024, .counts = {1, 2}},
      {.name = "pad",
       .fallback = {-1, -1, -1, -1},
       .doc = "zeros at top, left, bottom, right (-1: dilation*(kernel-1)/2)",
       .low = -1,
       .high = 1024,
       .counts = {1, 2, 4}},
      {.name = "dilation",
       .fallback = {1, 1},
       .doc = "distance between taps",
       .low = 1,
       .high = 1024,
       .counts = {1, 2}},
      {.name = "groups", .fallback = {1}, .doc = "independent blocks of channels", .low = 1, .high = 1 << 20},
  };
}

Conv2dAttrs conv2d_geometry(const Attrs& attrs) {
  const auto pad = [&](std::size_t side) {
    const std::size_t axis = side % 2;
    const std::int64_t given = attrs.integer("pad", side);
    return given >= 0 ? given : attrs.integer("dilation", axis) * (attrs.integer("kernel", axis) - 1) / 2;
  };
  return {.stride_h = attrs.integer("stride", 0),
          .stride_w = attrs.integer("stride", 1),
          .pad_top = pad(0),
          .pad_left = pad(1),
          .pad_bottom = pad(2),
          .pad_right = pad(3),
          .dilation_h = attrs.integer("dilation", 0),
          .dilation_w = attrs.integer("dilation", 1),
          .groups = attrs.integer("groups")};
}

Value per_channel(Kernel& k, const Value& v, const Value& x) {
  Shape shape(x.shape.size(), 1);
  shape[1] = v.shape[0];
  return k.reshape(v, shape);
}

Value per_filter(Kernel& k, const Value& v, const Value& w) {
  Shape shape(w.shape.size(), 1);
  shape[0] = v.shape[0];
  return k.reshape(v, shape);
}

Value channel_sum(Kernel& k, const Value& x) {
  std::vector<int> axes = {0};
  for (int axis = 2; axis < static_cast<int>(x.shape.size()); ++axis) axes.push_back(axis);
  return k.reshape(k.sum(x, axes), {x.shape[1]});
}

Value filter_sum(Kernel& k, const Value& w) {
  std::vector<int> axes;
  for (int axis = 1; axis < static_cast<int>(w.shape.size()); ++axis) axes.push_back(axis);
  return k.reshape(k.sum(w, axes), {w.shape[0]});
}

double channel_count(const Value& x) {
  return static_cast<double>(element_count(x.shape)) / static_cast<double>(x.shape[1]);
}

void require_shape(Shapes& shapes, std::string_view name, const Shape& shape, std::string_view rule) {
  const auto [place, fresh] = shapes.try_emplace(std::string(name), shape);
  if (!fresh && place->second != shape) {
    usage_error(std::string(name) + " has shape " + to_text(place->second) + ", expected " + to_text(shape) + " (" +
                std::string(rule) + ")");
  }
}

}  // namespace fusecheck::family
