/* What the tracer asks of each call of torch's Python interface, in C: the conditions of hooks/interest.py, which says
   what they mean, and which is used where this was not built. CPython's own API only.

   Calls(mode=, plain=, followers=, learn=, attention=, library=, tables=)(func, types, args, kwargs) runs the call, and has it
   looked at where that is needed; Calls.interest(traits, name, args, result) gives the bits of what needs a look.
   address(tensor) -> where the memory of a plain tensor begins; 0 if only its storage can tell. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

enum { /* what the name of a call says about it */
    IN_PLACE = 1 << 0, USES = 1 << 1, LEAVES = 1 << 2, VALUELESS = 1 << 3, CASTS = 1 << 4, ADDS = 1 << 5, SUMS = 1 << 6,
    RELATES = 1 << 7, CONVERTS = 1 << 8, PARTS = 1 << 9, DIFFERS = 1 << 10, COMPUTES = 1 << 11, UPDATES = 1 << 12,
    GIVES_GRADIENT = 1 << 13, ASKS = 1 << 14
};
enum { /* what of a call needs a look */
    READ = 1 << 0, GRAPH = 1 << 1, MEMORY = 1 << 2, PAIR = 1 << 3, UPDATE = 1 << 4, GRADIENT = 1 << 5, ASKED = 1 << 6,
    EVERYTHING = (1 << 5) - 1
};
enum { MOST_IN_LIST = 64, MOST_FOLLOWED = 16, MOST_NESTED = 8, FOLLOWED = -1 };

enum { SNAPSHOTS, BIRTHS, UNREAD, GROWING, COPIED, CARRIED, PROPAGATED, SETTLED, TABLES };
static const char *const table_names[TABLES] = {
    "snapshots", "births", "unread", "growing", "copied", "carried", "propagated", "settled",
};

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *mode;      /* whose __torch_function__ this is; torch asks for __self__ */
    PyObject *plain;     /* (torch.Tensor, torch.nn.Parameter) */
    PyObject *followers; /* dict: function -> None or (traits, look, name) */
    PyObject *learn;     /* function -> its entry */
    PyObject *attention; /* its attribute `away` says whether the thread is at the session's own work */
    PyObject *library;   /* dict: file -> whether it is library code, as far as known */
    PyObject *user_site; /* () -> the line of the program that is running */
    PyObject *gradients; /* its attribute `escaped` says what left the graph as Python numbers */
    PyObject *tables[TABLES];
} Calls;

static PyObject *str_requires_grad, *str_away, *str_escaped, *str_dtype;

static int is_plain(Calls *self, PyObject *value)
{
    PyObject *kind = (PyObject *)Py_TYPE(value);
    return kind == PyTuple_GET_ITEM(self->plain, 0) || kind == PyTuple_GET_ITEM(self->plain, 1);
}

/* 1 or 0: whether an attribute is true; -1 with an exception set. */
static int is_true(PyObject *object, PyObject *name)
{
    PyObject *value = PyObject_GetAttr(object, name);
    if (value == NULL)
        return -1;
    int truth = PyObject_IsTrue(value);
    Py_DECREF(value);
    return truth;
}

/* 1 or 0: whether a table holds an object, by its identity; -1 with an exception set. */
static int holds(Calls *self, int which, PyObject *object)
{
    PyObject *table = self->tables[which];
    if (PyDict_GET_SIZE(table) == 0)
        return 0;
    PyObject *key = PyLong_FromVoidPtr(object);
    if (key == NULL)
        return -1;
    int found = PyDict_Contains(table, key);
    Py_DECREF(key);
    return found;
}

static int is_sequence(PyObject *value) { return PyList_CheckExact(value) || PyTuple_CheckExact(value); }

static Py_ssize_t at_most(PyObject *sequence, Py_ssize_t most)
{
    Py_ssize_t size = PySequence_Fast_GET_SIZE(sequence);
    return size < most ? size : most;
}

