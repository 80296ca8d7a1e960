/* Bulk reader of nested sequences of numbers; see reading.py, whose Python code defines every rule applied here.
 *
 * Four functions walk a nest: outline() looks at the first element of each level, survey() collects the kinds of all
 * leaves, fill() writes the leaves into memory, read() does for a small nest what otherwise takes several calls. Each
 * gives None for anything out of the ordinary (a ragged row, a leaf that is no number, a value that would change, an
 * integer beyond 64 bits); reading.py then reads the same nest itself, and either succeeds or words the error. So nothing
 * here creates an error message, and nothing here may accept what the Python code refuses.
 *
 * Invariants
 *  - fill() and read() write prod(shape) elements at most: every sequence is checked against shape, level by level, and checked
 *    again after anything that can run Python code.
 *  - Python code can run only in classify() (an unknown class), in walk_sequence() and first_leaf() (a sequence that
 *    is no plain list or tuple) and in a Py_DECREF that drops the last reference. A sequence is owned while such a
 *    thing can happen in it; everywhere else its elements are borrowed, which the GIL makes safe.
 *  - The memory of a NumPy scalar is read only if its class is in the table of proven classes: holds() has compared
 *    that class's layout with its own bytes. (Classes of arrays and tensors stand there too, as no numbers at all.)
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#if PY_VERSION_HEX < 0x030B0000
#include <longintrepr.h>
#define PyFloat_Unpack2(p, le) _PyFloat_Unpack2((const unsigned char *)(p), le)
#endif
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef Py_GIL_DISABLED
#error "elements are borrowed under the GIL; free-threaded builds use the Python code instead"
#endif

enum { MAX_DIMS = 64 };

/* The dtypes, in the order of number_kinds.READABLE; a test compares the two. */
enum dtype {
    BOOL, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
    FLOAT16, BFLOAT16, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128, NOTHING
};
static const char *const dtype_names[NOTHING] = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128"
};
static const int dtype_sizes[NOTHING + 1] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16, 0};

/* The kinds of leaves, in the order of number_kinds.KINDS: Python's four, then a NumPy scalar of each dtype. */
enum kind { FAILED = -4, UNREADABLE, FOREIGN, SEQUENCE, PY_BOOL, PY_INT, PY_FLOAT, PY_COMPLEX, FIRST_NUMPY };

enum casting { CHECKED, SAME_VALUE, UNSAFE };
static const char *const casting_names[] = {"checked", "same_value", "unsafe"};

typedef struct {
    PyObject *proven;   /* dict: NumPy scalar class -> kind */
    PyObject *classify; /* callable: class -> kind */
    PyObject *dtypes;   /* dict: name -> enum dtype */
    PyObject *castings; /* dict: name -> enum casting */
} State;

/* One leaf's value. INTEGER covers int64, UNSIGNED the rest of uint64; REAL and COMPLEX are float64. */
typedef struct {
    enum { INTEGER, UNSIGNED, REAL, COMPLEX } tag;
    int64_t i;
    uint64_t u;
    double re, im;
} Number;

/* Converts leading elements of `items` that are exact Python numbers and need no second look; gives their number. */
typedef Py_ssize_t (*Run)(PyObject *const *items, Py_ssize_t n, void *out, unsigned *kinds);

typedef struct {
    State *state;
    int ndim;
    Py_ssize_t shape[MAX_DIMS];
    enum dtype dtype; /* NOTHING: survey only */
    enum casting casting;
    Run run;
    int itemsize;
    char *out;             /* where the next leaf goes */
    unsigned kinds;        /* bit mask of the kinds seen */
    PyTypeObject *last;    /* owned: the class classified last, and its kind */
    enum kind last_kind;
} Walk;

/* ---- Python integers ---------------------------------------------------------------------------------------- */

/* The value of an int (or subclass) that fits int64; 0 if it does not. Runs no Python code, sets no error. */
static inline int
as_int64(PyObject *object, int64_t *value)
{
#if PY_VERSION_HEX >= 0x030C0000
    if (PyUnstable_Long_IsCompact((PyLongObject *)object)) {
        *value = PyUnstable_Long_CompactValue((PyLongObject *)object);
        return 1;
    }
#else
    /* Without a branch on the sign. A zero has room for one digit, whatever is in it. */
    const digit *digits = ((PyLongObject *)object)->ob_digit;
    Py_ssize_t size = Py_SIZE(object);
    if (size >= -1 && size <= 1) {
        *value = size * (int64_t)digits[0];
        return 1;
    }
    if (size == 2 || size == -2) {
        *value = (size >> 1) * ((int64_t)digits[1] << PyLong_SHIFT | (int64_t)digits[0]);
        return 1;
    }
#endif
    int overflow;
    *value = PyLong_AsLongLongAndOverflow(object, &overflow);
    return !overflow;
}

