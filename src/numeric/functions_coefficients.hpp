// Written by functions_coefficients.py, which says how. Ascending powers.
#pragma once

namespace fusecheck::numeric {

// (e^r - 1 - r)/r^2 on |r| <= ln(2)/2, relative to e^r - 1; error 2^-59.3.
inline constexpr double expm1_rest[] = {
    0x1.0000000000000p-1,  0x1.5555555555555p-3,  0x1.5555555555557p-5,  0x1.1111111111111p-7,
    0x1.6c16c16c15a68p-10, 0x1.a01a01a0196acp-13, 0x1.a01a01a9e991bp-16, 0x1.71de3a5aa7bb7p-19,
    0x1.27e4d41966f2fp-22, 0x1.ae642c82e33d5p-26, 0x1.1f7f2776cfaf2p-29, 0x1.61bfaa228dde5p-33,
};

// (2 atanh(s) - 2s)/s^3 in z = s^2 on |s| <= 3 - 2 sqrt(2), relative to 2 atanh(s); error 2^-57.6.
inline constexpr double log_rest[] = {
    0x1.5555555555558p-1, 0x1.99999999952d7p-2, 0x1.2492492df281ap-2, 0x1.c71c62e3f11e6p-3,
    0x1.7462b51cb66b1p-3, 0x1.39fe51a7c18f9p-3, 0x1.2b5900de53b32p-3,
};

// (2 atanh(s) - 2s)/s^3 in z = s^2 on |s| <= 1/3, relative to 2 atanh(s); error 2^-58.7.
inline constexpr double log1p_rest[] = {
    0x1.5555555555555p-1, 0x1.999999999999cp-2, 0x1.2492492491fe7p-2, 0x1.c71c71c77e27ap-3,
    0x1.745d1724de63dp-3, 0x1.3b13b7c56627fp-3, 0x1.11103f082350cp-3, 0x1.e2046b727866ep-4,
    0x1.ad46ba9f6449ap-4, 0x1.973b41cbc11e2p-4, 0x1.036bb5e0c513cp-4, 0x1.37f50d0c18a95p-3,
};

// erf(x)/x - 1 in z = x^2 on |x| <= 3/4, relative to erf(x)/x; error 2^-55.1.
inline constexpr double erf_rest[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379e0p-2,  0x1.ce2f21a0424c0p-4,  -0x1.b82ce312572fap-6,
    0x1.565bcd0362164p-8,  -0x1.c02db1214bed9p-11, 0x1.f9a2af89af017p-14, -0x1.f4c5dc976c85cp-17,
    0x1.b90eb1bb738ebp-20, -0x1.564eaf2b300b8p-23, 0x1.8a2ca05725a4dp-27,
};

// (a + 4) e^(a^2/2) Phi(-a) in t = (a - 4)/(a + 4) on a >= 0, relative; error 2^-53.7.
inline constexpr double normal_tail[] = {
    0x1.82b4bb8c94dcep-1,  -0x1.373e3a893c28cp-1,  0x1.8c6dbf2cfc2afp-2,   -0x1.7dff2bff68052p-3,
    0x1.eec4cc3e4db3ep-5,  -0x1.ee2761054e5ddp-8,  -0x1.c81719d60dc9cp-9,  0x1.ab825ff094764p-10,
    0x1.17a4aec9f7b2ap-13, -0x1.e4a431b343d88p-13, -0x1.001f7d3009309p-19, 0x1.26d19374e288ap-15,
    0x1.80ca200f6ef93p-21, -0x1.8d64fadbd71b8p-18, -0x1.523a2f5cc29cbp-21, 0x1.1319f40256205p-20,
    0x1.24d409f74fc81p-22, -0x1.5739b0adb9337p-23, -0x1.763ba8f228c71p-24, 0x1.333548e6a6758p-26,
    0x1.732932fc3b0c6p-26, -0x1.4b01cde7ab460p-31, -0x1.04ffbdfa0e7cep-28, -0x1.023665f0b1134p-33,
    0x1.828da0190abb9p-32,
};

}  // namespace fusecheck::numeric
