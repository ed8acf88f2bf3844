// SPDX-License-Identifier: Apache-2.0
// The suite's own kernels, for one stored type (F32, F64, F16 or BF16) and vectors of WIDTH of its
// elements. What is computed is f64 for f64, else f32. The first argument is always how much there
// is to do: with 0 a kernel returns at once.

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)

#ifdef F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double REAL;
#else
typedef float REAL;
#endif
#if defined(F64)
#define VECTOR JOIN(double, WIDTH)
#define BITS JOIN(long, WIDTH)
#define AS_BITS JOIN(as_long, WIDTH)
#define AS_VECTOR JOIN(as_double, WIDTH)
#else
#define VECTOR JOIN(float, WIDTH)
#define BITS JOIN(int, WIDTH)
#define AS_BITS JOIN(as_int, WIDTH)
#define AS_VECTOR JOIN(as_float, WIDTH)
#endif

#if defined(F16)
typedef half STORED;
#define LOAD(i, from) vload_half(i, from)
#define STORE(value, i, to) vstore_half_rte(value, i, to)
#define LOAD_VECTOR(i, from) JOIN(vload_half, WIDTH)(0, from + (i))
#define STORE_VECTOR(value, i, to) JOIN(JOIN(vstore_half, WIDTH), _rte)(value, 0, to + (i))

#elif defined(BF16)
typedef ushort STORED;
#define UNSIGNED JOIN(uint, WIDTH)
#define HALVES JOIN(ushort, WIDTH)
#define LOAD(i, from) as_float((uint)(from)[i] << 16)
#define LOAD_VECTOR(i, from) \
  JOIN(as_float, WIDTH)(JOIN(convert_uint, WIDTH)(JOIN(vload, WIDTH)(0, from + (i))) << 16)

// To the nearest, ties to even; not a number stays one.
ushort rounded(float value) {
  const uint bits = as_uint(value);
  return isnan(value) ? (bits >> 16) | 64 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}
HALVES rounded_vector(VECTOR value) {
  const UNSIGNED bits = JOIN(as_uint, WIDTH)(value);
  const UNSIGNED nearest = (bits + (UNSIGNED)0x7fff + ((bits >> 16) & (UNSIGNED)1)) >> 16;
  return JOIN(convert_ushort, WIDTH)(select(nearest, (bits >> 16) | (UNSIGNED)64, isnan(value)));
}
#define STORE(value, i, to) (to)[i] = rounded(value)
#define STORE_VECTOR(value, i, to) JOIN(vstore, WIDTH)(rounded_vector(value), 0, to + (i))

#else
typedef REAL STORED;
#define LOAD(i, from) (from)[i]
#define STORE(value, i, to) (to)[i] = value
#define LOAD_VECTOR(i, from) JOIN(vload, WIDTH)(0, from + (i))
#define STORE_VECTOR(value, i, to) JOIN(vstore, WIDTH)(value, 0, to + (i))
#endif

kernel void nothing(ulong amount) {}

// Elementwise: an item does one vector, or what is left over. `x0` is the first element of x.

kernel void multiply_add(ulong n, global const STORED* a, ulong a0, global const STORED* b,
                         ulong b0, global const STORED* c, ulong c0, global STORED* out,
                         ulong out0) {
  ulong i = get_global_id(0) * WIDTH;
  if (i + WIDTH <= n) {
    STORE_VECTOR(fma(LOAD_VECTOR(a0 + i, a), LOAD_VECTOR(b0 + i, b), LOAD_VECTOR(c0 + i, c)),
                 out0 + i, out);
  } else {
    for (; i < n; ++i)
      STORE(fma(LOAD(a0 + i, a), LOAD(b0 + i, b), LOAD(c0 + i, c)), out0 + i, out);
  }
}

