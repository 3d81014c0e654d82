// What a matrix unit keeps of an f32 operand (NumericModel::operand_bits).
#pragma once

namespace fusecheck::numeric {

// x to so many fraction bits, nearest, ties away from zero; on the grid of the smallest normal f32 value below it, as
// dropping the last bits of an f32 pattern does. Beyond the largest f32 value: infinity. NaN and infinity stay.
double rounded_operand(double x, int fraction_bits);

}  // namespace fusecheck::numeric