static int
number_of_int(PyObject *object, Number *number)
{
    number->tag = INTEGER;
    if (as_int64(object, &number->i))
        return 1;
    number->tag = UNSIGNED;
    number->u = PyLong_AsUnsignedLongLong(object);
    if (number->u == (uint64_t)-1 && PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return 1;
}

/* ---- Storing one number; 0 where the casting refuses it -------------------------------------------------------- */

static int
is_whole(double d)
{
    return isfinite(d) && d == trunc(d);
}

/* A real number reduced modulo 2**64 towards zero; NaN and infinity are 0. */
static uint64_t
wrapped(double d)
{
    if (!isfinite(d))
        return 0;
    double rest = fmod(trunc(d), 0x1p64);
    return rest < 0 ? 0 - (uint64_t)-rest : (uint64_t)rest;
}

/* Turns a whole REAL into INTEGER or UNSIGNED; 0 if it has a fraction or lies beyond 64 bits. */
static int
real_as_integer(Number *number)
{
    double d = number->re;
    if (!is_whole(d) || d < -0x1p63 || d >= 0x1p64)
        return 0;
    if (d < 0x1p63) {
        number->tag = INTEGER;
        number->i = (int64_t)d;
    }
    else {
        number->tag = UNSIGNED;
        number->u = (uint64_t)d;
    }
    return 1;
}

static int
store_integer(const Number *number, enum dtype dtype, enum casting casting, char *out)
{
    const int bits = 8 * dtype_sizes[dtype], is_signed = dtype <= INT64;
    Number whole = *number;
    uint64_t value;
    if (number->tag == REAL && casting == UNSAFE) {
        value = wrapped(number->re);
    }
    else {
        if (number->tag == REAL && !real_as_integer(&whole))
            return 0;
        value = whole.tag == UNSIGNED ? whole.u : (uint64_t)whole.i;
        if (casting != UNSAFE) {
            int negative = whole.tag == INTEGER && whole.i < 0;
            uint64_t high = UINT64_MAX >> (64 - bits + is_signed);
            if (negative ? !is_signed || whole.i < -(int64_t)high - 1 : value > high)
                return 0;
        }
    }
    switch (bits) {
    case 8: { uint8_t v = (uint8_t)value; memcpy(out, &v, sizeof v); break; }
    case 16: { uint16_t v = (uint16_t)value; memcpy(out, &v, sizeof v); break; }
    case 32: { uint32_t v = (uint32_t)value; memcpy(out, &v, sizeof v); break; }
    default: memcpy(out, &value, sizeof value);
    }
    return 1;
}

enum rounding { EXACT, ROUNDED, OVERFLOWED };

/* Writes d, rounded once to nearest even, as a 16-bit float with that many fraction bits (float16: 10, bfloat16: 7). */
static enum rounding
write_16_bits(double d, int fraction_bits, char *out)
{
    const int bias = (1 << (14 - fraction_bits)) - 1;
    const uint64_t infinity = ((uint64_t)1 << 15) - ((uint64_t)1 << fraction_bits);
    uint64_t bits, magnitude = 0;
    enum rounding rounding = EXACT;
    memcpy(&bits, &d, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7FF) - 1023;
    uint64_t significand = bits << 12 >> 12 | (uint64_t)1 << 52;
    if (exponent == 1024) {
        magnitude = isnan(d) ? infinity | (uint64_t)1 << (fraction_bits - 1) : infinity;
    }
    else if (d != 0) {
        /* Below the smallest normal exponent, more digits are cut and none is implied. */
        int is_normal = exponent >= 1 - bias;
        int cut = 52 - fraction_bits + (is_normal ? 0 : 1 - bias - exponent);
        if (cut > 54)
            cut = 54;
        uint64_t rest = significand & (((uint64_t)1 << cut) - 1), half = (uint64_t)1 << (cut - 1);
        magnitude = significand >> cut;
        magnitude += (rest + half - 1 + (magnitude & 1)) >> cut; /* more than half, or half beside an odd digit */
        /* A carry out of the digits goes into the exponent, which is right: the digits are 0 then. */
        if (is_normal)
            magnitude += (uint64_t)(exponent + bias - 1) << fraction_bits;
        rounding = rest == 0 ? EXACT : ROUNDED;
        if (magnitude >= infinity) {
            magnitude = infinity;
            rounding = OVERFLOWED;
        }
    }
    uint16_t result = (uint16_t)(bits >> 63 << 15 | magnitude);
    memcpy(out, &result, sizeof result);
    return rounding;
}

/* C leaves the narrowing of a too large double open; IEEE 754, which CPython needs, makes it infinity. */
static enum rounding
write_float(double d, enum dtype dtype, char *out)
{
    if (dtype == FLOAT16 || dtype == BFLOAT16)
        return write_16_bits(d, dtype == FLOAT16 ? 10 : 7, out);
    if (dtype == FLOAT64) {
        memcpy(out, &d, sizeof d);
        return EXACT;
    }
    float f = (float)d;
    memcpy(out, &f, sizeof f);
    if ((double)f == d || isnan(d))
        return EXACT;
    return isinf(f) ? OVERFLOWED : ROUNDED;
}

/* `exact` refuses rounding. */
static int
store_float(double d, int exact, enum dtype dtype, enum casting casting, char *out)
{
    enum rounding rounding = write_float(d, dtype, out);
    return casting == UNSAFE || rounding == EXACT || (rounding == ROUNDED && !exact);
}

static int
store_real(const Number *number, enum dtype dtype, enum casting casting, char *out)
{
    if (number->tag != INTEGER && number->tag != UNSIGNED)
        return store_float(number->re, casting == SAME_VALUE, dtype, casting, out);
    double d = number->tag == INTEGER ? (double)number->i : (double)number->u;
    int exact = number->tag == INTEGER ? d < 0x1p63 && (int64_t)d == number->i : d < 0x1p64 && (uint64_t)d == number->u;
    return (exact || casting == UNSAFE) && store_float(d, 1, dtype, casting, out);
}

static int
store_bool(const Number *number, enum casting casting, char *out)
{
    int is_one, is_zero;
    if (number->tag == INTEGER) {
        is_one = number->i == 1;
        is_zero = number->i == 0;
    }
    else {
        is_one = number->tag != UNSIGNED && number->re == 1;
        is_zero = number->tag != UNSIGNED && number->re == 0;
    }
    *out = !is_zero;
    return is_one || is_zero || casting == UNSAFE;
}

/* May overwrite the tag of a COMPLEX. */
static int
store(Number *number, enum dtype dtype, enum casting casting, char *out)
{
    int is_complex = number->tag == COMPLEX;
    if (is_complex)
        number->tag = REAL;
    if (dtype >= COMPLEX64) {
        enum dtype part = dtype == COMPLEX64 ? FLOAT32 : FLOAT64;
        double imaginary = is_complex ? number->im : 0.0;
        return store_real(number, part, casting, out)
               && store_float(imaginary, casting == SAME_VALUE, part, casting, out + dtype_sizes[part]);
    }
    if (is_complex && number->im != 0) {
        if (casting != UNSAFE)
            return 0;
        if (dtype == BOOL) {
            *out = 1;
            return 1;
        }
    }
    if (dtype == BOOL)
        return store_bool(number, casting, out);
    return dtype <= UINT64 ? store_integer(number, dtype, casting, out) : store_real(number, dtype, casting, out);
}

/* ---- Runs of exact Python numbers, one loop for each common dtype ---------------------------------------------- */

#define KIND_BIT(kind) (1u << (kind))
#define FITS_FLOAT32(d) (!(fabs(d) > FLT_MAX) || isinf(d))
#define FITS_FLOAT64(d) 1

/* INT_FITS(v) and FLOAT_FITS(d) say that the cast to T keeps the value (a float rounded within range, for float32);
 * where they say no, store() decides. `out` is aligned for T: the caller of fill() promises it. */
#define DEFINE_RUN(NAME, T, INT_FITS, FLOAT_FITS)                                                     \
    static Py_ssize_t NAME(PyObject *const *items, Py_ssize_t n, void *memory, unsigned *kinds)       \
    {                                                                                                 \
        T *out = memory;                                                                              \
        unsigned seen = 0;                                                                            \
        Py_ssize_t k = 0;                                                                             \
        for (; k < n; k++) {                                                                          \
            PyObject *leaf = items[k];                                                                \
            if (PyFloat_CheckExact(leaf)) {                                                           \
                double d = PyFloat_AS_DOUBLE(leaf);                                                   \
                (void)d;                                                                              \
                if (!(FLOAT_FITS))                                                                    \
                    break;                                                                            \
                out[k] = (T)d;                                                                        \
                seen |= KIND_BIT(PY_FLOAT);                                                           \
            }                                                                                         \
            else if (PyLong_CheckExact(leaf)) {                                                       \
                int64_t v;                                                                            \
                if (!as_int64(leaf, &v) || !(INT_FITS))                                               \
                    break;                                                                            \
                out[k] = (T)v;                                                                        \
                seen |= KIND_BIT(PY_INT);                                                             \
            }                                                                                         \
            else if (PyBool_Check(leaf)) {                                                            \
                out[k] = (T)(leaf == Py_True);                                                        \
                seen |= KIND_BIT(PY_BOOL);                                                            \
            }                                                                                         \
            else {                                                                                    \
                break;                                                                                \
            }                                                                                         \
        }                                                                                             \
        *kinds |= seen;                                                                               \
        return k;                                                                                     \
    }

DEFINE_RUN(run_bool, uint8_t, v == 0 || v == 1, 0)
DEFINE_RUN(run_int8, int8_t, (int8_t)v == v, 0)
DEFINE_RUN(run_int16, int16_t, (int16_t)v == v, 0)
DEFINE_RUN(run_int32, int32_t, (int32_t)v == v, 0)
DEFINE_RUN(run_int64, int64_t, 1, 0)
DEFINE_RUN(run_uint8, uint8_t, (uint8_t)v == v, 0)
DEFINE_RUN(run_uint16, uint16_t, (uint16_t)v == v, 0)
DEFINE_RUN(run_uint32, uint32_t, (uint32_t)v == v, 0)
DEFINE_RUN(run_uint64, uint64_t, v >= 0, 0)
DEFINE_RUN(run_float32, float, v >= -(1 << 24) && v <= 1 << 24, FITS_FLOAT32(d))
DEFINE_RUN(run_float64, double, v >= -(1LL << 53) && v <= 1LL << 53, FITS_FLOAT64(d))

#define DEFINE_COMPLEX_RUN(NAME, T, FLOAT_FITS)                                                       \
    static Py_ssize_t NAME(PyObject *const *items, Py_ssize_t n, void *memory, unsigned *kinds)       \
    {                                                                                                 \
        T *out = memory;                                                                              \
        Py_ssize_t k = 0;                                                                             \
        for (; k < n && PyComplex_CheckExact(items[k]); k++) {                                        \
            Py_complex z = ((PyComplexObject *)items[k])->cval;                                       \
            if (!FLOAT_FITS(z.real) || !FLOAT_FITS(z.imag))                                           \
                break;                                                                                \
            out[2 * k] = (T)z.real;                                                                   \
            out[2 * k + 1] = (T)z.imag;                                                               \
            *kinds |= KIND_BIT(PY_COMPLEX);                                                           \
        }                                                                                             \
        return k;                                                                                     \
    }

DEFINE_COMPLEX_RUN(run_complex64, float, FITS_FLOAT32)
DEFINE_COMPLEX_RUN(run_complex128, double, FITS_FLOAT64)

/* The run of a survey: every exact Python number counts, whatever its value. */
static Py_ssize_t
run_nothing(PyObject *const *items, Py_ssize_t n, void *Py_UNUSED(memory), unsigned *kinds)
{
    unsigned seen = 0;
    Py_ssize_t k = 0;
    for (; k < n; k++) {
        if (PyFloat_CheckExact(items[k]))
            seen |= KIND_BIT(PY_FLOAT);
        else if (PyLong_CheckExact(items[k]))
            seen |= KIND_BIT(PY_INT);
        else if (PyBool_Check(items[k]))
            seen |= KIND_BIT(PY_BOOL);
        else
            break;
    }
    *kinds |= seen;
    return k;
}

/* The loop for a dtype, or NULL where every leaf goes through store(). */
static Run
run_for(enum dtype dtype, enum casting casting)
{
    static const Run runs[NOTHING + 1] = {
        [BOOL] = run_bool, [INT8] = run_int8, [INT16] = run_int16, [INT32] = run_int32, [INT64] = run_int64,
        [UINT8] = run_uint8, [UINT16] = run_uint16, [UINT32] = run_uint32, [UINT64] = run_uint64,
        [FLOAT32] = run_float32, [FLOAT64] = run_float64, [COMPLEX64] = run_complex64, [COMPLEX128] = run_complex128,
        [NOTHING] = run_nothing,
    };
    return casting == SAME_VALUE && (dtype == FLOAT32 || dtype == COMPLEX64) ? NULL : runs[dtype];
}

/* ---- Leaves ------------------------------------------------------------------------------------------------------ */

/* The kind of an instance of `type`, which the caller keeps alive; FAILED with an error set. May run Python code. */
static enum kind
classify(Walk *walk, PyTypeObject *type)
{
    if (type == walk->last)
        return walk->last_kind;
    PyObject *code = PyDict_GetItemWithError(walk->state->proven, (PyObject *)type);
    long kind = FAILED;
    if (code != NULL) {
        kind = PyLong_AsLong(code);
    }
    else if (!PyErr_Occurred() && PyType_IsSubtype(type, &PyLong_Type)) {
        kind = PY_INT;
    }
    else if (!PyErr_Occurred()) {
        code = PyObject_CallOneArg(walk->state->classify, (PyObject *)type);
        if (code != NULL)
            kind = PyLong_AsLong(code);
        Py_XDECREF(code);
    }
    if (PyErr_Occurred() || kind < UNREADABLE || kind >= FIRST_NUMPY + NOTHING)
        return FAILED;
    Py_INCREF(type);
    PyTypeObject *before = walk->last;
    walk->last = type;
    walk->last_kind = (enum kind)kind;
    Py_XDECREF(before);
    return (enum kind)kind;
}

static enum kind
kind_of(Walk *walk, PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    if (type == &PyFloat_Type)
        return PY_FLOAT;
    if (type == &PyLong_Type)
        return PY_INT;
    if (type == &PyBool_Type)
        return PY_BOOL;
    if (type == &PyComplex_Type)
        return PY_COMPLEX;
    if (type == &PyList_Type || type == &PyTuple_Type)
        return SEQUENCE;
    return classify(walk, type);
}

#define READ(T, target)                     \
    do {                                    \
        T stored;                           \
        memcpy(&stored, data, sizeof(T));   \
        data += sizeof(T);                  \
        target = stored;                    \
    } while (0)

/* The value that a NumPy scalar of a proven class stores right behind its object header. */
static void
number_of_scalar(PyObject *leaf, enum dtype dtype, Number *number)
{
    const char *data = (const char *)leaf + sizeof(PyObject);
    number->tag = dtype <= UINT64 ? INTEGER : dtype <= FLOAT64 ? REAL : COMPLEX;
    switch (dtype) {
    case BOOL: READ(uint8_t, number->i); break;
    case INT8: READ(int8_t, number->i); break;
    case INT16: READ(int16_t, number->i); break;
    case INT32: READ(int32_t, number->i); break;
    case INT64: READ(int64_t, number->i); break;
    case UINT8: READ(uint8_t, number->i); break;
    case UINT16: READ(uint16_t, number->i); break;
    case UINT32: READ(uint32_t, number->i); break;
    case UINT64:
        READ(uint64_t, number->u);
        number->i = (int64_t)number->u;
        if (number->u > INT64_MAX)
            number->tag = UNSIGNED;
        break;
    case FLOAT16: number->re = PyFloat_Unpack2(data, PY_LITTLE_ENDIAN); break;
    case BFLOAT16: {
        uint32_t bits;
        float f;
        READ(uint16_t, bits);
        bits <<= 16;
        memcpy(&f, &bits, sizeof f);
        number->re = f;
        break;
    }
    case FLOAT32: READ(float, number->re); break;
    case COMPLEX64:
        READ(float, number->re);
        READ(float, number->im);
        break;
    case COMPLEX128:
        READ(double, number->re);
        READ(double, number->im);
        break;
    default: READ(double, number->re);
    }
}

/* 0 for an integer beyond 64 bits. */
static int
number_of(PyObject *leaf, enum kind kind, Number *number)
{
    switch (kind) {
    case PY_INT:
        return number_of_int(leaf, number);
    case PY_BOOL:
        number->tag = INTEGER;
        number->i = leaf == Py_True;
        return 1;
    case PY_FLOAT:
        number->tag = REAL;
        number->re = PyFloat_AS_DOUBLE(leaf);
        return 1;
    case PY_COMPLEX:
        number->tag = COMPLEX;
        number->re = ((PyComplexObject *)leaf)->cval.real;
        number->im = ((PyComplexObject *)leaf)->cval.imag;
        return 1;
    default:
        number_of_scalar(leaf, (enum dtype)(kind - FIRST_NUMPY), number);
        return 1;
    }
}

/* ---- The walk: 1 done, 0 refused (perhaps with an error set) ----------------------------------------------------- */

/* Writes a leaf of this kind where the walk has come to. Runs no Python code. */
static int
write_leaf(Walk *walk, PyObject *leaf, enum kind kind)
{
    Number number = {.tag = INTEGER};
    if (walk->dtype == NOTHING)
        return 1;
    if (!number_of(leaf, kind, &number) || !store(&number, walk->dtype, walk->casting, walk->out))
        return 0;
    walk->out += walk->itemsize;
    return 1;
}

/* `write_alike` for NumPy scalars of the dtype that is asked for: their bytes are what to write. */
static Py_ssize_t
write_unchanged(Walk *walk, PyObject *const *items, Py_ssize_t n, PyTypeObject *type)
{
    char *out = walk->out;
    Py_ssize_t k = 0;
#define COPY(SIZE)                                                                          \
    case SIZE:                                                                              \
        for (; k < n && Py_TYPE(items[k]) == type; k++, out += SIZE)                        \
            memcpy(out, (const char *)items[k] + sizeof(PyObject), SIZE);                   \
        break;
    switch (walk->itemsize) {
        COPY(1) COPY(2) COPY(4) COPY(8) COPY(16)
    }
    walk->out = out;
    return k;
}

/* Writes those leading `items` that are of this class and kind, and gives their number. Runs no Python code. */
static Py_ssize_t
write_alike(Walk *walk, PyObject *const *items, Py_ssize_t n, PyTypeObject *type, enum kind kind)
{
    Py_ssize_t k = 0;
    if (kind - FIRST_NUMPY == (int)walk->dtype)
        return write_unchanged(walk, items, n, type);
    while (k < n && Py_TYPE(items[k]) == type && write_leaf(walk, items[k], kind))
        k++;
    return k;
}

/* Reads one leaf, owned by the caller; its kind is negative where it is refused. */
static enum kind
walk_leaf(Walk *walk, PyObject *leaf)
{
    enum kind kind = kind_of(walk, leaf);
    if (kind < 0)
        return kind;
    walk->kinds |= KIND_BIT(kind);
    return write_leaf(walk, leaf, kind) ? kind : UNREADABLE;
}

/* The leaves of `row`, a list or tuple owned by the caller. */
static int
walk_leaves(Walk *walk, PyObject *row, Py_ssize_t length)
{
    Py_ssize_t k = 0;
    while (k < length) {
        if (PySequence_Fast_GET_SIZE(row) != length)
            return 0;
        if (walk->run != NULL) {
            Py_ssize_t done = walk->run(PySequence_Fast_ITEMS(row) + k, length - k, walk->out, &walk->kinds);
            walk->out += done * walk->itemsize;
            k += done;
            if (k == length)
                break;
        }
        PyObject *leaf = PySequence_Fast_GET_ITEM(row, k);
        Py_INCREF(leaf);
        enum kind kind = walk_leaf(walk, leaf);
        k++;
        /* What the run knows is left to it; of other classes there may be many in a row. */
        if (kind >= 0 && (walk->run == NULL || kind >= FIRST_NUMPY) && PySequence_Fast_GET_SIZE(row) == length)
            k += write_alike(walk, PySequence_Fast_ITEMS(row) + k, length - k, Py_TYPE(leaf), kind);
        Py_DECREF(leaf);
        if (kind < 0)
            return 0;
    }
    return 1;
}

/* Whether the items in memory are what len() and iter() of a list, a tuple or a subclass would give. */
static int
is_plain(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object), *ancestor;
    if (type == &PyList_Type || type == &PyTuple_Type)
        return 1;
    if (PyTuple_Check(object))
        ancestor = &PyTuple_Type;
    else if (PyList_Check(object))
        ancestor = &PyList_Type;
    else
        return 0;
    return type->tp_iter == ancestor->tp_iter && type->tp_as_sequence->sq_length == ancestor->tp_as_sequence->sq_length;
}