// tanh without branches, since what runtimes have takes three times as long.
#define BEGIN(coefficient) VECTOR sum = coefficient
#define NEXT(coefficient) sum = fma(sum, x, (VECTOR)(coefficient))
#define WITH_SIGN_OF(x, size) \
  AS_VECTOR(AS_BITS(size) | (AS_BITS(x) & AS_BITS((VECTOR)(REAL)-0.0f)))
#ifdef F64

VECTOR p_of(VECTOR x) {
  BEGIN(6.48516348279311315e-6);
  NEXT(-0.000031201101425797400033);
  NEXT(0.000092571161295567682707);
  NEXT(-0.00023759064960555619551);
  NEXT(0.0005896606577757043347);
  NEXT(-0.0014557754120478055104);
  NEXT(0.0035921217511549622695);
  NEXT(-0.008863235103240877925);
  NEXT(0.021869488519008305756);
  NEXT(-0.05396825396789699169);
  NEXT(0.13333333333333041602);
  NEXT(-0.33333333333333332938);
  return sum;
}

VECTOR q_of(VECTOR x) {
  BEGIN(2.0914686968086877233e-9);
  NEXT(2.5105217004720745164e-8);
  NEXT(2.7557273643110295328e-7);
  NEXT(2.755725540020642443e-6);
  NEXT(0.000024801587325547741216);
  NEXT(0.00019841269874820625271);
  NEXT(0.0013888888888883748305);
  NEXT(0.0083333333333261351258);
  NEXT(0.041666666666666669755);
  NEXT(0.16666666666666670991);
  NEXT(0.5);
  return sum;
}
// Within 2 units in the last place, by the method and with the constants of cpu_common/tanh.hpp:
// below 0.625 it is x + x^3 p(x^2), above it 1 - 2 / (exp(2x) + 1), with exp(r) = 1 + r + r^2 q(r)
// around zero. Not a number stays what it is.
VECTOR tanh_of(VECTOR x) {
  const double largest = 19.1;         // beyond it tanh rounds to 1
  const double to_integer = 0x1.8p52;  // added and taken away, it rounds
  const VECTOR one = 1, size = fabs(x), square = size * size;
  const VECTOR near = fma(size * square, p_of(square), size);
  const VECTOR y = 2 * (size > (VECTOR)largest ? (VECTOR)largest : size);
  const VECTOR shifted = fma(y, (VECTOR)1.44269504088896340736, (VECTOR)to_integer);
  const VECTOR n = shifted - (VECTOR)to_integer;  // exp(y) = 2^n exp(r)
  const VECTOR r = fma(n, (VECTOR)-0x1.a39ef35793c76p-33, fma(n, (VECTOR)-0x1.62e42feep-1, y));
  const VECTOR exp_r = one + fma(r * r, q_of(r), r);
  const VECTOR power_of_two = AS_VECTOR((AS_BITS(shifted) << 52) + AS_BITS(one));
  const VECTOR far = one - 2 / fma(exp_r, power_of_two, one);
  return WITH_SIGN_OF(x, size < (VECTOR)0.625 ? near : far);
}
#else

VECTOR p_of(VECTOR x) {
  BEGIN(1.33191449e-8f);
  NEXT(2.05835404e-5f);
  NEXT(0.00349403848f);
  NEXT(0.133797213f);
  NEXT(1);
  return sum;
}

VECTOR q_of(VECTOR x) {
  BEGIN(7.76205127e-7f);
  NEXT(0.000328309921f);
  NEXT(0.0258710887f);
  NEXT(0.467130363f);
  NEXT(1);
  return sum;
}

// x p(x^2) / q(x^2), the fraction of this degree with the smallest relative error up to 9.02, which
// is 2.1e-8; 3.2e-7 with all that is rounded. Not a number stays what it is.
VECTOR tanh_of(VECTOR x) {
  VECTOR size = fabs(x);
  size = size > (VECTOR)9.01f ? (VECTOR)9.01f : size;  // beyond it tanh rounds to 1
  const VECTOR square = size * size, result = size * p_of(square) / q_of(square);
  return WITH_SIGN_OF(x, result > (VECTOR)1 ? (VECTOR)1 : result);
}
#endif