/* 1 or 0; -1 with an exception set. */
static int is_read(Calls *self, long traits, Py_ssize_t place, PyObject *argument)
{
    int found = 0;
    if (is_plain(self, argument)) {
        if (PyDict_GET_SIZE(self->tables[UNREAD]) != 0 && !(place == 0 && traits & IN_PLACE))
            return 1;
        if ((found = holds(self, SNAPSHOTS, argument)) == 0 && (found = holds(self, GROWING, argument)) == 0 &&
            traits & USES)
            found = holds(self, COPIED, argument);
    }
    else if (is_sequence(argument) && PyDict_GET_SIZE(self->tables[SNAPSHOTS]) != 0)
        for (Py_ssize_t i = 0; found == 0 && i < at_most(argument, MOST_IN_LIST); i++)
            found = holds(self, SNAPSHOTS, PySequence_Fast_GET_ITEM(argument, i));
    return found;
}

/* The first of the arguments that is on the graph, borrowed, and whether any carries what was cut off it. */
typedef struct {
    PyObject *on;
    int carries;
} Inputs;

static int look_at_inputs(Calls *self, PyObject *arguments, Py_ssize_t most, int depth, Inputs *found)
{
    if (depth > MOST_NESTED) {
        found->carries = 1; /* nobody nests so deep: have it looked at */
        return 0;
    }
    for (Py_ssize_t i = 0; i < at_most(arguments, most); i++) {
        PyObject *argument = PySequence_Fast_GET_ITEM(arguments, i);
        if (is_plain(self, argument)) {
            int on = found->on == NULL ? is_true(argument, str_requires_grad) : 0;
            int carries = holds(self, CARRIED, argument);
            if (on < 0 || carries < 0)
                return -1;
            if (on)
                found->on = argument;
            found->carries |= carries;
        }
        else if (is_sequence(argument) && look_at_inputs(self, argument, MOST_FOLLOWED, depth + 1, found) < 0)
            return -1;
    }
    return 0;
}

static int is_number_back(Calls *self, PyObject *args)
{
    int escaped = is_true(self->gradients, str_escaped);
    for (Py_ssize_t i = 0; escaped == 1 && i < PyTuple_GET_SIZE(args); i++)
        if (PyFloat_CheckExact(PyTuple_GET_ITEM(args, i)))
            return 1;
    return escaped < 0 ? -1 : 0;
}

/* 1 or 0: whether the cuts that an operation makes at this line of the program need not be followed; -1 with an exception set. */
static int is_settled(Calls *self, PyObject *name)
{
    if (PyDict_GET_SIZE(self->tables[SETTLED]) == 0)
        return 0;
    PyObject *site = PyObject_CallNoArgs(self->user_site);
    PyObject *names = site == NULL ? NULL : PyDict_GetItemWithError(self->tables[SETTLED], site);
    Py_XDECREF(site);
    if (names == NULL)
        return PyErr_Occurred() ? -1 : 0;
    return PyDict_Check(names) ? PyDict_Contains(names, name) : 0;
}

/* 1 or 0; -1 with an exception set. */
static int concerns_the_graph(Calls *self, long traits, PyObject *name, PyObject *args, PyObject *result)
{
    Inputs found = {NULL, 0};
    if (look_at_inputs(self, args, PY_SSIZE_T_MAX, 0, &found) < 0)
        return -1;
    int back = !found.carries && traits & SUMS ? is_number_back(self, args) : 0;
    if (found.carries || back != 0)
        return found.carries ? 1 : back;
    if (found.on == NULL)
        return 0;
    PyObject *first = PyTuple_CheckExact(result) && PyTuple_GET_SIZE(result) ? PyTuple_GET_ITEM(result, 0) : result;
    int plain = is_plain(self, first), on = plain ? is_true(first, str_requires_grad) : 0;
    if (on < 0)
        return -1;
    if (!(traits & VALUELESS) && (traits & LEAVES || (plain && !on && first != found.on))) {
        int settled = is_settled(self, name);
        return settled < 0 ? -1 : !settled;
    }
    return on && (traits & CASTS || (traits & ADDS && PyDict_GET_SIZE(self->tables[PROPAGATED]) != 0));
}

