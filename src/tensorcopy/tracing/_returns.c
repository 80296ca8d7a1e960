/* Hear what Python functions return, in C: a profiling hook that passes over everything but returns of a few exact types.

   listen(kinds, is_library, heard, events) -> the object that sys.getprofile() then gives, until so many events have
   been passed over or heard. CPython's own API only. While a profiling hook runs, the interpreter calls no other, so that
   `heard` is not heard itself. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *kinds;      /* tuple of types */
    PyObject *is_library; /* str -> bool */
    PyObject *heard;      /* (frame, value) -> anything */
    PyObject *files;      /* dict: file -> bool, what is_library has said */
    Py_ssize_t left;      /* events until the end */
} Listener;

static int of_kind(PyObject *kinds, PyObject *value)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kinds); i++)
        if ((PyObject *)Py_TYPE(value) == PyTuple_GET_ITEM(kinds, i))
            return 1;
    return 0;
}

/* 1 for library code, 0 for the program's, -1 with an exception set. */
static int in_library(Listener *self, PyObject *file)
{
    PyObject *known = PyDict_GetItemWithError(self->files, file);
    if (known != NULL)
        return known == Py_True;
    if (PyErr_Occurred())
        return -1;
    PyObject *answer = PyObject_CallFunctionObjArgs(self->is_library, file, NULL);
    if (answer == NULL)
        return -1;
    int library = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    if (library >= 0 && PyDict_SetItem(self->files, file, library ? Py_True : Py_False) < 0)
        return -1;
    return library;
}

static int on_event(PyObject *object, PyFrameObject *frame, int what, PyObject *value)
{
    Listener *self = (Listener *)object;
    if (--self->left < 0) {
        PyEval_SetProfile(NULL, NULL); /* may free self */
        return 0;
    }
    if (what != PyTrace_RETURN || value == NULL || !of_kind(self->kinds, value))
        return 0;
    PyCodeObject *code = PyFrame_GetCode(frame);
    int library = in_library(self, code->co_filename);
    Py_DECREF(code);
    if (library != 0)
        return library < 0 ? -1 : 0;
    PyObject *done = PyObject_CallFunctionObjArgs(self->heard, (PyObject *)frame, value, NULL);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

static int traverse(Listener *self, visitproc visit, void *arg)
{
    Py_VISIT(self->kinds);
    Py_VISIT(self->is_library);
    Py_VISIT(self->heard);
    Py_VISIT(self->files);
    return 0;
}

static int clear(Listener *self)
{
    Py_CLEAR(self->kinds);
    Py_CLEAR(self->is_library);
    Py_CLEAR(self->heard);
    Py_CLEAR(self->files);
    return 0;
}

static void dealloc(Listener *self)
{
    PyObject_GC_UnTrack(self);
    clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyTypeObject ListenerType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "tensorcopy.tracing._returns.Listener",
    .tp_basicsize = sizeof(Listener),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = (traverseproc)traverse,
    .tp_clear = (inquiry)clear,
    .tp_dealloc = (destructor)dealloc,
};

static PyObject *listen(PyObject *module, PyObject *args)
{
    PyObject *kinds, *is_library, *heard;
    Py_ssize_t events;
    if (!PyArg_ParseTuple(args, "O!OOn:listen", &PyTuple_Type, &kinds, &is_library, &heard, &events))
        return NULL;
    Listener *self = PyObject_GC_New(Listener, &ListenerType);
    if (self == NULL)
        return NULL;
    self->kinds = Py_NewRef(kinds);
    self->is_library = Py_NewRef(is_library);
    self->heard = Py_NewRef(heard);
    self->files = PyDict_New();
    self->left = events;
    PyObject_GC_Track(self);
    if (self->files == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    PyEval_SetProfile(on_event, (PyObject *)self);
    return (PyObject *)self;
}

static PyMethodDef methods[] = {
    {"listen", listen, METH_VARARGS, "Call heard(frame, value) for returns of exactly these kinds on this thread, for so many events."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_returns", .m_size = -1, .m_methods = methods,
};

PyMODINIT_FUNC PyInit__returns(void)
{
    if (PyType_Ready(&ListenerType) < 0)
        return NULL;
    return PyModule_Create(&definition);
}