kernel void hyperbolic_tangent(ulong n, global const STORED* x, ulong x0, global STORED* out,
                               ulong out0) {
  ulong i = get_global_id(0) * WIDTH;
  if (i + WIDTH <= n) {
    STORE_VECTOR(tanh_of(LOAD_VECTOR(x0 + i, x)), out0 + i, out);
  } else {
    for (; i < n; ++i) STORE(tanh(LOAD(x0 + i, x)), out0 + i, out);
  }
}

kernel void tanh_gradient(ulong n, global const STORED* h, ulong h0, global const STORED* d,
                          ulong d0, global STORED* out, ulong out0) {
  ulong i = get_global_id(0) * WIDTH;
  if (i + WIDTH <= n) {
    const VECTOR value = LOAD_VECTOR(h0 + i, h);
    STORE_VECTOR(LOAD_VECTOR(d0 + i, d) * fma(-value, value, (VECTOR)1), out0 + i, out);
  } else {
    for (; i < n; ++i) {
      const REAL value = LOAD(h0 + i, h);
      STORE(LOAD(d0 + i, d) * fma(-value, value, (REAL)1), out0 + i, out);
    }
  }
}

// Sums of rows, of the squares or of the numbers themselves: `shares` items a row, the s-th of which
// takes vectors from s * start on, a step apart, as far as its length goes. It reads its share in
// four places at once: a processor fetches ahead in each of them.
REAL sum_of_share(bool squared, ulong n, ulong shares, ulong start, ulong step, ulong length,
                  global const STORED* x, ulong x0) {
  const ulong begin = get_global_id(0) % shares * start, end = min(begin + length, n);
  const ulong base = x0 + get_global_id(0) / shares * n;
  const ulong count = begin + WIDTH <= end ? (end - begin - WIDTH) / step + 1 : 0;
  const ulong quarter = count / 4;
  VECTOR sum[4] = {0, 0, 0, 0};
  for (ulong i = 0; i < quarter; ++i) {
#pragma unroll
    for (uint j = 0; j < 4; ++j) {
      const VECTOR value = LOAD_VECTOR(base + begin + (j * quarter + i) * step, x);
      sum[j] = squared ? fma(value, value, sum[j]) : sum[j] + value;
    }
  }
  for (ulong i = 4 * quarter; i < count; ++i) {
    const VECTOR value = LOAD_VECTOR(base + begin + i * step, x);
    sum[0] = squared ? fma(value, value, sum[0]) : sum[0] + value;
  }
  REAL parts[WIDTH], total = 0;
  JOIN(vstore, WIDTH)((sum[0] + sum[1]) + (sum[2] + sum[3]), 0, parts);
  for (uint j = 0; j < WIDTH; ++j) total += parts[j];
  for (ulong i = begin + count * step; i < end; ++i) {
    const REAL value = LOAD(base + i, x);
    total += squared ? value * value : value;
  }
  return total;
}

kernel void sum_shares(ulong rows, uint squared, ulong n, ulong shares, ulong start, ulong step,
                       ulong length, global const STORED* x, ulong x0, global REAL* sums) {
  if (get_global_id(0) / shares >= rows) return;
  sums[get_global_id(0)] = squared ? sum_of_share(true, n, shares, start, step, length, x, x0)
                                   : sum_of_share(false, n, shares, start, step, length, x, x0);
}

// A group a row: out = the sum of its shares, or the root of that.
kernel void join_shares(ulong shares, uint squared, global const REAL* sums, global REAL* out,
                        ulong out0) {
  local REAL of_group[256];
  const uint item = get_local_id(0), items = get_local_size(0);
  REAL sum = 0;
  for (ulong i = item; i < shares; i += items) sum += sums[get_group_id(0) * shares + i];
  of_group[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item != 0 || shares == 0) return;
  for (uint i = 1; i < items; ++i) sum += of_group[i];
  out[out0 + get_group_id(0)] = squared ? sqrt(sum) : sum;
}