static int walk_sequence(Walk *walk, PyObject *node, int depth);

/* The elements of `node`, a list or tuple owned by the caller, at `depth`. */
static int
walk_elements(Walk *walk, PyObject *node, int depth)
{
    Py_ssize_t length = walk->shape[depth], row_length;
    if (PySequence_Fast_GET_SIZE(node) != length)
        return 0;
    if (depth + 1 == walk->ndim)
        return walk_leaves(walk, node, length);
    int above_leaves = depth + 2 == walk->ndim && walk->run != NULL;
    row_length = walk->shape[depth + 1];
    for (Py_ssize_t k = 0; k < length; k++) {
        if (PySequence_Fast_GET_SIZE(node) != length)
            return 0;
        PyObject *row = PySequence_Fast_GET_ITEM(node, k);
        if (above_leaves && is_plain(row) && PySequence_Fast_GET_SIZE(row) == row_length) {
            if (walk->run(PySequence_Fast_ITEMS(row), row_length, walk->out, &walk->kinds) == row_length) {
                walk->out += row_length * walk->itemsize;
                continue;
            }
        }
        Py_INCREF(row);
        int done = walk_sequence(walk, row, depth + 1);
        Py_DECREF(row);
        if (!done)
            return 0;
    }
    return 1;
}

/* Any sequence, owned by the caller, at `depth`. */
static int
walk_sequence(Walk *walk, PyObject *node, int depth)
{
    if (is_plain(node))
        return walk_elements(walk, node, depth);
    if (kind_of(walk, node) != SEQUENCE || PyObject_Size(node) != walk->shape[depth])
        return 0;
    PyObject *elements = PySequence_List(node);
    if (elements == NULL)
        return 0;
    int done = walk_elements(walk, elements, depth);
    Py_DECREF(elements);
    return done;
}

