/* The copies and writes that torch's dispatcher tells of, in C: nearly all need no more than to be counted. The others are
   passed on to the session, which says the same in Python where this was not built. CPython's own API only.

   Gate(**what it asks) -> an object with
   copied(name, args, result, nanoseconds): counts a copy of a kind and line that are known;
   wrote(tensor, sequence): counts a write of memory that nobody waits for. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

enum {
    SESSION,      /* its attributes `resting` and `full`, and its methods `_copied` and `_wrote`, which do the rest */
    ATTENTION,    /* its attribute `away`: whether the thread is at the session's own work */
    PLAIN,        /* (torch.Tensor, torch.nn.Parameter) */
    STRIDED,      /* torch.strided */
    CURRENT_NODE, /* () -> the node of the graph that runs, or None */
    USER_SITE,    /* () -> the line of the program that is running */
    COPIES,       /* its attribute `phase`, and its dict `tallies` */
    RECORD,       /* (tally, size, nanoseconds, phase): counts one more */
    MEMORY,       /* its attributes `sequence` and `addresses` */
    SAVED,        /* dicts by the address where memory begins: what waits for a write of it */
    PENDING,
    LIVING,
    BLOCKS,
    FIELDS
};
static char *const field_names[FIELDS + 1] = {
    "session", "attention", "plain",  "strided", "current_node", "user_site", "copies",
    "record",  "memory",    "saved",  "pending", "living",       "blocks",    NULL,
};
enum { LARGE = 1024 }; /* bytes from which on a copy of the program's own is judged */
enum { NO = 0, YES = 1, FAILED = -1 };

typedef struct {
    PyObject_HEAD
    PyObject *fields[FIELDS];
    PyObject *operations; /* dict: name of an operator -> of its operation */
} Gate;

static struct {
    PyObject *resting, *full, *away, *nbytes, *layout, *phase, *tallies, *count, *hidden, *addresses, *sequence, *storage,
        *data_ptr, *copied, *wrote, *underscore, *lstrip;
} str;

static int is_plain(Gate *self, PyObject *value)
{
    PyObject *kind = (PyObject *)Py_TYPE(value), *plain = self->fields[PLAIN];
    return kind == PyTuple_GET_ITEM(plain, 0) || kind == PyTuple_GET_ITEM(plain, 1);
}

static int is_true(PyObject *object, PyObject *name)
{
    PyObject *value = PyObject_GetAttr(object, name);
    int truth = value == NULL ? FAILED : PyObject_IsTrue(value);
    Py_XDECREF(value);
    return truth;
}

/* Whether `object.name` is *value*. */
static int has(PyObject *object, PyObject *name, PyObject *value)
{
    PyObject *found = PyObject_GetAttr(object, name);
    int same = found == NULL ? FAILED : found == value;
    Py_XDECREF(found);
    return same;
}

static long long number_of(PyObject *object, PyObject *name)
{
    PyObject *value = PyObject_GetAttr(object, name);
    long long number = value == NULL ? -1 : PyLong_AsLongLong(value);
    Py_XDECREF(value);
    return number;
}

/* Whether the session looks at what this thread does to a tensor now. */
static int is_looking(Gate *self, PyObject *tensor)
{
    if (!is_plain(self, tensor))
        return NO;
    int away = is_true(self->fields[ATTENTION], str.away);
    return away < 0 ? FAILED : !away;
}

/* The name of the operation, borrowed: ``_to_copy`` goes by the name of ``to_copy``. */
static PyObject *operation_of(Gate *self, PyObject *name)
{
    PyObject *operation = PyDict_GetItemWithError(self->operations, name);
    if (operation != NULL || PyErr_Occurred())
        return operation;
    operation = PyObject_CallMethodOneArg(name, str.lstrip, str.underscore);
    if (operation == NULL || PyDict_SetItem(self->operations, name, operation) < 0) {
        Py_XDECREF(operation);
        return NULL;
    }
    Py_DECREF(operation); /* the dict holds it */
    return PyDict_GetItemWithError(self->operations, name);
}

/* What is known of copies of this operation on this line: a new reference, or NULL, maybe with an exception set. */
static PyObject *tally_of(Gate *self, PyObject *name, PyObject *phase)
{
    PyObject *operation = operation_of(self, name);
    PyObject *site = operation == NULL ? NULL : PyObject_CallNoArgs(self->fields[USER_SITE]);
    PyObject *key = site == NULL ? NULL : PyTuple_Pack(3, site, operation, phase);
    PyObject *tallies = key == NULL ? NULL : PyObject_GetAttr(self->fields[COPIES], str.tallies);
    PyObject *tally = tallies == NULL ? NULL : Py_XNewRef(PyDict_GetItemWithError(tallies, key));
    Py_XDECREF(site);
    Py_XDECREF(key);
    Py_XDECREF(tallies);
    return tally;
}

