/* Casts that look at every value on the way; see kernels.py, which says what they promise.
 *
 * A kernel converts one run of elements and says whether any of them did not survive, in the same pass: loading is what
 * such a loop waits for, so the test is free as long as it needs no second pass and no branch. Each kernel therefore
 * gathers what it saw into one word, without stopping, and cast() looks for the first lost element only in a run that
 * lost one. Where the full test is dear (a 64-bit integer on its way to a float), a cheap one goes first: small values
 * survive by their size alone, and the rest of the kernel runs only where others were seen.
 *
 * Invariants
 *  - What a kernel writes for a lost element is defined, and means nothing.
 *  - Kernels read no element twice into different values: another thread may write the source meanwhile, but the
 *    results stay inside the memory that they were given.
 *  - No object is touched while the GIL is released, or by a thread of the crew.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pythread.h>
#include <stdint.h>
#include <string.h>
#ifdef _WIN32
#define PROCESS 0L
#else
#include <unistd.h>
#define PROCESS ((long)getpid())
#endif
#ifdef __linux__
#include <sys/mman.h>
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#endif

#ifdef Py_GIL_DISABLED
#error "the crew of threads is hired under the GIL; free-threaded builds use torch and NumPy instead"
#endif

#if defined(__GNUC__) || defined(__clang__)
#define INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define INLINE static __forceinline
#define restrict __restrict
#else
#define INLINE static inline
#endif

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define X86
#include <cpuid.h>
#include <immintrin.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#define PREFETCH(p) __builtin_prefetch((const void *)(p))
#define PREFETCH_TO_WRITE(p) __builtin_prefetch((const void *)(p), 1)
#else
#define PREFETCH(p) ((void)(p))
#define PREFETCH_TO_WRITE(p) ((void)(p))
#endif
#ifdef X86
#define PAUSE() _mm_pause()
#else
#define PAUSE() ((void)0)
#endif

/* One binary serves old and new processors where the loader can choose a function by the processor it finds. */
#if !defined(CLONED) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9 && defined(__x86_64__) && defined(__GLIBC__)
#ifndef CLONES
#define CLONES "avx2", "default"
#endif
#define CLONED __attribute__((target_clones(CLONES)))
#elif !defined(CLONED)
#define CLONED
#endif

typedef uint8_t b8; /* a byte that counts as true unless it is 0 */
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint16_t f16;
typedef uint16_t bf16;
typedef float f32;
typedef double f64;

#define BIT(N) ((u64)1 << (N))
#define ABOVE(N) ((N) > 63 ? (u64)0 : ~(u64)0 << ((N) & 63)) /* all bits from the N-th on */

/* ---- Single values ------------------------------------------------------------------------------------------- */

INLINE u32 bits_of_f32(f32 x) { u32 bits; memcpy(&bits, &x, 4); return bits; }
INLINE f32 f32_of_bits(u32 bits) { f32 x; memcpy(&x, &bits, 4); return x; }
INLINE u64 bits_of_f64(f64 x) { u64 bits; memcpy(&bits, &x, 8); return bits; }
INLINE f64 f64_of_bits(u64 bits) { f64 x; memcpy(&x, &bits, 8); return x; }

/* Without a branch, and without anything that a compiler could make one of: branches keep loops from vectors. */
INLINE u32 pick(int condition, u32 yes, u32 no) { return no ^ ((yes ^ no) & (0 - (u32)condition)); }
INLINE f32 f32_if(int condition, f32 x) { return f32_of_bits(bits_of_f32(x) & (0 - (u32)condition)); }
INLINE f64 f64_if(int condition, f64 x) { return f64_of_bits(bits_of_f64(x) & (0 - (u64)condition)); }

INLINE f32 f32_magnitude(f32 x) { return f32_of_bits(bits_of_f32(x) & 0x7fffffff); }
INLINE f64 f64_magnitude(f64 x) { return f64_of_bits(bits_of_f64(x) & ~BIT(63)); }

/* Exact. The bits move into place; a subnormal is mended by subtracting the bit that a normal number implies. */
INLINE f32
f32_of_f16(f16 h)
{
    i32 moved = (i32)(h & 0x7fff) << 13;
    f32 normal = f32_of_bits((u32)moved + (224u << 23)) * 0x1p-112f;
    f32 subnormal = f32_of_bits((u32)moved + (113u << 23)) - 0x1p-14f;
    u32 magnitude = pick(moved < (1 << 23), bits_of_f32(subnormal), bits_of_f32(normal));
    return f32_of_bits(magnitude | (u32)(h & 0x8000) << 16);
}

/* Rounds to nearest, ties to even: the addition of a number whose last bit is worth as much as the result's does it. */
INLINE f16
f16_of_f32(f32 x)
{
    i32 magnitude = (i32)(bits_of_f32(x) & 0x7fffffff), exponent = magnitude & 0x7f800000;
    i32 least = 113 << 23, held = exponent > least ? exponent : least;
    u32 sum = bits_of_f32(f32_of_bits((u32)magnitude) + f32_of_bits((u32)held + (13u << 23)));
    i32 rounded = (i32)(((u32)(held - least) >> 13) + (sum & 0xfff));
    i32 bounded = rounded < 0x7c00 ? rounded : 0x7c00;
    return (f16)((u32)bounded | (u32)(magnitude > (255 << 23)) << 9 | (bits_of_f32(x) >> 16 & 0x8000));
}

INLINE f32 f32_of_bf16(bf16 x) { return f32_of_bits((u32)x << 16); }