static int
walk_nest(Walk *walk, PyObject *nested)
{
    int done = walk->ndim ? walk_sequence(walk, nested, 0) : walk_leaf(walk, nested) >= 0;
    Py_CLEAR(walk->last);
    return done;
}

/* ---- Functions of the module ----------------------------------------------------------------------------------- */

/* None, so that the Python code has its turn; but what is no ordinary error (KeyboardInterrupt) goes on. */
static PyObject *
refused(void)
{
    if (PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_Exception))
            return NULL;
        PyErr_Clear();
    }
    Py_RETURN_NONE;
}

static int
has_arguments(const char *name, Py_ssize_t given, Py_ssize_t wanted)
{
    if (given != wanted)
        PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments, not %zd", name, wanted, given);
    return given == wanted;
}

static int
read_shape(Walk *walk, PyObject *shape)
{
    if (!PyTuple_Check(shape) || PyTuple_GET_SIZE(shape) > MAX_DIMS) {
        PyErr_SetString(PyExc_TypeError, "shape must be a tuple of at most 64 lengths");
        return 0;
    }
    walk->ndim = (int)PyTuple_GET_SIZE(shape);
    for (int depth = 0; depth < walk->ndim; depth++) {
        walk->shape[depth] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, depth));
        if (walk->shape[depth] == -1 && PyErr_Occurred())
            return 0;
    }
    return 1;
}