/* Whether a copy needs no more than to be counted: small, or made by an operation on its own behalf. */
static int is_only_counted(Gate *self, PyObject *tally, long long size)
{
    int full = is_true(self->fields[SESSION], str.full);
    if (full <= 0)
        return full < 0 ? FAILED : YES;
    long long count = number_of(tally, str.count);
    if (count < 0 || ((count + 1) & 255) == 0) /* now and then the session does more */
        return PyErr_Occurred() ? FAILED : NO;
    return size < LARGE ? YES : is_true(tally, str.hidden);
}

static int record(Gate *self, PyObject *tally, long long size, PyObject *nanoseconds, PyObject *phase)
{
    PyObject *bytes = PyLong_FromLongLong(size);
    PyObject *done = bytes == NULL ? NULL
                                   : PyObject_CallFunctionObjArgs(self->fields[RECORD], tally, bytes, nanoseconds, phase, NULL);
    Py_XDECREF(bytes);
    Py_XDECREF(done);
    return done == NULL ? FAILED : YES;
}

/* Whether a copy could be counted here. */
static int count(Gate *self, PyObject *name, PyObject *result, PyObject *nanoseconds)
{
    int looking = is_looking(self, result), resting = looking == YES ? is_true(self->fields[SESSION], str.resting) : YES;
    if (looking != YES || resting != NO)
        return looking < 0 || resting < 0 ? FAILED : NO;
    PyObject *node = PyObject_CallNoArgs(self->fields[CURRENT_NODE]);
    Py_XDECREF(node);
    if (node != Py_None)
        return node == NULL ? FAILED : NO;
    int strided = has(result, str.layout, self->fields[STRIDED]);
    long long size = strided == YES ? number_of(result, str.nbytes) : -1;
    PyObject *phase = size < 0 ? NULL : PyObject_GetAttr(self->fields[COPIES], str.phase);
    PyObject *tally = phase == NULL ? NULL : tally_of(self, name, phase);
    int counted = tally == NULL ? NO : is_only_counted(self, tally, size);
    if (counted == YES)
        counted = record(self, tally, size, nanoseconds, phase);
    Py_XDECREF(phase);
    Py_XDECREF(tally);
    return PyErr_Occurred() ? FAILED : counted;
}

static PyObject *copied(PyObject *object, PyObject *const *args, Py_ssize_t given)
{
    Gate *self = (Gate *)object;
    if (given != 4) {
        PyErr_SetString(PyExc_TypeError, "copied(name, args, result, nanoseconds)");
        return NULL;
    }
    int counted = count(self, args[0], args[2], args[3]);
    if (counted == YES)
        Py_RETURN_NONE;
    PyErr_Clear(); /* the session meets what failed, too, and says so */
    return PyObject_CallMethodObjArgs(self->fields[SESSION], str.copied, args[0], args[1], args[2], args[3], NULL);
}

/* Where the memory of a tensor begins, as a new int. */
static PyObject *address_of(PyObject *tensor)
{
    PyObject *storage = PyObject_CallMethodNoArgs(tensor, str.storage);
    PyObject *address = storage == NULL ? NULL : PyObject_CallMethodNoArgs(storage, str.data_ptr);
    Py_XDECREF(storage);
    return address;
}

/* Whether something waits for a write of the memory that begins here. */
static int is_waited_for(Gate *self, PyObject *address)
{
    int found = NO;
    for (int i = SAVED; found == NO && i <= BLOCKS; i++)
        found = PyDict_GET_SIZE(self->fields[i]) ? PyDict_Contains(self->fields[i], address) : NO;
    if (found != NO)
        return found;
    PyObject *addresses = PyObject_GetAttr(self->fields[MEMORY], str.addresses);
    found = addresses == NULL ? FAILED : PySet_Contains(addresses, address);
    Py_XDECREF(addresses);
    return found;
}

static int count_write(Gate *self)
{
    long long sequence = number_of(self->fields[MEMORY], str.sequence);
    PyObject *next = sequence < 0 ? NULL : PyLong_FromLongLong(sequence + 1);
    int done = next == NULL ? FAILED : PyObject_SetAttr(self->fields[MEMORY], str.sequence, next);
    Py_XDECREF(next);
    return done < 0 ? FAILED : YES;
}