/* Whether the code that made the call is a library's, as far as is known: 1 or 0. */
static int is_called_by_a_library(Calls *self)
{
    PyFrameObject *frame = PyEval_GetFrame();
    if (frame == NULL)
        return 0;
    PyCodeObject *code = PyFrame_GetCode(frame);
    PyObject *known = PyDict_GetItem(self->library, code->co_filename);
    Py_DECREF(code);
    return known == Py_True;
}

/* 1 or 0; -1 with an exception set. */
static int relates(Calls *self, long traits, PyObject *source, PyObject *result)
{
    if (result == source) {
        if (!(traits & CONVERTS) || is_called_by_a_library(self))
            return 0;
        int on = is_true(source, str_requires_grad);
        return on < 0 ? -1 : !on;
    }
    if (is_plain(self, result))
        return 1;
    return traits & PARTS && (PyList_Check(result) || PyTuple_Check(result)) && PySequence_Fast_GET_SIZE(result) &&
           is_plain(self, PySequence_Fast_GET_ITEM(result, 0));
}

static int have_other_dtypes(PyObject *left, PyObject *right)
{
    PyObject *one = PyObject_GetAttr(left, str_dtype), *other = one == NULL ? NULL : PyObject_GetAttr(right, str_dtype);
    int differ = other == NULL ? -1 : one != other;
    Py_XDECREF(one);
    Py_XDECREF(other);
    return differ;
}

/* Bits, or -1 with an exception set. */
static int pair(Calls *self, long traits, PyObject *args)
{
    PyObject *left = PyTuple_GET_ITEM(args, 0), *right = PyTuple_GET_ITEM(args, 1);
    int needs = 0, found = 0;
    if (PyTuple_GET_SIZE(args) == 2) {
        if (traits & DIFFERS && (found = holds(self, BIRTHS, left)) == 0)
            found = holds(self, BIRTHS, right);
        if (found == 0 && traits & COMPUTES)
            found = have_other_dtypes(left, right);
        if (found < 0)
            return -1;
        needs |= found ? PAIR : 0;
    }
    if (traits & UPDATES) {
        if ((found = holds(self, SNAPSHOTS, left)) == 0)
            found = holds(self, SNAPSHOTS, right);
        if (found < 0)
            return -1;
        needs |= found ? UPDATE : 0;
    }
    return needs;
}

/* What of a call needs a look: bits, or -1 with an exception set. */
static int interest(Calls *self, long traits, PyObject *name, PyObject *args, PyObject *result)
{
    if (traits & ASKS)
        return result == Py_False && PyDict_GET_SIZE(self->tables[CARRIED]) != 0 ? ASKED : 0;
    if (traits & GIVES_GRADIENT)
        return is_called_by_a_library(self) ? 0 : GRADIENT;
    int needs = 0, found = 0;
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    for (Py_ssize_t i = 0; found == 0 && i < count; i++)
        found = is_read(self, traits, i, PyTuple_GET_ITEM(args, i));
    if (found < 0)
        return -1;
    needs |= found ? READ : 0;
    if ((found = concerns_the_graph(self, traits, name, args, result)) < 0)
        return -1;
    needs |= found ? GRAPH : 0;
    if (count == 0 || !is_plain(self, PyTuple_GET_ITEM(args, 0)))
        return needs;
    if (traits & RELATES) {
        if ((found = relates(self, traits, PyTuple_GET_ITEM(args, 0), result)) < 0)
            return -1;
        needs |= found ? MEMORY : 0;
    }
    if (count > 1 && traits & (DIFFERS | COMPUTES | UPDATES) && is_plain(self, PyTuple_GET_ITEM(args, 1))) {
        if ((found = pair(self, traits, args)) < 0)
            return -1;
        needs |= found;
    }
    return needs;
}