/* The code of `name` in a dict of codes, -1 if it has none (perhaps with an error set). */
static int
code_of(PyObject *codes, PyObject *name)
{
    PyObject *code = PyDict_GetItemWithError(codes, name);
    return code == NULL ? -1 : (int)PyLong_AsLong(code);
}

PyDoc_STRVAR(outline_doc,
"outline(nested) -> (shape, kinds, leaf) or None\n\n"
"Shape by the first element of each level; a mask of one bit for the kind of the first leaf, 0 in an empty nest. Where\n"
"the first leaf has memory of its own, -1 and the leaf, which is None otherwise.");

/* Descends from `nested` along first elements, filling in shape. A new reference to where the descent ended: the first
 * leaf, an empty sequence (*is_empty), or a sequence that cannot be entered; NULL where a sequence gave no element. */
static PyObject *
first_leaf(Walk *walk, PyObject *nested, int *is_empty)
{
    PyObject *node = Py_NewRef(nested), *first;
    while (kind_of(walk, node) == SEQUENCE) {
        Py_ssize_t length = walk->ndim < MAX_DIMS ? PyObject_Size(node) : -1;
        if (length < 0)
            break;
        walk->shape[walk->ndim++] = length;
        *is_empty = length == 0;
        if (*is_empty)
            break;
        if (is_plain(node) && PySequence_Fast_GET_SIZE(node) > 0) {
            first = Py_NewRef(PySequence_Fast_GET_ITEM(node, 0));
        }
        else {
            PyObject *iterator = PyObject_GetIter(node);
            first = iterator == NULL ? NULL : PyIter_Next(iterator);
            Py_XDECREF(iterator);
        }
        Py_DECREF(node);
        if (first == NULL)
            return NULL;
        node = first;
    }
    return node;
}

