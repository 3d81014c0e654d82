#!/usr/bin/env python3
"""Writes functions_coefficients.hpp: the polynomials of the f64 functions (NUMERICS.md N11).

Each polynomial interpolates its function at the Chebyshev nodes of the interval in 600-bit arithmetic (a near-minimax
approximation) and is then rounded to doubles, coefficient by coefficient. The error stated beside it is the largest one
of the *rounded* polynomial, evaluated without rounding at 4,001 points, relative to the value that it contributes to.

Needs python3-mpmath. Usage: functions_coefficients.py | clang-format --assume-filename=x.hpp > functions_coefficients.hpp
"""
from mpmath import mp, mpf, matrix, lu_solve, cos, pi, exp, log, sqrt, erf, erfc, expm1, atanh

mp.prec = 600


def interpolate(f, low, high, degree):
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * degree + 2)) for i in range(degree + 1)]
    vandermonde = matrix(degree + 1, degree + 1)
    for row, x in enumerate(nodes):
        for column in range(degree + 1):
            vandermonde[row, column] = x**column
    solution = lu_solve(vandermonde, matrix([f(x) for x in nodes]))
    return [float(c) for c in solution]


def horner(coefficients, x):
    y = mpf(0)
    for c in reversed(coefficients):
        y = y * x + mpf(c)
    return y


def emit(name, what, f, low, high, degree, relative_to):
    low, high = mpf(low), mpf(high)
    coefficients = interpolate(f, low, high, degree)
    worst = mpf(0)
    for i in range(4001):
        x = low + (high - low) * (i + mpf(1) / 3) / 4001
        worst = max(worst, abs((horner(coefficients, x) - f(x)) * relative_to(x)))
    print(f"// {what}; error 2^{float(log(worst, 2)):.1f}.")
    print(f"inline constexpr double {name}[] = {{")
    for c in coefficients:
        print(f"    {c.hex()},")
    print("};\n")


def scaled_tail(a):  # e^(a²/2)·Φ(-a)
    if a > 60:  # the asymptotic series, its terms falling until n = a²/2
        term, total, n = 1 / (a * sqrt(2 * pi)), mpf(0), 0
        while abs(term) > mpf(2)**-220:
            total += term
            n += 1
            term *= -(2 * n - 1) / a**2
        return total
    return exp(a * a / 2) * erfc(a / sqrt(mpf(2))) / 2


CENTRE = mpf(4)


def tail_polynomial(t):  # (a + 4)·e^(a²/2)·Φ(-a) at a = 4·(1 + t)/(1 - t)
    a = CENTRE * (1 + t) / (1 - t)
    return (a + CENTRE) * scaled_tail(a)


def atanh_rest(z):  # (2·atanh(s) - 2s)/s² relative to 2s: z = s²
    s = sqrt(z)
    return (2 * atanh(s) / s - 2) / z


print("// Written by functions_coefficients.py, which says how. Ascending powers.")
print("#pragma once\n\nnamespace fusecheck::numeric {\n")
half_log2 = log(mpf(2)) / 2 * mpf("1.0001")
emit("expm1_rest", "(e^r - 1 - r)/r^2 on |r| <= ln(2)/2, relative to e^r - 1",
     lambda r: (expm1(r) - r) / r**2, -half_log2, half_log2, 11, lambda r: r**2 / expm1(r))
emit("log_rest", "(2 atanh(s) - 2s)/s^3 in z = s^2 on |s| <= 3 - 2 sqrt(2), relative to 2 atanh(s)",
     atanh_rest, mpf(2)**-80, (3 - 2 * sqrt(mpf(2)))**2 * mpf("1.0001"), 6, lambda z: z**1.5 / (2 * atanh(sqrt(z))))
emit("log1p_rest", "(2 atanh(s) - 2s)/s^3 in z = s^2 on |s| <= 1/3, relative to 2 atanh(s)",
     atanh_rest, mpf(2)**-80, mpf(1) / 9 * mpf("1.0001"), 11, lambda z: z**1.5 / (2 * atanh(sqrt(z))))
emit("erf_rest", "erf(x)/x - 1 in z = x^2 on |x| <= 3/4, relative to erf(x)/x",
     lambda z: erf(sqrt(z)) / sqrt(z) - 1, mpf(2)**-80, mpf("0.5626"), 10, lambda z: sqrt(z) / erf(sqrt(z)))
emit("normal_tail", "(a + 4) e^(a^2/2) Phi(-a) in t = (a - 4)/(a + 4) on a >= 0, relative",
     tail_polynomial, -1, 1 - mpf(2)**-20, 24, lambda t: 1 / tail_polynomial(t))
print("}  // namespace fusecheck::numeric")