static PyObject *interest_of(PyObject *object, PyObject *args)
{
    long traits;
    PyObject *name, *arguments, *result;
    if (!PyArg_ParseTuple(args, "lUO!O:interest", &traits, &name, &PyTuple_Type, &arguments, &result))
        return NULL;
    int needs = interest((Calls *)object, traits, name, arguments, result);
    return needs < 0 ? NULL : PyLong_FromLong(needs);
}

/* The function's entry: a new reference, or NULL with an exception set. */
static PyObject *plan_of(Calls *self, PyObject *function)
{
    PyObject *plan = PyDict_GetItemWithError(self->followers, function);
    if (plan != NULL)
        return Py_NewRef(plan);
    return PyErr_Occurred() ? NULL : PyObject_CallFunctionObjArgs(self->learn, function, NULL);
}

/* Run a call that needs no more than a look. *plan* is (traits, look, name), *args* a tuple, *kwargs* a dict or NULL. */
static PyObject *run(Calls *self, PyObject *function, long traits, PyObject *plan, PyObject *args, PyObject *kwargs)
{
    PyObject *result = PyObject_Call(function, args, kwargs), *look = PyTuple_GET_ITEM(plan, 1);
    if (result == NULL)
        return NULL;
    int needs = interest(self, traits, PyTuple_GET_ITEM(plan, 2), args, result);
    if (needs < 0) {
        PyErr_Clear(); /* who looks at it says what fails */
        needs = traits & (GIVES_GRADIENT | ASKS) ? 0 : EVERYTHING;
    }
    if (needs == 0)
        return result;
    PyObject *bits = PyLong_FromLong(needs);
    PyObject *done = bits == NULL ? NULL : PyObject_CallFunctionObjArgs(look, bits, args, result, NULL);
    Py_XDECREF(bits);
    if (done == NULL)
        Py_CLEAR(result);
    Py_XDECREF(done);
    return result;
}

static PyObject *follow(Calls *self, PyObject *function, PyObject *args, PyObject *kwargs)
{
    PyObject *plan = plan_of(self, function);
    if (plan == NULL)
        return NULL;
    int away = plan == Py_None ? 1 : is_true(self->attention, str_away);
    PyObject *result = NULL;
    if (away == 1)
        result = PyObject_Call(function, args, kwargs);
    else if (away == 0) {
        long traits = PyLong_AsLong(PyTuple_GET_ITEM(plan, 0));
        if (traits != FOLLOWED)
            result = run(self, function, traits, plan, args, kwargs);
        else {
            PyObject *given = kwargs == NULL ? PyDict_New() : Py_NewRef(kwargs);
            result = given == NULL ? NULL : PyObject_CallFunctionObjArgs(PyTuple_GET_ITEM(plan, 1), function, args, given, NULL);
            Py_XDECREF(given);
        }
    }
    Py_DECREF(plan);
    return result;
}

/* __torch_function__(func, types, args=(), kwargs=None) */
static PyObject *called(PyObject *object, PyObject *const *given, size_t flags, PyObject *names)
{
    Py_ssize_t count = PyVectorcall_NARGS(flags);
    if (names != NULL || count < 2 || count > 4) {
        PyErr_SetString(PyExc_TypeError, "(func, types, args=(), kwargs=None)");
        return NULL;
    }
    PyObject *args = count > 2 ? PySequence_Tuple(given[2]) : PyTuple_New(0);
    PyObject *kwargs = count > 3 && PyDict_Check(given[3]) && PyDict_GET_SIZE(given[3]) ? given[3] : NULL;
    PyObject *result = args == NULL ? NULL : follow((Calls *)object, given[0], args, kwargs);
    Py_XDECREF(args);
    return result;
}