static PyObject *
outline(PyObject *module, PyObject *nested)
{
    Walk walk = {.state = PyModule_GetState(module)};
    int is_empty = 0;
    PyObject *leaf = first_leaf(&walk, nested, &is_empty);
    enum kind kind = leaf == NULL || PyErr_Occurred() ? FAILED : kind_of(&walk, leaf);
    Py_CLEAR(walk.last);
    int is_foreign = !is_empty && kind == FOREIGN;
    if (!is_foreign)
        Py_XSETREF(leaf, Py_NewRef(Py_None));
    PyObject *shape = PyErr_Occurred() || (!is_empty && kind < 0 && !is_foreign) ? NULL : PyTuple_New(walk.ndim);
    for (int depth = 0; shape != NULL && depth < walk.ndim; depth++) {
        PyObject *length = PyLong_FromSsize_t(walk.shape[depth]);
        if (length == NULL)
            Py_CLEAR(shape);
        else
            PyTuple_SET_ITEM(shape, depth, length);
    }
    if (shape == NULL) {
        Py_DECREF(leaf);
        return refused();
    }
    return Py_BuildValue("(NiN)", shape, is_foreign ? -1 : is_empty ? 0 : (int)KIND_BIT(kind), leaf);
}

PyDoc_STRVAR(survey_doc,
"survey(nested, shape) -> kinds or None\n\n"
"A mask of the kinds of all leaves of a nest that has this shape.");

static PyObject *
survey(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    Walk walk = {.state = PyModule_GetState(module), .dtype = NOTHING, .run = run_nothing};
    if (!has_arguments("survey", nargs, 2) || !read_shape(&walk, args[1]))
        return NULL;
    return walk_nest(&walk, args[0]) ? PyLong_FromUnsignedLong(walk.kinds) : refused();
}

