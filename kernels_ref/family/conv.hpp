// What the convolution and normalisation ops share: shapes, attributes, sums per channel.
#pragma once

#include <string_view>

#include "fusecheck/op.hpp"

namespace fusecheck::family {

// stride, pad, dilation, groups, and oc, kernel: what shapes of x alone leave open.
std::vector<AttrSpec> conv2d_attrs();
Conv2dAttrs conv2d_geometry(const Attrs& attrs);

// v [c] as [1, c, 1, ...], to be broadcast over x [n, c, ...].
Value per_channel(Kernel& k, const Value& v, const Value& x);
// v [oc] as [oc, 1, 1, 1], to be broadcast over w [oc, c, kh, kw].
Value per_filter(Kernel& k, const Value& v, const Value& w);
// Σ over every axis but 1, as [c].
Value channel_sum(Kernel& k, const Value& x);
// Σ over every axis but 0, as [oc].
Value filter_sum(Kernel& k, const Value& w);
// Number of elements that one channel's sum runs over.
double channel_count(const Value& x);

// Sets shapes[name] to `shape`, or refuses another one that was given.
void require_shape(Shapes& shapes, std::string_view name, const Shape& shape, std::string_view rule);

}  // namespace fusecheck::family