INLINE bf16
bf16_of_number(f32 x) /* not NaN */
{
    u32 bits = bits_of_f32(x);
    return (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

INLINE bf16
bf16_of_f32(f32 x)
{
    u32 bits = bits_of_f32(x), nan = bits >> 16 | 0x40;
    return (bf16)pick((i32)(bits & 0x7fffffff) > (255 << 23), nan, bf16_of_number(x));
}

/* Exact for integers within 2**51, by arithmetic that every processor has for vectors. */
INLINE f64
f64_of_small(i64 x)
{
    return f64_of_bits((u64)x + bits_of_f64(0x1.8p52)) - 0x1.8p52;
}

INLINE f32 load_f16(f16 x) { return f32_of_f16(x); }
INLINE f32 load_bf16(bf16 x) { return f32_of_bf16(x); }
INLINE f32 load_f32(f32 x) { return x; }
INLINE f64 load_f64(f64 x) { return x; }
#define STORE_f16(x) f16_of_f32((f32)(x))
#define STORE_bf16(x) bf16_of_f32((f32)(x))
#define STORE_f32(x) ((f32)(x))
#define STORE_f64(x) ((f64)(x))

/* ---- Kernels --------------------------------------------------------------------------------------------------- */

/* Converts `count` elements; not 0 if one of them is lost. Memory is aligned and does not overlap. */
typedef int (*Kernel)(const void *restrict source, void *restrict result, Py_ssize_t count);

#define KERNEL(NAME, S, D, ...) \
    CLONED static int NAME(const void *restrict source, void *restrict result, Py_ssize_t count) \
    { \
        const S *restrict s = source; \
        D *restrict d = result; \
        __VA_ARGS__ \
    }
#define EACH for (Py_ssize_t i = 0; i < count; i++)

/* From bool: any byte but 0 is true. */
#define BOOLEAN(D, TRUE) KERNEL(b8_##D, b8, D, { EACH d[i] = s[i] ? (TRUE) : 0; return 0; })
BOOLEAN(b8, 1) BOOLEAN(i8, 1) BOOLEAN(i16, 1) BOOLEAN(i32, 1) BOOLEAN(i64, 1)
BOOLEAN(u8, 1) BOOLEAN(u16, 1) BOOLEAN(u32, 1) BOOLEAN(u64, 1)
BOOLEAN(f16, 0x3c00) BOOLEAN(bf16, 0x3f80) BOOLEAN(f32, 1.0f) BOOLEAN(f64, 1.0)

/* Between integers: a value fits if it has none of the bits OUTSIDE, once BIAS has moved the smallest one to 0. */
#define INTEGER(S, U, D, BIAS, OUTSIDE) \
    KERNEL(S##_##D, S, D, { \
        U seen = 0; \
        EACH { seen |= (U)((U)s[i] + (U)(BIAS)); d[i] = (D)s[i]; } \
        return (seen & (U)(OUTSIDE)) != 0; \
    })
#define FROM_SIGNED(S, U, N) \
    INTEGER(S, U, b8, 0, ABOVE(1)) \
    INTEGER(S, U, i8, BIT(7), ABOVE(8)) INTEGER(S, U, i16, BIT(15), ABOVE(16)) \
    INTEGER(S, U, i32, BIT(31), ABOVE(32)) INTEGER(S, U, i64, BIT(63), 0) \
    INTEGER(S, U, u8, 0, ABOVE((N) > 8 ? 8 : 7)) INTEGER(S, U, u16, 0, ABOVE((N) > 16 ? 16 : (N) - 1)) \
    INTEGER(S, U, u32, 0, ABOVE((N) > 32 ? 32 : (N) - 1)) INTEGER(S, U, u64, 0, ABOVE((N) - 1))
#define FROM_UNSIGNED(S) \
    INTEGER(S, S, b8, 0, ABOVE(1)) \
    INTEGER(S, S, i8, 0, ABOVE(7)) INTEGER(S, S, i16, 0, ABOVE(15)) \
    INTEGER(S, S, i32, 0, ABOVE(31)) INTEGER(S, S, i64, 0, ABOVE(63)) \
    INTEGER(S, S, u8, 0, ABOVE(8)) INTEGER(S, S, u16, 0, ABOVE(16)) \
    INTEGER(S, S, u32, 0, ABOVE(32)) INTEGER(S, S, u64, 0, 0)
FROM_SIGNED(i8, u8, 8) FROM_SIGNED(i16, u16, 16) FROM_SIGNED(i32, u32, 32) FROM_SIGNED(i64, u64, 64)
FROM_UNSIGNED(u8) FROM_UNSIGNED(u16) FROM_UNSIGNED(u32) FROM_UNSIGNED(u64)

/* Integers that a float holds by their size alone. */
#define EXACT(S, D, CONVERT) KERNEL(S##_##D, S, D, { EACH d[i] = CONVERT; return 0; })
EXACT(i8, f16, STORE_f16((i32)s[i])) EXACT(i8, bf16, STORE_bf16((i32)s[i]))
EXACT(i8, f32, STORE_f32((i32)s[i])) EXACT(i8, f64, STORE_f64((i32)s[i]))
EXACT(u8, f16, STORE_f16((i32)s[i])) EXACT(u8, bf16, STORE_bf16((i32)s[i]))
EXACT(u8, f32, STORE_f32((i32)s[i])) EXACT(u8, f64, STORE_f64((i32)s[i]))
EXACT(i16, f32, STORE_f32((i32)s[i])) EXACT(i16, f64, STORE_f64((i32)s[i]))
EXACT(u16, f32, STORE_f32((i32)s[i])) EXACT(u16, f64, STORE_f64((i32)s[i]))
EXACT(i32, f64, STORE_f64(s[i])) EXACT(u32, f64, f64_of_small((i64)s[i]))

/* Other integers to floats of P significant bits. Small ones go first, as SMALL; then any that needs P bits at most:
 * the bits of its absolute value that lie P or more above its lowest one must be 0, and those OUTSIDE too. */
#define MAGNITUDE(U, x) ((x) < 0 ? (U)(0 - (U)(x)) : (U)(x))
#define TO_FLOAT(S, U, D, P, OUTSIDE, BIAS, LARGE, SMALL, MAGNITUDE_) \
    KERNEL(S##_##D, S, D, { \
        U seen = 0; \
        U lost = 0; \
        EACH { seen |= (U)((U)s[i] + (U)(BIAS)); d[i] = SMALL; } \
        if ((seen & (U)(LARGE)) == 0) \
            return 0; \
        EACH { \
            U m = MAGNITUDE_; \
            lost |= m & ((U)(0 - ((m & (0 - m)) << (P))) | (U)(OUTSIDE)); \
            d[i] = STORE_##D(s[i]); \
        } \
        return lost != 0; \
    })
#define SIGNED_TO_FLOAT(S, U, D, P, OUTSIDE, LIMIT, SMALL) \
    TO_FLOAT(S, U, D, P, OUTSIDE, BIT(LIMIT), ABOVE((LIMIT) + 1), SMALL, MAGNITUDE(U, s[i]))
#define UNSIGNED_TO_FLOAT(S, U, D, P, OUTSIDE, LIMIT, SMALL) \
    TO_FLOAT(S, U, D, P, OUTSIDE, 0, ABOVE(LIMIT), SMALL, s[i])
SIGNED_TO_FLOAT(i16, u32, f16, 11, 0, 11, STORE_f16((i32)s[i]))
SIGNED_TO_FLOAT(i32, u32, f16, 11, ABOVE(16), 11, STORE_f16(s[i]))
SIGNED_TO_FLOAT(i64, u64, f16, 11, ABOVE(16), 11, STORE_f16((i32)s[i]))
SIGNED_TO_FLOAT(i16, u32, bf16, 8, 0, 8, STORE_bf16((i32)s[i]))
SIGNED_TO_FLOAT(i32, u32, bf16, 8, 0, 8, STORE_bf16(s[i]))
SIGNED_TO_FLOAT(i64, u64, bf16, 8, 0, 8, STORE_bf16((i32)s[i]))
SIGNED_TO_FLOAT(i32, u32, f32, 24, 0, 24, STORE_f32(s[i]))
SIGNED_TO_FLOAT(i64, u64, f32, 24, 0, 24, STORE_f32((i32)s[i]))
SIGNED_TO_FLOAT(i64, u64, f64, 53, 0, 51, f64_of_small(s[i]))
UNSIGNED_TO_FLOAT(u16, u32, f16, 11, 0, 11, STORE_f16((i32)s[i]))
UNSIGNED_TO_FLOAT(u32, u32, f16, 11, ABOVE(16), 11, STORE_f16((i32)s[i]))
UNSIGNED_TO_FLOAT(u64, u64, f16, 11, ABOVE(16), 11, STORE_f16((i32)s[i]))
UNSIGNED_TO_FLOAT(u16, u32, bf16, 8, 0, 8, STORE_bf16((i32)s[i]))
UNSIGNED_TO_FLOAT(u32, u32, bf16, 8, 0, 8, STORE_bf16((i32)s[i]))
UNSIGNED_TO_FLOAT(u64, u64, bf16, 8, 0, 8, STORE_bf16((i32)s[i]))
UNSIGNED_TO_FLOAT(u32, u32, f32, 24, 0, 24, STORE_f32((i32)s[i]))
UNSIGNED_TO_FLOAT(u64, u64, f32, 24, 0, 24, STORE_f32((i32)s[i]))
UNSIGNED_TO_FLOAT(u64, u64, f64, 53, 0, 51, f64_of_small((i64)s[i]))

/* Floats to integers: what lies outside the outermost floats that the integer type I holds becomes 0; then the fraction
 * is cut off, and the rest compared with what it was. */
#define CUT_OFF(S, D, W, I, LOW, HIGH) \
    EACH { \
        W value = load_##S(s[i]); \
        I whole = (I)W##_if((value >= (LOW)) & (value <= (HIGH)), value); \
        lost |= (W)whole != value; \
        d[i] = (D)whole; \
    }
#define TO_INTEGER(S, W, M, D, LOW, HIGH) \
    KERNEL(S##_##D, S, D, { M lost = 0; CUT_OFF(S, D, W, i32, (W)(LOW), (W)(HIGH)) return lost != 0; })
/* Vectors of 32-bit integers exist everywhere; only what they cannot hold is cut off as I. */
#define TO_WIDE_INTEGER(S, W, M, D, I, LOW, HIGH) \
    KERNEL(S##_##D, S, D, { \
        M lost = 0; \
        CUT_OFF(S, D, W, i32, (W)((LOW) < 0 ? -0x1p31 : 0), (W)0x1.fffffep30) \
        if (!lost) \
            return 0; \
        lost = 0; \
        CUT_OFF(S, D, W, I, (W)(LOW), (W)(HIGH)) \
        return lost != 0; \
    })