PyDoc_STRVAR(fill_doc,
"fill(nested, shape, address, dtype, casting) -> kinds or None\n\n"
"Writes the leaves of a nest that has this shape to address, where prod(shape) aligned elements of dtype must be\n"
"writable; a mask of their kinds. None, after writing some of it, where anything is out of the ordinary.");

static PyObject *
fill(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    State *state = PyModule_GetState(module);
    Walk walk = {.state = state};
    if (!has_arguments("fill", nargs, 5) || !read_shape(&walk, args[1]))
        return NULL;
    walk.out = PyLong_AsVoidPtr(args[2]);
    int dtype = code_of(state->dtypes, args[3]), casting = code_of(state->castings, args[4]);
    if (PyErr_Occurred())
        return NULL;
    int is_empty = 0;
    for (int depth = 0; depth < walk.ndim; depth++)
        is_empty |= walk.shape[depth] == 0;
    if (dtype < 0 || casting < 0 || (walk.out == NULL && !is_empty))
        return refused();
    walk.dtype = (enum dtype)dtype;
    walk.casting = (enum casting)casting;
    walk.run = run_for(walk.dtype, walk.casting);
    walk.itemsize = dtype_sizes[dtype];
    return walk_nest(&walk, args[0]) ? PyLong_FromUnsignedLong(walk.kinds) : refused();
}

PyDoc_STRVAR(read_doc,
"read(nested, (makers, dtypes, data_ptr, most, guards)) -> object or None\n\n"
"The values of a small nest in a fresh object, in one call. makers has a callable for each kind (or None), which takes\n"
"lengths and gives an object of that shape; dtypes its dtype, by number, as bytes; data_ptr gives the address of such an\n"
"object, where that many aligned elements must be writable. None where anything is out of the ordinary: more than `most`\n"
"bytes, kinds that do not agree, or one of guards, a tuple of callables, not giving something false. makers itself where\n"
"nothing is, but the first leaf has memory of its own.");

/* Whether a tuple of callables all give something false; 0 also with an error set. */
static int
all_quiet(PyObject *guards)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(guards); i++) {
        PyObject *answer = PyObject_CallNoArgs(PyTuple_GET_ITEM(guards, i));
        int loud = answer == NULL ? 1 : PyObject_IsTrue(answer);
        Py_XDECREF(answer);
        if (loud)
            return 0;
    }
    return 1;
}

/* A new object of the walk's shape; NULL, perhaps without an error, where it would have more than `most` bytes. */
static PyObject *
new_room(const Walk *walk, PyObject *make, Py_ssize_t most)
{
    PyObject *lengths[MAX_DIMS], *room = NULL;
    Py_ssize_t left = most / walk->itemsize;
    int depth = 0;
    for (; depth < walk->ndim && left >= walk->shape[depth]; depth++) {
        left /= walk->shape[depth];
        lengths[depth] = PyLong_FromSsize_t(walk->shape[depth]);
        if (lengths[depth] == NULL)
            break;
    }
    if (depth == walk->ndim)
        room = PyObject_Vectorcall(make, lengths, (size_t)depth, NULL);
    while (depth > 0)
        Py_DECREF(lengths[--depth]);
    return room;
}

/* The kind whose dtype leaves of these kinds make together: the greatest, as they are Python numbers, or the only one.
 * FAILED for others. */
static enum kind
greatest(unsigned kinds)
{
    for (int kind = PY_BOOL; kind <= PY_COMPLEX; kind++)
        if (kinds < KIND_BIT(kind + 1))
            return (enum kind)kind;
    for (int kind = FIRST_NUMPY; kind < FIRST_NUMPY + NOTHING; kind++)
        if (kinds == KIND_BIT(kind))
            return (enum kind)kind;
    return FAILED;
}

typedef struct {
    PyObject *makers, *codes, *data_ptr, *guards;
    Py_ssize_t most;
} Rooms;

static int
read_rooms(PyObject *tuple, Rooms *rooms)
{
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != 5) {
        PyErr_SetString(PyExc_TypeError, "read() takes a tuple of five");
        return 0;
    }
    PyObject **args = PySequence_Fast_ITEMS(tuple);
    *rooms = (Rooms){args[0], args[1], args[2], args[4], PyLong_AsSsize_t(args[3])};
    if (PyErr_Occurred())
        return 0;
    Py_ssize_t kinds = FIRST_NUMPY + NOTHING;
    if (PyTuple_Check(rooms->makers) && PyTuple_GET_SIZE(rooms->makers) == kinds && PyBytes_Check(rooms->codes)
        && PyBytes_GET_SIZE(rooms->codes) == kinds && PyTuple_Check(rooms->guards))
        return 1;
    PyErr_SetString(PyExc_TypeError, "read() takes a maker and a dtype for every kind, and a tuple of guards");
    return 0;
}

