/* What the tracer asks of frames again and again, in C. CPython's own API only.

   user_site(library, sites, is_library, site_of, nowhere) -> the site of the innermost frame that is not library code.
   listen(kinds, is_library, heard, events) -> a profiling hook that passes over everything but returns of a few exact types:
   the object that sys.getprofile() then gives, until so many events have been passed over or heard. While a profiling hook
   runs, the interpreter calls no other, so that `heard` is not heard itself. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#if PY_VERSION_HEX < 0x030B0000
#include <frameobject.h> /* what Python 3.10 says of frames */
#endif

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

/* 1 for library code, 0 for the program's, -1 with an exception set; *files* is what *is_library* has said before. */
static int in_library(PyObject *files, PyObject *is_library, PyObject *file)
{
    PyObject *known = PyDict_GetItemWithError(files, file);
    if (known != NULL)
        return known == Py_True;
    if (PyErr_Occurred())
        return -1;
    PyObject *answer = PyObject_CallFunctionObjArgs(is_library, file, NULL);
    if (answer == NULL)
        return -1;
    int library = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    if (library >= 0 && PyDict_SetItem(files, file, library ? Py_True : Py_False) < 0)
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
    int library = in_library(self->files, self->is_library, code->co_filename);
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

/* A program that keeps sys.getprofile() and sets it again has it called as a function: go on in C, as before. */
static PyObject *call(PyObject *object, PyObject *args, PyObject *kwargs)
{
    if (PyThreadState_Get()->c_profileobj == object) {
        int over = ((Listener *)object)->left <= 0;
        PyEval_SetProfile(over ? NULL : on_event, over ? NULL : object);
    }
    Py_RETURN_NONE;
}

static PyTypeObject ListenerType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "tensorcopy.tracing._frames.Listener",
    .tp_basicsize = sizeof(Listener),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = (traverseproc)traverse,
    .tp_clear = (inquiry)clear,
    .tp_dealloc = (destructor)dealloc,
    .tp_call = call,
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

/* What is known of the place that a frame is at: a new reference, or NULL without an exception. */
static PyObject *known_site(PyObject *sites, PyCodeObject *code, PyFrameObject *frame)
{
#if PY_VERSION_HEX < 0x030B0000
    int at = frame->f_lasti * 2;
#else
    int at = PyFrame_GetLasti(frame);
#endif
    PyObject *key = PyLong_FromVoidPtr(code);
    PyObject *within = key == NULL ? NULL : PyDict_GetItemWithError(sites, key);
    Py_XDECREF(key);
    key = within == NULL ? NULL : PyLong_FromLong(at);
    PyObject *site = key == NULL ? NULL : PyDict_GetItemWithError(within, key);
    Py_XDECREF(key);
    return Py_XNewRef(site);
}

/* The site of a frame of the program, or NULL with an exception set. */
static PyObject *site_at(PyObject *sites, PyObject *site_of, PyCodeObject *code, PyFrameObject *frame)
{
    PyObject *site = known_site(sites, code, frame);
    if (site != NULL || PyErr_Occurred())
        return site;
    return PyObject_CallFunctionObjArgs(site_of, (PyObject *)frame, NULL);
}

static PyObject *user_site(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 5 || !PyDict_Check(args[0]) || !PyDict_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "user_site(library: dict, sites: dict, is_library, site_of, nowhere)");
        return NULL;
    }
    PyFrameObject *frame = (PyFrameObject *)Py_XNewRef((PyObject *)PyEval_GetFrame());
    while (frame != NULL) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        int library = in_library(args[0], args[2], code->co_filename);
        PyObject *site = library == 0 ? site_at(args[1], args[3], code, frame) : NULL;
        Py_DECREF(code);
        if (library <= 0) {
            Py_DECREF(frame);
            return site;
        }
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    return Py_NewRef(args[4]);
}

static PyMethodDef methods[] = {
    {"user_site", (PyCFunction)(void (*)(void))user_site, METH_FASTCALL, "The site of the innermost frame of the program."},
    {"listen", listen, METH_VARARGS, "Call heard(frame, value) for returns of exactly these kinds on this thread, for so many events."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_frames", .m_size = -1, .m_methods = methods,
};

PyMODINIT_FUNC PyInit__frames(void)
{
    if (PyType_Ready(&ListenerType) < 0)
        return NULL;
    return PyModule_Create(&definition);
}