#define TO_INTEGERS(S, W, M, TOP) \
    TO_INTEGER(S, W, M, b8, 0, 1) \
    TO_INTEGER(S, W, M, i8, -128, 127) TO_INTEGER(S, W, M, i16, -32768, 32767) TO_INTEGER(S, W, M, i32, -0x1p31, TOP) \
    TO_INTEGER(S, W, M, u8, 0, 255) TO_INTEGER(S, W, M, u16, 0, 65535)
TO_INTEGERS(f16, f32, i32, 0x1.fffffep30)
TO_INTEGER(f16, f32, i32, i64, -0x1p31, 0x1.fffffep30)
TO_INTEGER(f16, f32, i32, u32, 0, 0x1.fffffep30)
TO_INTEGER(f16, f32, i32, u64, 0, 0x1.fffffep30)
#define TO_WIDE_INTEGERS(S, W, M, U32, I64, U64) \
    TO_WIDE_INTEGER(S, W, M, i64, i64, -0x1p63, I64) \
    TO_WIDE_INTEGER(S, W, M, u32, i64, 0, U32) TO_WIDE_INTEGER(S, W, M, u64, u64, 0, U64)
TO_INTEGERS(bf16, f32, i32, 0x1.fffffep30) TO_WIDE_INTEGERS(bf16, f32, i32, 0x1.fffffep31, 0x1.fffffep62, 0x1.fffffep63)
TO_INTEGERS(f32, f32, i32, 0x1.fffffep30) TO_WIDE_INTEGERS(f32, f32, i32, 0x1.fffffep31, 0x1.fffffep62, 0x1.fffffep63)
TO_INTEGERS(f64, f64, i64, 2147483647) \
    TO_WIDE_INTEGERS(f64, f64, i64, 4294967295, 0x1.fffffffffffffp62, 0x1.fffffffffffffp63)

/* Between floats. Widening loses nothing. Narrowing by "checked" loses what rounds to infinity, from BOUND on, and by
 * "same_value" all that is not the same afterwards. float64 reaches the 16-bit types through float32, as torch does it. */
EXACT(f16, f16, s[i]) EXACT(f16, f32, load_f16(s[i])) EXACT(f16, f64, load_f16(s[i]))
EXACT(bf16, bf16, s[i]) EXACT(bf16, f32, load_bf16(s[i])) EXACT(bf16, f64, load_bf16(s[i]))
EXACT(f32, f32, s[i]) EXACT(f32, f64, s[i]) EXACT(f64, f64, s[i])
EXACT(f16, bf16, STORE_bf16(load_f16(s[i])))

#define NARROW(S, W, M, D, LARGEST, BOUND) \
    INLINE int S##_##D##_exactly(const void *restrict source, void *restrict result, Py_ssize_t count) \
    { \
        const S *restrict s = source; \
        D *restrict d = result; \
        M lost = 0; \
        EACH { \
            W value = load_##S(s[i]), magnitude = W##_magnitude(value); \
            lost |= (magnitude >= (W)(BOUND)) & (magnitude <= (W)(LARGEST)); \
            d[i] = STORE_##D(value); \
        } \
        return lost != 0; \
    }
/* Most memory holds neither infinity nor NaN nor anything near them; whether that is so is seen in the greatest absolute
 * value (as bits, which sort alike), and the rest of the kernel runs only where it is not. */
#define NARROW_SMALL(S, D, STORED, SEEN, LIMIT) \
    KERNEL(S##_##D, S, D, { \
        i32 most = 0; \
        EACH { \
            STORED; \
            i32 seen = (i32)(bits_of_f32(SEEN) & 0x7fffffff); \
            most = seen > most ? seen : most; \
        } \
        return most < (i32)(LIMIT) ? 0 : S##_##D##_exactly(source, result, count); \
    })
#define NARROW_SAME(S, W, M, D) \
    KERNEL(S##_##D##_same, S, D, { \
        M lost = 0; \
        EACH { \
            W value = load_##S(s[i]); \
            D stored = STORE_##D(value); \
            lost |= ((W)load_##D(stored) != value) & (value == value); \
            d[i] = stored; \
        } \
        return lost != 0; \
    })
#define LARGEST_F64 0x1.fffffffffffffp1023
#define LARGEST_F32 0x1.fffffep127
NARROW(f64, f64, i64, f32, LARGEST_F64, 0x1.ffffffp127)
NARROW(f64, f64, i64, f16, LARGEST_F64, 0x1.ffdfffp15)
NARROW(f64, f64, i64, bf16, LARGEST_F64, 0x1.feffffp127)
NARROW(f32, f32, i32, f16, LARGEST_F32, 0x1.ffep15)
NARROW(f32, f32, i32, bf16, LARGEST_F32, 0x1.ffp127)
NARROW(bf16, f32, i32, f16, LARGEST_F32, 0x1.ffep15)
NARROW_SMALL(f64, f32, d[i] = (f32)s[i], d[i], 0x7f800000)
NARROW_SMALL(f64, f16, f32 x = (f32)s[i]; d[i] = f16_of_f32(x), x, 0x477ff000)
NARROW_SMALL(f64, bf16, f32 x = (f32)s[i]; d[i] = bf16_of_number(x), x, 0x7f7f8000)
NARROW_SMALL(f32, f16, d[i] = f16_of_f32(s[i]), s[i], 0x477ff000)
NARROW_SMALL(f32, bf16, d[i] = bf16_of_number(s[i]), s[i], 0x7f7f8000)
NARROW_SMALL(bf16, f16, f32 x = f32_of_bf16(s[i]); d[i] = f16_of_f32(x), x, 0x477ff000)
NARROW_SAME(f64, f64, i64, f32) NARROW_SAME(f64, f64, i64, f16) NARROW_SAME(f64, f64, i64, bf16)
NARROW_SAME(f32, f32, i32, f16) NARROW_SAME(f32, f32, i32, bf16)
NARROW_SAME(bf16, f32, i32, f16) NARROW_SAME(f16, f32, i32, bf16)

#ifdef X86
/* Compilers have no loop for the instruction that rounds to float16. */
__attribute__((target("avx2,f16c"))) static int
f32_f16_by_instruction(const void *restrict source, void *restrict result, Py_ssize_t count)
{
    const f32 *s = source;
    f16 *d = result;
    Py_ssize_t i = 0;
    __m256i most = _mm256_setzero_si256();
    for (; i + 8 <= count; i += 8) {
        __m256 x = _mm256_loadu_ps(s + i);
        _mm_storeu_si128((__m128i *)(d + i), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
        most = _mm256_max_epi32(most, _mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(0x7fffffff)));
    }
    if (_mm256_movemask_epi8(_mm256_cmpgt_epi32(most, _mm256_set1_epi32(0x477fefff))))
        return f32_f16_exactly(source, result, count);
    return i < count ? f32_f16(s + i, d + i, count - i) : 0;
}

static Kernel
best_f32_f16(void)
{
    unsigned a, b, c, d;
    int there = __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
    return there ? f32_f16_by_instruction : f32_f16;
}
#else
#define best_f32_f16() f32_f16
#endif
static Kernel rounds_to_f16; /* from float32; chosen when the module is made */