static int traverse(Calls *self, visitproc visit, void *arg)
{
    Py_VISIT(self->mode);
    Py_VISIT(self->plain);
    Py_VISIT(self->followers);
    Py_VISIT(self->learn);
    Py_VISIT(self->attention);
    Py_VISIT(self->library);
    Py_VISIT(self->user_site);
    Py_VISIT(self->gradients);
    for (int i = 0; i < TABLES; i++)
        Py_VISIT(self->tables[i]);
    return 0;
}

static int clear(Calls *self)
{
    Py_CLEAR(self->mode);
    Py_CLEAR(self->plain);
    Py_CLEAR(self->followers);
    Py_CLEAR(self->learn);
    Py_CLEAR(self->attention);
    Py_CLEAR(self->library);
    Py_CLEAR(self->user_site);
    Py_CLEAR(self->gradients);
    for (int i = 0; i < TABLES; i++)
        Py_CLEAR(self->tables[i]);
    return 0;
}

static void dealloc(Calls *self)
{
    PyObject_GC_UnTrack(self);
    clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* The tables that the session keeps, by their names; -1 with an exception set. */
static int take_tables(Calls *self, PyObject *tables)
{
    if ((self->gradients = PyObject_GetAttrString(tables, "gradients")) == NULL)
        return -1;
    for (int i = 0; i < TABLES; i++) {
        if ((self->tables[i] = PyObject_GetAttrString(tables, table_names[i])) == NULL)
            return -1;
        if (!PyDict_Check(self->tables[i])) {
            PyErr_Format(PyExc_TypeError, "%s is no dict", table_names[i]);
            return -1;
        }
    }
    return 0;
}

static PyObject *new_calls(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"mode", "plain", "followers", "learn", "attention", "library", "user_site", "tables", NULL};
    PyObject *mode, *plain, *followers, *learn, *attention, *library, *user_site, *tables;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!O!OOO!OO:Calls", names, &mode, &PyTuple_Type, &plain, &PyDict_Type,
                                     &followers, &learn, &attention, &PyDict_Type, &library, &user_site, &tables))
        return NULL;
    if (PyTuple_GET_SIZE(plain) != 2) {
        PyErr_SetString(PyExc_TypeError, "plain is a pair of types");
        return NULL;
    }
    Calls *self = (Calls *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->vectorcall = called;
    self->mode = Py_NewRef(mode);
    self->plain = Py_NewRef(plain);
    self->followers = Py_NewRef(followers);
    self->learn = Py_NewRef(learn);
    self->attention = Py_NewRef(attention);
    self->library = Py_NewRef(library);
    self->user_site = Py_NewRef(user_site);
    if (take_tables(self, tables) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static PyMethodDef calls_methods[] = {
    {"interest", interest_of, METH_VARARGS, "Bits of what needs a look after a call: interest(traits, name, args, result)."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef calls_members[] = {
    {"__self__", T_OBJECT, offsetof(Calls, mode), READONLY, "The mode whose __torch_function__ this is."},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject CallsType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "tensorcopy.tracing._calls.Calls",
    .tp_basicsize = sizeof(Calls),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Calls, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_new = new_calls,
    .tp_traverse = (traverseproc)traverse,
    .tp_clear = (inquiry)clear,
    .tp_dealloc = (destructor)dealloc,
    .tp_methods = calls_methods,
    .tp_members = calls_members,
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_calls", .m_size = -1};

PyMODINIT_FUNC PyInit__calls(void)
{
    str_requires_grad = PyUnicode_InternFromString("requires_grad");
    str_away = PyUnicode_InternFromString("away");
    str_escaped = PyUnicode_InternFromString("escaped");
    str_dtype = PyUnicode_InternFromString("dtype");
    if (!str_requires_grad || !str_away || !str_escaped || !str_dtype || PyType_Ready(&CallsType) < 0)
        return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && PyModule_AddObjectRef(module, "Calls", (PyObject *)&CallsType) < 0)
        Py_CLEAR(module);
    return module;
}