// Products. `pack` writes op(x)^T as reals: blocks of `depth` columns of x, a block of panels of
// `width` rows, a panel of its columns one after the other, with zeros where there is no row.
// `multiply` adds to c what one block of both operands gives (`beta` is that of the first block, then
// 1): every item ROWS by VECTORS vectors of c, a group GROUP_ROWS by GROUP_COLUMNS items, which share
// a panel of a and one of b.
#ifdef ROWS

kernel void pack(ulong rows, ulong columns, ulong depth, ulong row_step, ulong column_step,
                 ulong matrix_step, uint width, global const STORED* x, ulong x0,
                 global REAL* panels) {
  const ulong p = get_global_id(0), panel = get_group_id(1), matrix = get_group_id(2);
  if (rows == 0 || p >= columns) return;
  const ulong blocks = (columns + depth - 1) / depth;
  x0 += matrix * matrix_step + p * column_step;
  panels += (((matrix * blocks + p / depth) * get_num_groups(1) + panel) * depth + p % depth) * width;
  for (uint i = 0; i < width; ++i) {
    const ulong row = panel * width + i;
    panels[i] = row < rows ? LOAD(x0 + row * row_step, x) : 0;
  }
}

#define COLUMNS (VECTORS * WIDTH)
#define EXPAND JOIN(vload, WIDTH)

kernel void multiply(ulong m, ulong n, ulong k, ulong depth, ulong block, REAL alpha, REAL beta,
                     global const REAL* a, global const REAL* b, global STORED* c, ulong c0) {
  if (m == 0) return;
  const ulong matrix = get_group_id(2), of_all = matrix * ((k + depth - 1) / depth) + block;
  a += ((of_all * get_num_groups(0) + get_group_id(0)) * depth * GROUP_ROWS + get_local_id(0)) * ROWS;
  b += ((of_all * get_num_groups(1) + get_group_id(1)) * depth * GROUP_COLUMNS + get_local_id(1)) *
       COLUMNS;
  const ulong here = min(depth, k - min(k, block * depth));
  VECTOR sum[ROWS][VECTORS];
#pragma unroll
  for (uint i = 0; i < ROWS; ++i)
#pragma unroll
    for (uint j = 0; j < VECTORS; ++j) sum[i][j] = 0;
  for (ulong p = 0; p < here; ++p) {
    VECTOR of_b[VECTORS];
#pragma unroll
    for (uint j = 0; j < VECTORS; ++j) of_b[j] = EXPAND(j, b);
#pragma unroll
    for (uint i = 0; i < ROWS; ++i) {
      const VECTOR of_a = (VECTOR)a[i];
#pragma unroll
      for (uint j = 0; j < VECTORS; ++j) sum[i][j] = fma(of_a, of_b[j], sum[i][j]);
    }
    a += GROUP_ROWS * ROWS;
    b += GROUP_COLUMNS * COLUMNS;
  }
  const ulong row = get_global_id(0) * ROWS, column = get_global_id(1) * COLUMNS;
  c0 += matrix * m * n;
#pragma unroll
  for (uint i = 0; i < ROWS; ++i) {
    if (row + i >= m) continue;
#pragma unroll
    for (uint j = 0; j < VECTORS; ++j) {
      const ulong first = column + j * WIDTH, at = c0 + (row + i) * n + first;
      const VECTOR product = alpha * sum[i][j];
      if (first + WIDTH <= n) {
        STORE_VECTOR(beta == 0 ? product : fma((VECTOR)beta, LOAD_VECTOR(at, c), product), at, c);
      } else {
        REAL parts[WIDTH];
        JOIN(vstore, WIDTH)(product, 0, parts);
        for (uint l = 0; first + l < n && l < WIDTH; ++l)
          STORE(beta == 0 ? parts[l] : fma(beta, LOAD(at + l, c), parts[l]), at + l, c);
      }
    }
  }
}

#endif