/* Whether a write could be counted here. */
static int pass(Gate *self, PyObject *tensor)
{
    int looking = is_looking(self, tensor);
    if (looking != YES)
        return looking;
    PyObject *address = address_of(tensor);
    int waited = address == NULL ? FAILED : is_waited_for(self, address);
    Py_XDECREF(address);
    return waited == NO ? count_write(self) : waited < 0 ? FAILED : NO;
}

static PyObject *wrote(PyObject *object, PyObject *const *args, Py_ssize_t given)
{
    Gate *self = (Gate *)object;
    if (given != 2) {
        PyErr_SetString(PyExc_TypeError, "wrote(tensor, sequence)");
        return NULL;
    }
    if (pass(self, args[0]) == YES)
        Py_RETURN_NONE;
    PyErr_Clear();
    return PyObject_CallMethodObjArgs(self->fields[SESSION], str.wrote, args[0], args[1], NULL);
}

static int traverse(Gate *self, visitproc visit, void *arg)
{
    for (int i = 0; i < FIELDS; i++)
        Py_VISIT(self->fields[i]);
    Py_VISIT(self->operations);
    return 0;
}

static int clear(Gate *self)
{
    for (int i = 0; i < FIELDS; i++)
        Py_CLEAR(self->fields[i]);
    Py_CLEAR(self->operations);
    return 0;
}

static void dealloc(Gate *self)
{
    PyObject_GC_UnTrack(self);
    clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int is_of_its_kind(int field, PyObject *value)
{
    if (field == PLAIN)
        return PyTuple_Check(value) && PyTuple_GET_SIZE(value) == 2;
    return field < SAVED || PyDict_Check(value);
}

static PyObject *new_gate(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (PyTuple_GET_SIZE(args) || kwargs == NULL || PyDict_GET_SIZE(kwargs) != FIELDS) {
        PyErr_SetString(PyExc_TypeError, "Gate takes exactly its fields, by name");
        return NULL;
    }
    Gate *self = (Gate *)type->tp_alloc(type, 0);
    if (self == NULL || (self->operations = PyDict_New()) == NULL) {
        Py_XDECREF(self);
        return NULL;
    }
    for (int i = 0; i < FIELDS; i++) {
        PyObject *value = PyDict_GetItemString(kwargs, field_names[i]);
        if (value == NULL || !is_of_its_kind(i, value)) {
            PyErr_Format(PyExc_TypeError, "Gate: %s is missing or of another type", field_names[i]);
            Py_DECREF(self);
            return NULL;
        }
        self->fields[i] = Py_NewRef(value);
    }
    return (PyObject *)self;
}

static PyMethodDef gate_methods[] = {
    {"copied", (PyCFunction)(void (*)(void))copied, METH_FASTCALL, "copied(name, args, result, nanoseconds)"},
    {"wrote", (PyCFunction)(void (*)(void))wrote, METH_FASTCALL, "wrote(tensor, sequence)"},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject GateType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "tensorcopy.tracing._gate.Gate",
    .tp_basicsize = sizeof(Gate),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = new_gate,
    .tp_traverse = (traverseproc)traverse,
    .tp_clear = (inquiry)clear,
    .tp_dealloc = (destructor)dealloc,
    .tp_methods = gate_methods,
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_gate", .m_size = -1};

static int intern_names(void)
{
    return (str.resting = PyUnicode_InternFromString("resting")) && (str.full = PyUnicode_InternFromString("full")) &&
           (str.away = PyUnicode_InternFromString("away")) && (str.nbytes = PyUnicode_InternFromString("nbytes")) &&
           (str.layout = PyUnicode_InternFromString("layout")) && (str.phase = PyUnicode_InternFromString("phase")) &&
           (str.tallies = PyUnicode_InternFromString("tallies")) && (str.count = PyUnicode_InternFromString("count")) &&
           (str.hidden = PyUnicode_InternFromString("hidden")) &&
           (str.addresses = PyUnicode_InternFromString("addresses")) &&
           (str.sequence = PyUnicode_InternFromString("sequence")) &&
           (str.storage = PyUnicode_InternFromString("untyped_storage")) &&
           (str.data_ptr = PyUnicode_InternFromString("data_ptr")) &&
           (str.copied = PyUnicode_InternFromString("_copied")) && (str.wrote = PyUnicode_InternFromString("_wrote")) &&
           (str.underscore = PyUnicode_InternFromString("_")) && (str.lstrip = PyUnicode_InternFromString("lstrip"));
}

PyMODINIT_FUNC PyInit__gate(void)
{
    if (!intern_names() || PyType_Ready(&GateType) < 0)
        return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && PyModule_AddObjectRef(module, "Gate", (PyObject *)&GateType) < 0)
        Py_CLEAR(module);
    return module;
}