enum { DTYPES = 13, FLOATS = 9 }; /* the floats come last */
static const char *const dtype_names[DTYPES] = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64"
};
static const int dtype_sizes[DTYPES] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
#define FROM(S) \
    {S##_b8, S##_i8, S##_i16, S##_i32, S##_i64, S##_u8, S##_u16, S##_u32, S##_u64, S##_f16, S##_bf16, S##_f32, S##_f64}
static const Kernel kernels[DTYPES][DTYPES] = {
    FROM(b8), FROM(i8), FROM(i16), FROM(i32), FROM(i64), FROM(u8), FROM(u16), FROM(u32), FROM(u64),
    FROM(f16), FROM(bf16), FROM(f32), FROM(f64)
};
static const Kernel same_value_kernels[DTYPES - FLOATS][DTYPES - FLOATS] = {
    {f16_f16, f16_bf16_same, f16_f32, f16_f64},
    {bf16_f16_same, bf16_bf16, bf16_f32, bf16_f64},
    {f32_f16_same, f32_bf16_same, f32_f32, f32_f64},
    {f64_f16_same, f64_bf16_same, f64_f32_same, f64_f64}
};

/* ---- One cast over memory ---------------------------------------------------------------------------------------- */

enum {
    LARGE = 1 << 22, /* bytes of source from which it is not expected to lie in a cache */
    RUN = 1024,      /* bytes of a large source, 256 elements at least: as many cache lines as are fetched at once */
    AHEAD = 8192,    /* bytes from a run to the one fetched while it is converted */
    SHORT_RUN = 4096, /* elements of a small source: they stay in the nearest cache for a second look */
    CHUNK = 256,     /* scattered elements gathered before they are converted */
    MAX_DIMS = 64
};

typedef struct {
    Kernel kernel;
    Py_ssize_t from, to; /* size of an element */
    int indirect;        /* source elements are to be copied before they are looked at: 1 not aligned, 2 byte-swapped */
    int large;
    int same;            /* the bytes of an element stay what they are */
} Cast;

/* Processors fetch ahead within a page at best, and some virtual ones not at all; so this does it. Converting then
 * waits for memory's throughput and not for its latency. */
static inline void
fetch(const char *from, const char *end, Py_ssize_t size)
{
    if (end - from <= AHEAD)
        return;
    from += AHEAD;
    size = end - from < size ? end - from : size;
    for (Py_ssize_t at = 0; at < size; at += 64)
        PREFETCH(from + at);
}

/* Index of the first lost one of `count` elements that lie side by side, or -1. Elements after it may be missing. */
static Py_ssize_t
cast_flat(const Cast *cast, const char *source, char *result, Py_ssize_t count)
{
    if (cast->same && count > 0) {
        memcpy(result, source, (size_t)(count * cast->from));
        return -1;
    }
    const char *end = source + count * cast->from;
    Py_ssize_t run = !cast->large ? SHORT_RUN : RUN / cast->from < 256 ? 256 : RUN / cast->from;
    for (Py_ssize_t done = 0; done < count; done += run) {
        Py_ssize_t size = count - done < run ? count - done : run;
        const char *s = source + done * cast->from;
        char *d = result + done * cast->to;
        if (cast->large)
            fetch(s, end, size * cast->from);
        if (!cast->kernel(s, d, size))
            continue;
        for (Py_ssize_t i = 0; i < size; i++)
            if (cast->kernel(s + i * cast->from, d + i * cast->to, 1))
                return done + i;
    }
    return -1;
}

#define SWAP1(x) (x)
#define SWAP2(x) ((u16)((x) << 8 | (x) >> 8))
#define SWAP4(x) ((x) << 24 | ((x) & 0xff00) << 8 | ((x) >> 8 & 0xff00) | (x) >> 24)
#define SWAP8(x) ((u64)SWAP4((u32)(x)) << 32 | SWAP4((u32)((x) >> 32)))
#define KEEP(x) (x)
/* Copies elements that lie `step` bytes apart, and need not be aligned, side by side; and the other way round. */
#define MOVE(NAME, U, ALTER, FROM, TO) \
    CLONED static void NAME(const char *restrict source, char *restrict result, Py_ssize_t step, Py_ssize_t count) \
    { \
        (void)step; \
        for (Py_ssize_t i = 0; i < count; i++) { \
            U x; \
            memcpy(&x, source + i * (FROM), sizeof x); \
            x = ALTER(x); \
            memcpy(result + i * (TO), &x, sizeof x); \
        } \
    }
#define MOVES(U, SIZE, SWAP) \
    MOVE(gather_##U, U, KEEP, step, SIZE) \
    MOVE(scatter_##U, U, KEEP, SIZE, step) \
    MOVE(gather_swapped_##U, U, SWAP, step, SIZE) \
    MOVE(swap_##U, U, SWAP, SIZE, SIZE)
MOVES(u8, 1, SWAP1) MOVES(u16, 2, SWAP2) MOVES(u32, 4, SWAP4) MOVES(u64, 8, SWAP8)

typedef void (*Move)(const char *restrict source, char *restrict result, Py_ssize_t step, Py_ssize_t count);
enum { GATHER, SCATTER, GATHER_SWAPPED, SWAP };
#define MOVES_OF(U) {gather_##U, scatter_##U, gather_swapped_##U, swap_##U}
static const Move moves[4][4] = {MOVES_OF(u8), MOVES_OF(u16), MOVES_OF(u32), MOVES_OF(u64)};

static const Move *
moves_of(Py_ssize_t size)
{
    return moves[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

/* Casts at most CHUNK elements that lie apart. Not 0 if one is lost. */
static int
cast_chunk(const Cast *cast, const char *source, Py_ssize_t source_step, char *result, Py_ssize_t result_step,
           Py_ssize_t count)
{
    u64 gathered[CHUNK], converted[CHUNK];
    const void *from = source;
    void *to = result_step == cast->to ? (void *)result : converted;
    if (cast->indirect || source_step != cast->from) {
        int how = cast->indirect < 2 ? GATHER : source_step == cast->from ? SWAP : GATHER_SWAPPED;
        moves_of(cast->from)[how](source, (char *)gathered, source_step, count);
        from = gathered;
    }
    int lost = cast->kernel(from, to, count);
    if (to == converted)
        moves_of(cast->to)[SCATTER]((const char *)converted, result, result_step, count);
    return lost;
}

typedef struct {
    int ndim; /* 2 at least */
    Py_ssize_t sizes[MAX_DIMS], source[MAX_DIMS], result[MAX_DIMS];
} Layout;

/* Casts the last two dimensions. Rows that lie apart are taken a piece of each at a time, so that a cache line of the
 * source, which then holds elements of many rows, serves them all. */
static int
cast_plane(const Cast *cast, const Layout *layout, const char *source, char *result)
{
    int inner = layout->ndim - 1, outer = layout->ndim - 2;
    Py_ssize_t count = layout->sizes[inner], s_step = layout->source[inner], d_step = layout->result[inner];
    int direct = !cast->indirect && s_step == cast->from && d_step == cast->to;
    Py_ssize_t piece = direct ? count : CHUNK;
    for (Py_ssize_t done = 0; done < count; done += piece) {
        Py_ssize_t size = count - done < piece ? count - done : piece;
        for (Py_ssize_t row = 0; row < layout->sizes[outer]; row++) {
            const char *s = source + row * layout->source[outer] + done * s_step;
            char *d = result + row * layout->result[outer] + done * d_step;
            if (direct ? cast_flat(cast, s, d, size) >= 0 : cast_chunk(cast, s, s_step, d, d_step, size))
                return 1;
        }
    }
    return 0;
}

/* Casts all dimensions. Not 0 if an element is lost; elements after it may be missing. */
static int
cast_all(const Cast *cast, const Layout *layout, const char *source, char *result)
{
    Py_ssize_t position[MAX_DIMS] = {0};
    for (;;) {
        if (cast_plane(cast, layout, source, result))
            return 1;
        int dim = layout->ndim - 3;
        for (; dim >= 0; dim--) {
            source += layout->source[dim];
            result += layout->result[dim];
            if (++position[dim] < layout->sizes[dim])
                break;
            position[dim] = 0;
            source -= layout->sizes[dim] * layout->source[dim];
            result -= layout->sizes[dim] * layout->result[dim];
        }
        if (dim < 0)
            return 0;
    }
}

/* ---- Several threads --------------------------------------------------------------------------------------------- */

enum {
    ALONE = 1 << 18,    /* bytes read and written up to which a second thread comes too late to help */
    PAGE = 1 << 21,     /* of a large result: a huge page, which two threads should not ask the system for at once */
    MAX_CREW = 63,
    PATIENCE = 500      /* looks at a lock before sleeping on it, some ten microseconds */
};

/* Work in numbered parts. do_part() gives the position of the first lost element of a part, or -1. */
typedef struct Job {
    Py_ssize_t (*do_part)(const struct Job *job, Py_ssize_t part);
    PyThread_type_lock mutex; /* guards the next three */
    Py_ssize_t parts, next;   /* handed out in order; after a loss no more are */
    Py_ssize_t lost;
    Cast cast;
    const Layout *layout;
    const char *source;
    char *result;
    Py_ssize_t count, step, first;
    const char *const *members;
    const struct Fragment *fragments;
    const Py_ssize_t *starts;
    Py_ssize_t number;
    int dim;
} Job;

static void
do_parts(void *argument)
{
    Job *job = argument;
    Py_ssize_t lost = -1;
    for (;;) {
        PyThread_acquire_lock(job->mutex, WAIT_LOCK);
        if (lost >= 0) {
            job->lost = job->lost < 0 || lost < job->lost ? lost : job->lost;
            job->parts = job->next;
        }
        Py_ssize_t part = job->next < job->parts ? job->next++ : -1;
        PyThread_release_lock(job->mutex);
        if (part < 0)
            return;
        lost = job->do_part(job, part);
    }
}

/* The threads that torch has already: what its own loops call to run a function on several of them, found by kernels.py.
 * They may still spin from the last of those loops, so others would only get what they leave. A process made by fork
 * must not call it again, as it would wait for threads that stayed behind. */
static void (*torch_parallel)(void (*function)(void *), void *argument, unsigned threads, unsigned flags);
static long torch_process;

/* Where torch has none to give: a crew that waits for jobs, of one caller at a time. They are no Python threads and never
 * take the GIL, so nothing has to end them; a process made by fork has none of them, which its number tells. A caller
 * waits only for those that have joined in, never for one to wake up. PyThread locks are used as signals: held until
 * there is something to say. */
static struct {
    PyThread_type_lock mutex; /* guards the rest, but `size`, `process` and the locks, which the GIL does */
    PyThread_type_lock finished;
    Job *job;
    int hired, active, awaited;
    int size;
    long process;
    PyThread_type_lock wake[MAX_CREW];
    char woken[MAX_CREW];
} crew;

static void
await(PyThread_type_lock lock)
{
    for (int i = 0; i < PATIENCE; i++) {
        if (PyThread_acquire_lock(lock, NOWAIT_LOCK))
            return;
        PAUSE();
    }
    PyThread_acquire_lock(lock, WAIT_LOCK);
}

static void
serve(void *argument)
{
    int self = (int)(intptr_t)argument;
    for (;;) {
        await(crew.wake[self]);
        PyThread_acquire_lock(crew.mutex, WAIT_LOCK);
        crew.woken[self] = 0;
        Job *job = crew.job;
        crew.active += job != NULL;
        PyThread_release_lock(crew.mutex);
        if (job == NULL)
            continue;
        do_parts(job);
        PyThread_acquire_lock(crew.mutex, WAIT_LOCK);
        crew.active--;
        int last = crew.active == 0 && crew.awaited;
        crew.awaited = crew.awaited && !last;
        PyThread_release_lock(crew.mutex);
        if (last)
            PyThread_release_lock(crew.finished);
    }
}

static PyThread_type_lock
new_signal(void)
{
    PyThread_type_lock lock = PyThread_allocate_lock();
    if (lock != NULL)
        PyThread_acquire_lock(lock, WAIT_LOCK);
    return lock;
}

/* Hires the crew, of `wanted` threads if they can be had; gives how many. 0 if another caller has it. Under the GIL. */
static int
hire(Py_ssize_t wanted)
{
    if (crew.mutex == NULL || crew.process != PROCESS) {
        memset(&crew, 0, sizeof crew);
        crew.process = PROCESS;
        crew.finished = new_signal();
        crew.mutex = crew.finished == NULL ? NULL : PyThread_allocate_lock();
        if (crew.mutex == NULL)
            return 0;
    }
    while (crew.size < wanted && crew.size < MAX_CREW) {
        crew.wake[crew.size] = new_signal();
        if (crew.wake[crew.size] == NULL
            || PyThread_start_new_thread(serve, (void *)(intptr_t)crew.size) == PYTHREAD_INVALID_THREAD_ID)
            break;
        crew.size++;
    }
    PyThread_acquire_lock(crew.mutex, WAIT_LOCK);
    int had = crew.hired;
    crew.hired = 1;
    PyThread_release_lock(crew.mutex);
    return had ? 0 : wanted < crew.size ? (int)wanted : crew.size;
}

/* Does a job together with `hands` threads of the crew, which is hired; without the GIL. */
static void
do_together(Job *job, int hands)
{
    char asleep[MAX_CREW];
    PyThread_acquire_lock(crew.mutex, WAIT_LOCK);
    crew.job = job;
    for (int i = 0; i < hands; i++) {
        asleep[i] = !crew.woken[i];
        crew.woken[i] = 1;
    }
    PyThread_release_lock(crew.mutex);
    for (int i = 0; i < hands; i++)
        if (asleep[i])
            PyThread_release_lock(crew.wake[i]);
    do_parts(job);
    PyThread_acquire_lock(crew.mutex, WAIT_LOCK);
    crew.job = NULL;
    int wait = crew.awaited = crew.active > 0;
    PyThread_release_lock(crew.mutex);
    if (wait)
        await(crew.finished);
    PyThread_acquire_lock(crew.mutex, WAIT_LOCK);
    crew.hired = 0;
    PyThread_release_lock(crew.mutex);
}

/* Does all parts on up to `threads` threads; the position of the first lost element, or -1. Under the GIL, which it
 * lets go. */
static Py_ssize_t
do_job(Job *job, Py_ssize_t threads)
{
    Py_ssize_t hands = (threads < job->parts ? threads : job->parts) - 1;
    int with_torch = torch_parallel != NULL && torch_process == PROCESS;
    job->next = 0;
    job->lost = -1;
    job->mutex = hands > 0 ? PyThread_allocate_lock() : NULL;
    if (job->mutex == NULL)
        hands = 0;
    else if (!with_torch)
        hands = hire(hands);
    Py_BEGIN_ALLOW_THREADS
    if (hands > 0 && with_torch)
        torch_parallel(do_parts, job, (unsigned)threads, 0);
    else if (hands > 0)
        do_together(job, (int)hands);
    else
        for (; job->lost < 0 && job->next < job->parts; job->next++)
            job->lost = job->do_part(job, job->next);
    Py_END_ALLOW_THREADS
    if (job->mutex != NULL)
        PyThread_free_lock(job->mutex);
    return job->lost;
}

/* Cuts `count` result elements into parts of `step`, the first of which is `first` long: one for each thread, so that it
 * finds in its cache what the same part of torch's last loop has left there, or huge pages, as many as there are. */
static void
cut(Job *job, Py_ssize_t threads)
{
    Py_ssize_t to = job->cast.to, page = PAGE / to;
    job->step = job->first = job->count;
    job->parts = 1;
    if (threads < 2 || job->count * (job->cast.from + to) <= ALONE)
        return;
    job->first = job->step = (job->count + threads - 1) / threads;
    if (job->step > page) {
        job->step = page;
        job->first = page - (Py_ssize_t)((uintptr_t)job->result / (uintptr_t)to) % page;
    }
    job->parts = 1 + (job->count - job->first + job->step - 1) / job->step;
}

static Py_ssize_t
do_flat(const Job *job, Py_ssize_t part)
{
    Py_ssize_t start = part == 0 ? 0 : job->first + (part - 1) * job->step;
    Py_ssize_t stop = job->first + part * job->step;
    stop = stop < job->count ? stop : job->count;
    const char *source = job->source + start * job->cast.from;
    Py_ssize_t lost = cast_flat(&job->cast, source, job->result + start * job->cast.to, stop - start);
    return lost < 0 ? -1 : start + lost;
}

static Py_ssize_t
do_strided(const Job *job, Py_ssize_t part)
{
    Layout layout = *job->layout;
    Py_ssize_t start = part * job->step, left = layout.sizes[job->dim] - start;
    layout.sizes[job->dim] = left < job->step ? left : job->step;
    const char *source = job->source + start * layout.source[job->dim];
    return cast_all(&job->cast, &layout, source, job->result + start * layout.result[job->dim]) ? 0 : -1;
}

/* A part of a job over the members of a list is `first` members, or `step` elements of one. */
static Py_ssize_t
do_members(const Job *job, Py_ssize_t part)
{
    Py_ssize_t each = (job->count + job->step - 1) / job->step, start = part % each * job->step;
    Py_ssize_t size = job->count - start < job->step ? job->count - start : job->step;
    Py_ssize_t member = part / each * job->first, stop = member + job->first;
    for (stop = stop < job->number ? stop : job->number; member < stop; member++) {
        char *result = job->result + (member * job->count + start) * job->cast.to;
        if (cast_flat(&job->cast, job->members[member] + start * job->cast.from, result, size) >= 0)
            return member;
    }
    return -1;
}

static void
cut_members(Job *job, Py_ssize_t threads)
{
    Py_ssize_t page = PAGE / job->cast.to, group = page / job->count, most = job->number / (4 * threads) + 1;
    job->step = page < job->count ? page : job->count;
    job->first = group < 1 ? 1 : group < most ? group : most;
    job->parts = (job->number + job->first - 1) / job->first * ((job->count + job->step - 1) / job->step);
}

/* ---- Bytes as they are --------------------------------------------------------------------------------------------- */

/* Copies blocks upwards, or downwards, fetching ahead what is read and written: memcpy() leaves that to the processor,
 * which stops at the end of each page. */
CLONED static void
copy_blocks(const char *restrict source, char *restrict result, Py_ssize_t blocks, Py_ssize_t step)
{
    enum { BLOCK = 256 };
    for (Py_ssize_t i = 0; i < blocks; i++, source += step, result += step) {
        for (int line = 0; line < BLOCK; line += 64) {
            PREFETCH((uintptr_t)source + (uintptr_t)(step / BLOCK * AHEAD + line));
            PREFETCH_TO_WRITE((uintptr_t)result + (uintptr_t)(step / BLOCK * AHEAD / 2 + line));
        }
        memcpy(result, source, BLOCK);
    }
}

/* Where a write lies little above what is to be read next, counted within pages of 4 KB, processors take the one for the
 * other and wait; downwards they do not meet. */
static void
copy_ahead(const char *restrict source, char *restrict result, Py_ssize_t size)
{
    enum { BLOCK = 256, ALIAS = 4096 };
    Py_ssize_t blocks = size / BLOCK, rest = blocks * BLOCK;
    uintptr_t above = ((uintptr_t)result - (uintptr_t)source) % ALIAS;
    memcpy(result + rest, source + rest, (size_t)(size - rest));
    if (above == 0 || above > ALIAS / 2)
        copy_blocks(source, result, blocks, BLOCK);
    else if (blocks > 0)
        copy_blocks(source + rest - BLOCK, result + rest - BLOCK, blocks, -BLOCK);
}

/* Asks for all whole pages of a result at once where the one in its middle is missing: that takes two thirds of the time
 * of a fault for each. A system that cannot do it says so, and is left to its faults. */
static void
have_pages(char *memory, Py_ssize_t size)
{
#ifdef __linux__
    static uintptr_t page;
    unsigned char there = 1;
    if (page == 0)
        page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = ((uintptr_t)memory + page - 1) / page * page, end = ((uintptr_t)memory + (uintptr_t)size) / page * page;
    if (end <= start || end - start < 16 * page)
        return;
    uintptr_t middle = (start + (end - start) / 2) / page * page;
    if (mincore((void *)middle, page, &there) == 0 && !(there & 1))
        madvise((void *)start, end - start, MADV_POPULATE_WRITE);
#else
    (void)memory;
    (void)size;
#endif
}

typedef struct Fragment {
    const char *source;
    char *result;
    Py_ssize_t size;
} Fragment;

/* Fragments of pieces, each within one huge page of the result; a part is all that lie in one such page in a row, as two
 * threads should not ask for the same. */
static Py_ssize_t
do_fragments(const Job *job, Py_ssize_t part)
{
    const Fragment *fragment = job->fragments + job->starts[part], *end = job->fragments + job->starts[part + 1];
    for (; fragment < end; fragment++) {
        have_pages(fragment->result, fragment->size);
        copy_ahead(fragment->source, fragment->result, fragment->size);
    }
    return -1;
}

static Py_ssize_t
fragments_of(uintptr_t result, Py_ssize_t size)
{
    return size == 0 ? 0 : (Py_ssize_t)((result + (uintptr_t)size - 1) / PAGE - result / PAGE) + 1;
}

/* ---- Arguments ----------------------------------------------------------------------------------------------------- */

static int
expect(const char *name, Py_ssize_t given, Py_ssize_t wanted)
{
    if (given != wanted)
        PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments, not %zd", name, wanted, given);
    return given == wanted;
}

/* Reads (source dtype, result dtype, strict) into `cast`; the dtypes are positions in `dtypes`. */
static int
read_cast(PyObject *const *args, Cast *cast)
{
    long s = PyLong_AsLong(args[0]), d = PyLong_AsLong(args[1]);
    int strict = PyObject_IsTrue(args[2]);
    if (PyErr_Occurred())
        return 0;
    if (s < 0 || s >= DTYPES || d < 0 || d >= DTYPES) {
        PyErr_SetString(PyExc_ValueError, "no such dtype");
        return 0;
    }
    int floats = s >= FLOATS && d >= FLOATS;
    cast->kernel = strict && floats ? same_value_kernels[s - FLOATS][d - FLOATS] : kernels[s][d];
    if (s == FLOATS + 2 && d == FLOATS && !strict)
        cast->kernel = rounds_to_f16;
    cast->from = dtype_sizes[s];
    cast->to = dtype_sizes[d];
    cast->indirect = 0;
    cast->large = 0;
    cast->same = s == d && s != 0; /* a bool becomes 0 or 1 on the way */
    return 1;
}

static int
read_sizes(PyObject *tuple, Py_ssize_t *sizes, int ndim)
{
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != ndim) {
        PyErr_SetString(PyExc_ValueError, "sizes and strides must be tuples of one length");
        return 0;
    }
    for (int i = 0; i < ndim; i++)
        sizes[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i));
    return !PyErr_Occurred();
}

static int
read_layout(PyObject *const *args, Layout *layout)
{
    Py_ssize_t ndim = PyTuple_Check(args[0]) ? PyTuple_GET_SIZE(args[0]) : 0;
    if (ndim < 2 || ndim > MAX_DIMS) {
        PyErr_SetString(PyExc_ValueError, "a layout has 2 to 64 dimensions");
        return 0;
    }
    layout->ndim = (int)ndim;
    return read_sizes(args[0], layout->sizes, layout->ndim) && read_sizes(args[1], layout->source, layout->ndim)
        && read_sizes(args[2], layout->result, layout->ndim);
}

/* ---- Functions ----------------------------------------------------------------------------------------------------- */

PyDoc_STRVAR(cast_doc,
"cast(source, result, count, source_dtype, result_dtype, strict, threads, /)\n--\n\n"
"Convert `count` elements from one address to another; the index of the first that did not survive, or -1.");

static PyObject *
cast(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Job job = {.do_part = do_flat};
    if (!expect("cast", nargs, 7) || !read_cast(args + 3, &job.cast))
        return NULL;
    job.source = PyLong_AsVoidPtr(args[0]);
    job.result = PyLong_AsVoidPtr(args[1]);
    job.count = PyLong_AsSsize_t(args[2]);
    Py_ssize_t threads = PyLong_AsSsize_t(args[6]);
    if (PyErr_Occurred())
        return NULL;
    if (job.count <= 4096)
        return PyLong_FromSsize_t(cast_flat(&job.cast, job.source, job.result, job.count));
    job.cast.large = job.count * job.cast.from >= LARGE;
    cut(&job, threads);
    return PyLong_FromSsize_t(do_job(&job, threads));
}

PyDoc_STRVAR(cast_strided_doc,
"cast_strided(source, result, sizes, source_strides, result_strides, source_dtype, result_dtype, strict, indirect,\n"
"             threads, /)\n--\n\n"
"Convert elements that do not all lie side by side; whether one of them did not survive. Strides count bytes.\n"
"`indirect` is 1 where source elements are not aligned, and 2 where they are in the other byte order.");

static PyObject *
cast_strided(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Job job = {.do_part = do_strided};
    Layout layout;
    if (!expect("cast_strided", nargs, 10) || !read_layout(args + 2, &layout) || !read_cast(args + 5, &job.cast))
        return NULL;
    job.layout = &layout;
    job.source = PyLong_AsVoidPtr(args[0]);
    job.result = PyLong_AsVoidPtr(args[1]);
    job.cast.indirect = (int)PyLong_AsLong(args[8]);
    Py_ssize_t threads = PyLong_AsSsize_t(args[9]), count = 1;
    if (PyErr_Occurred())
        return NULL;
    for (int i = 0; i < layout.ndim; i++) {
        if (layout.sizes[i] <= 0)
            Py_RETURN_FALSE;
        count *= layout.sizes[i];
        if (i < layout.ndim - 1 && layout.sizes[i] > layout.sizes[job.dim])
            job.dim = i;
    }
    job.cast.large = count * job.cast.from >= LARGE;
    if (count * (job.cast.from + job.cast.to) <= ALONE)
        threads = 1;
    if (layout.sizes[job.dim] < threads)
        job.dim = layout.ndim - 1;
    job.step = layout.sizes[job.dim] / (threads < 2 ? 1 : 8 * threads) + 1;
    job.parts = (layout.sizes[job.dim] + job.step - 1) / job.step;
    return PyBool_FromLong(do_job(&job, threads) >= 0);
}

PyDoc_STRVAR(copy_doc,
"copy(sources, results, sizes, threads, /)\n--\n\n"
"Copy bytes from addresses to addresses, all in lists, that many each. No result overlaps anything else; those that lie\n"
"side by side had better follow one another.");

static PyObject *
copy_fragments(PyObject *const *args, Py_ssize_t pieces, Py_ssize_t threads, Fragment *fragments, Py_ssize_t *starts)
{
    Job job = {.do_part = do_fragments, .fragments = fragments, .starts = starts};
    Py_ssize_t count = 0;
    uintptr_t page = 0;
    for (Py_ssize_t i = 0; i < pieces; i++) {
        const char *source = PyLong_AsVoidPtr(PyList_GET_ITEM(args[0], i));
        char *result = PyLong_AsVoidPtr(PyList_GET_ITEM(args[1], i));
        Py_ssize_t left = PyLong_AsSsize_t(PyList_GET_ITEM(args[2], i));
        for (Py_ssize_t size; left > 0; source += size, result += size, left -= size) {
            size = (Py_ssize_t)(PAGE - (uintptr_t)result % PAGE);
            size = size < left ? size : left;
            if (count == 0 || (uintptr_t)result / PAGE != page)
                starts[job.parts++] = count;
            page = (uintptr_t)result / PAGE;
            fragments[count++] = (Fragment){source, result, size};
        }
    }
    starts[job.parts] = count;
    do_job(&job, threads);
    Py_RETURN_NONE;
}

static PyObject *
copy(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    if (!expect("copy", nargs, 4))
        return NULL;
    Py_ssize_t threads = PyLong_AsSsize_t(args[3]), pieces = PyList_Check(args[0]) ? PyList_GET_SIZE(args[0]) : -1, most = 0;
    for (int i = 0; i < 3; i++)
        if (!PyList_Check(args[i]) || PyList_GET_SIZE(args[i]) != pieces) {
            PyErr_SetString(PyExc_ValueError, "copy() takes three lists of one length");
            return NULL;
        }
    for (Py_ssize_t i = 0; i < pieces && !PyErr_Occurred(); i++) {
        Py_ssize_t size = PyLong_AsSsize_t(PyList_GET_ITEM(args[2], i));
        PyLong_AsVoidPtr(PyList_GET_ITEM(args[0], i));
        most += fragments_of((uintptr_t)PyLong_AsVoidPtr(PyList_GET_ITEM(args[1], i)), size);
    }
    if (PyErr_Occurred())
        return NULL;
    Fragment *fragments = PyMem_New(Fragment, most + 1);
    Py_ssize_t *starts = PyMem_New(Py_ssize_t, most + 2);
    PyObject *done = fragments == NULL || starts == NULL
        ? PyErr_NoMemory() : copy_fragments(args, pieces, threads, fragments, starts);
    PyMem_Free(fragments);
    PyMem_Free(starts);
    return done;
}

PyDoc_STRVAR(copy_buffer_doc,
"copy_buffer(source, result, size, /)\n--\n\n"
"Copy the bytes of an object to an address, if it offers that many in row-major order; whether it did.");

static PyObject *
copy_buffer(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    if (!expect("copy_buffer", nargs, 3))
        return NULL;
    Py_buffer view;
    char *result = PyLong_AsVoidPtr(args[1]);
    Py_ssize_t size = PyLong_AsSsize_t(args[2]);
    if (PyErr_Occurred())
        return NULL;
    if (PyObject_GetBuffer(args[0], &view, PyBUF_C_CONTIGUOUS) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_Exception))
            return NULL;
        PyErr_Clear();
        Py_RETURN_FALSE;
    }
    int fits = view.len == size && (result != NULL || size == 0);
    if (fits && size > ALONE) {
        Py_BEGIN_ALLOW_THREADS
        copy_ahead(view.buf, result, size);
        Py_END_ALLOW_THREADS
    }
    else if (fits && size > 0) {
        memcpy(result, view.buf, (size_t)size);
    }
    PyBuffer_Release(&view);
    return PyBool_FromLong(fits);
}

/* ---- Members of a list ----------------------------------------------------------------------------------------------- */

/* What NumPy's C ABI has held fixed since version 1: the leading fields of an array object. */
typedef struct {
    PyObject_HEAD
    char *data;
    int ndim;
    Py_intptr_t *shape;
    Py_intptr_t *strides;
    PyObject *base;
    PyObject *dtype;
    int flags;
} Array;
enum { ROW_MAJOR = 0x0001, ALIGNED = 0x0100 };

PyDoc_STRVAR(is_known_doc,
"is_known(array, address, shape, strides, dtype, row_major, aligned, /)\n--\n\n"
"Whether the memory of a NumPy array object says what its attributes say. To be asked before `gather`.");

static PyObject *
is_known(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    if (!expect("is_known", nargs, 7))
        return NULL;
    const Array *array = (const Array *)args[0];
    void *address = PyLong_AsVoidPtr(args[1]);
    int row_major = PyObject_IsTrue(args[5]), aligned = PyObject_IsTrue(args[6]);
    Py_ssize_t ndim = PyTuple_Check(args[2]) ? PyTuple_GET_SIZE(args[2]) : 0, shape[MAX_DIMS], strides[MAX_DIMS];
    if (ndim > MAX_DIMS || !read_sizes(args[2], shape, (int)ndim) || !read_sizes(args[3], strides, (int)ndim))
        return NULL;
    if (PyErr_Occurred())
        return NULL;
    if (Py_TYPE(array)->tp_basicsize < (Py_ssize_t)sizeof(Array) || sizeof(Py_intptr_t) != sizeof(Py_ssize_t))
        Py_RETURN_FALSE;
    if (array->data != address || array->ndim != ndim || array->dtype != args[4])
        Py_RETURN_FALSE;
    if (!(array->flags & ROW_MAJOR) != !row_major || !(array->flags & ALIGNED) != !aligned)
        Py_RETURN_FALSE;
    for (Py_ssize_t i = 0; i < ndim; i++)
        if (array->shape[i] != shape[i] || array->strides[i] != strides[i])
            Py_RETURN_FALSE;
    Py_RETURN_TRUE;
}

/* Whether an array has that many elements, in the memory that it has now. */
static int
has_size(const Array *array, Py_ssize_t size)
{
    Py_ssize_t left = size;
    for (int i = 0; i < array->ndim && left > 0; i++) {
        if (array->shape[i] <= 0 || left % array->shape[i] != 0)
            return 0;
        left /= array->shape[i];
    }
    return size == 0 || left == 1;
}

/* Whether an object is an array exactly like `model`: of its class, dtype and shape, aligned and in row-major order. */
static inline int
is_like(const Array *array, const Array *model)
{
    enum { NEEDED = ROW_MAJOR | ALIGNED };
    if (Py_TYPE(array) != Py_TYPE(model) || array->dtype != model->dtype || array->ndim != model->ndim
        || (array->flags & NEEDED) != NEEDED)
        return 0;
    for (int i = 0; i < model->ndim; i++)
        if (array->shape[i] != model->shape[i])
            return 0;
    return 1;
}

PyDoc_STRVAR(gather_doc,
"gather(model, members, number, result, size, parts, source_dtype, result_dtype, strict, threads, /)\n--\n\n"
"Convert `number` arrays of `size` elements each, which are `parts` of source_dtype each, into one block at the address\n"
"`result`. Gives their number, or the index of the first that is not exactly like `model`, an array, or that loses a\n"
"value; 0 if `model` is not the first, or if there are more or fewer members or elements by now. `is_known` must have\n"
"approved arrays of that class.");

static PyObject *
gather_few(Job *job, PyObject *const *members)
{
    Py_ssize_t i = 0;
    for (; i < job->number; i++) {
        const Array *array = (const Array *)members[i];
        char *result = job->result + i * job->count * job->cast.to;
        if (!is_like(array, (const Array *)members[0]) || cast_flat(&job->cast, array->data, result, job->count) >= 0)
            break;
    }
    return PyLong_FromSsize_t(i);
}

/* As above, without the GIL: `held` is a tuple, which nobody else can change. */
static PyObject *
gather_many(Job *job, PyObject *held, Py_ssize_t threads)
{
    PyObject *const *members = PySequence_Fast_ITEMS(held);
    const char **sources = PyMem_New(const char *, job->number);
    if (sources == NULL)
        return PyErr_NoMemory();
    Py_ssize_t i = 0;
    for (; i < job->number && is_like((const Array *)members[i], (const Array *)members[0]); i++)
        sources[i] = ((const Array *)members[i])->data;
    if (i == job->number) {
        job->members = sources;
        job->cast.large = job->number * job->count * job->cast.from >= LARGE;
        cut_members(job, threads);
        Py_ssize_t lost = do_job(job, threads);
        i = lost < 0 ? job->number : lost;
    }
    PyMem_Free(sources);
    return PyLong_FromSsize_t(i);
}

static PyObject *
gather(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Job job = {.do_part = do_members};
    if (!expect("gather", nargs, 10) || !read_cast(args + 6, &job.cast))
        return NULL;
    job.number = PyLong_AsSsize_t(args[2]);
    job.result = PyLong_AsVoidPtr(args[3]);
    Py_ssize_t size = PyLong_AsSsize_t(args[4]), parts = PyLong_AsSsize_t(args[5]);
    Py_ssize_t threads = PyLong_AsSsize_t(args[9]);
    if (PyErr_Occurred())
        return NULL;
    job.count = size * parts;
    if (!PyList_Check(args[1]) && !PyTuple_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "members must be a list or tuple");
        return NULL;
    }
    /* Another thread may have changed the list, or an array in it, since the caller made room for them. */
    PyObject *const *members = PySequence_Fast_ITEMS(args[1]);
    if (PySequence_Fast_GET_SIZE(args[1]) != job.number || job.number == 0 || size < 0
        || members[0] != args[0] || !has_size((const Array *)members[0], size))
        return PyLong_FromLong(0);
    if (job.number * job.count * (job.cast.from + job.cast.to) <= ALONE)
        return gather_few(&job, members);
    PyObject *held = PySequence_Tuple(args[1]);
    if (held != NULL && PyTuple_GET_SIZE(held) != job.number) {
        Py_DECREF(held);
        return PyLong_FromLong(0);
    }
    PyObject *number = held == NULL ? NULL : gather_many(&job, held, threads < 1 ? 1 : threads);
    Py_XDECREF(held);
    return number;
}

PyDoc_STRVAR(agree_doc,
"agree(members, getter, value, /)\n--\n\n"
"Index of the first member that is not exactly of the class of members[0], or for which `getter`, a descriptor of that\n"
"class or None, does not give `value`; the number of members if there is none.");

static PyObject *
agree(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    if (!expect("agree", nargs, 3))
        return NULL;
    descrgetfunc get = Py_TYPE(args[1])->tp_descr_get;
    int only_class = args[1] == Py_None;
    if (!(PyList_Check(args[0]) || PyTuple_Check(args[0])) || (get == NULL && !only_class)) {
        PyErr_SetString(PyExc_TypeError, "agree() takes a list or tuple and a descriptor");
        return NULL;
    }
    PyTypeObject *kind = NULL;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(args[0]); i++) {
        PyObject *member = PySequence_Fast_GET_ITEM(args[0], i);
        if (kind == NULL)
            kind = Py_TYPE(member);
        if (Py_TYPE(member) != kind)
            return PyLong_FromSsize_t(i);
        if (only_class)
            continue;
        Py_INCREF(member);
        PyObject *found = get(args[1], member, (PyObject *)kind);
        Py_DECREF(member);
        if (found == NULL)
            return NULL;
        Py_DECREF(found);
        if (found != args[2])
            return PyLong_FromSsize_t(i);
    }
    return PyLong_FromSsize_t(PySequence_Fast_GET_SIZE(args[0]));
}

PyDoc_STRVAR(share_threads_doc,
"share_threads(address, /)\n--\n\n"
"Have large work done by the OpenMP function GOMP_parallel at this address, in this process; 0 to have it done by others.");

static PyObject *
share_threads(PyObject *Py_UNUSED(module), PyObject *argument)
{
    void *address = PyLong_AsVoidPtr(argument);
    if (PyErr_Occurred())
        return NULL;
    memcpy(&torch_parallel, &address, sizeof torch_parallel);
    torch_process = PROCESS;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(is_within_doc,
"is_within(address, count, dtype, bits, /)\n--\n\n"
"Whether the absolute value of each of `count` floats is that of the float with these bits at most. NaN is not.");

#define WITHIN(U, TOP) \
    CLONED static int within_##U(const void *memory, Py_ssize_t count, U most) \
    { \
        const U *x = memory; \
        int beyond = 0; \
        for (Py_ssize_t i = 0; i < count; i++) \
            beyond |= (U)(x[i] & (U)~(TOP)) > most; \
        return !beyond; \
    }
WITHIN(u16, BIT(15)) WITHIN(u32, BIT(31)) WITHIN(u64, BIT(63))

static PyObject *
is_within(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    if (!expect("is_within", nargs, 4))
        return NULL;
    const void *memory = PyLong_AsVoidPtr(args[0]);
    Py_ssize_t count = PyLong_AsSsize_t(args[1]);
    long dtype = PyLong_AsLong(args[2]);
    u64 most = PyLong_AsUnsignedLongLong(args[3]);
    if (PyErr_Occurred())
        return NULL;
    if (dtype < FLOATS || dtype >= DTYPES) {
        PyErr_SetString(PyExc_ValueError, "no such floating dtype");
        return NULL;
    }
    switch (dtype_sizes[dtype]) {
    case 2: return PyBool_FromLong(within_u16(memory, count, (u16)most));
    case 4: return PyBool_FromLong(within_u32(memory, count, (u32)most));
    default: return PyBool_FromLong(within_u64(memory, count, most));
    }
}

static int
exec_module(PyObject *module)
{
    PyObject *dtypes = PyTuple_New(DTYPES);
    if (dtypes == NULL)
        return -1;
    for (int i = 0; i < DTYPES; i++) {
        PyObject *name = PyUnicode_FromString(dtype_names[i]);
        if (name == NULL) {
            Py_DECREF(dtypes);
            return -1;
        }
        PyTuple_SET_ITEM(dtypes, i, name);
    }
    rounds_to_f16 = best_f32_f16();
    int failed = PyModule_AddObjectRef(module, "dtypes", dtypes);
    Py_DECREF(dtypes);
    return failed;
}

static PyMethodDef methods[] = {
    {"cast", (PyCFunction)(void (*)(void))cast, METH_FASTCALL, cast_doc},
    {"cast_strided", (PyCFunction)(void (*)(void))cast_strided, METH_FASTCALL, cast_strided_doc},
    {"copy", (PyCFunction)(void (*)(void))copy, METH_FASTCALL, copy_doc},
    {"copy_buffer", (PyCFunction)(void (*)(void))copy_buffer, METH_FASTCALL, copy_buffer_doc},
    {"is_known", (PyCFunction)(void (*)(void))is_known, METH_FASTCALL, is_known_doc},
    {"gather", (PyCFunction)(void (*)(void))gather, METH_FASTCALL, gather_doc},
    {"share_threads", share_threads, METH_O, share_threads_doc},
    {"is_within", (PyCFunction)(void (*)(void))is_within, METH_FASTCALL, is_within_doc},
    {"agree", (PyCFunction)(void (*)(void))agree, METH_FASTCALL, agree_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, exec_module},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_kernels",
    .m_doc = "Casts that look at every value on the way; used by kernels.py only.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC
PyInit__kernels(void)
{
    return PyModuleDef_Init(&definition);
}