/* The nest in a fresh room for leaves of this kind; NULL, perhaps without an error, where it does not fit. */
static PyObject *
read_as(Walk *walk, const Rooms *rooms, enum kind kind, PyObject *nested)
{
    PyObject *make = PyTuple_GET_ITEM(rooms->makers, kind);
    if (make == Py_None)
        return NULL;
    walk->dtype = (enum dtype)((unsigned char)PyBytes_AS_STRING(rooms->codes)[kind] % NOTHING);
    walk->itemsize = dtype_sizes[walk->dtype];
    walk->run = run_for(walk->dtype, walk->casting);
    walk->kinds = 0;
    PyObject *room = new_room(walk, make, rooms->most);
    PyObject *address = room == NULL ? NULL : PyObject_CallOneArg(rooms->data_ptr, room);
    walk->out = address == NULL ? NULL : PyLong_AsVoidPtr(address);
    Py_XDECREF(address);
    if (walk->out != NULL && walk_nest(walk, nested) && greatest(walk->kinds) == kind)
        return room;
    Py_XDECREF(room);
    return NULL;
}

static PyObject *
read_small(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    Walk walk = {.state = PyModule_GetState(module), .casting = CHECKED};
    Rooms rooms;
    if (!has_arguments("read", nargs, 2) || !read_rooms(args[1], &rooms))
        return NULL;
    int is_empty = 0;
    PyObject *leaf = first_leaf(&walk, args[0], &is_empty), *room = NULL;
    enum kind kind = leaf == NULL || is_empty || PyErr_Occurred() ? FAILED : kind_of(&walk, leaf), before = SEQUENCE;
    Py_XDECREF(leaf);
    int quiet = walk.ndim > 0 && all_quiet(rooms.guards);
    if (quiet && kind == FOREIGN)
        room = Py_NewRef(rooms.makers);
    /* A first leaf that was a bad guess is followed by a better one. */
    if (quiet)
        for (; room == NULL && kind > before && !PyErr_Occurred(); before = kind, kind = greatest(walk.kinds))
            room = read_as(&walk, &rooms, kind, args[0]);
    Py_CLEAR(walk.last);
    return room != NULL ? room : refused();
}

PyDoc_STRVAR(holds_doc,
"holds(scalar, raw) -> bool\n\n"
"Whether scalar stores the bytes raw right behind its object header, where fill() would read them.");

static PyObject *
holds(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    if (!has_arguments("holds", nargs, 2))
        return NULL;
    char *raw;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(args[1], &raw, &size) < 0)
        return NULL;
    int fits = Py_TYPE(args[0])->tp_basicsize >= (Py_ssize_t)sizeof(PyObject) + size;
    return PyBool_FromLong(fits && memcmp((const char *)args[0] + sizeof(PyObject), raw, (size_t)size) == 0);
}

PyDoc_STRVAR(configure_doc,
"configure(proven, classify)\n\n"
"Sets the dict that gives the kind of each NumPy scalar class whose layout is proven (and of other classes that are no\n"
"numbers), and the callable that gives the kind of any class that is not there (and may add to the dict).");

static PyObject *
configure(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    State *state = PyModule_GetState(module);
    if (!has_arguments("configure", nargs, 2))
        return NULL;
    if (!PyDict_CheckExact(args[0])) {
        PyErr_SetString(PyExc_TypeError, "proven must be a dict");
        return NULL;
    }
    Py_XSETREF(state->proven, Py_NewRef(args[0]));
    Py_XSETREF(state->classify, Py_NewRef(args[1]));
    Py_RETURN_NONE;
}

/* ---- Module ------------------------------------------------------------------------------------------------------ */

/* A dict that gives the position of each name. */
static PyObject *
numbered(const char *const *names, int count)
{
    PyObject *codes = PyDict_New();
    for (int code = 0; codes != NULL && code < count; code++) {
        PyObject *number = PyLong_FromLong(code);
        if (number == NULL || PyDict_SetItemString(codes, names[code], number) < 0)
            Py_CLEAR(codes);
        Py_XDECREF(number);
    }
    return codes;
}

static int
exec_module(PyObject *module)
{
    State *state = PyModule_GetState(module);
    state->dtypes = numbered(dtype_names, NOTHING);
    state->castings = numbered(casting_names, UNSAFE + 1);
    if (state->dtypes == NULL || state->castings == NULL)
        return -1;
    state->proven = PyDict_New();
    state->classify = Py_NewRef(Py_None);
    PyObject *names = PySequence_Tuple(state->dtypes);
    if (state->proven == NULL || names == NULL || PyModule_AddObject(module, "DTYPES", names) < 0) {
        Py_XDECREF(names);
        return -1;
    }
    return 0;
}

static int
traverse_module(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->proven);
    Py_VISIT(state->classify);
    Py_VISIT(state->dtypes);
    Py_VISIT(state->castings);
    return 0;
}

static int
clear_module(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->proven);
    Py_CLEAR(state->classify);
    Py_CLEAR(state->dtypes);
    Py_CLEAR(state->castings);
    return 0;
}

static void
free_module(void *module)
{
    clear_module(module);
}

static PyMethodDef methods[] = {
    {"outline", outline, METH_O, outline_doc},
    {"survey", (PyCFunction)(void (*)(void))survey, METH_FASTCALL, survey_doc},
    {"fill", (PyCFunction)(void (*)(void))fill, METH_FASTCALL, fill_doc},
    {"read", (PyCFunction)(void (*)(void))read_small, METH_FASTCALL, read_doc},
    {"holds", (PyCFunction)(void (*)(void))holds, METH_FASTCALL, holds_doc},
    {"configure", (PyCFunction)(void (*)(void))configure, METH_FASTCALL, configure_doc},
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
    .m_name = "_reader",
    .m_doc = "Bulk reader of nested sequences of numbers; used by reading.py only.",
    .m_size = sizeof(State),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC
PyInit__reader(void)
{
    return PyModuleDef_Init(&definition);
}
