/* _call.c - calls of the libraries' functions without ctypes, which takes ten times as long for one. Of Python's
 * stable ABI: built once, it serves every Python from 3.10 on. The package works without it. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <string.h>

enum { kHandles = 3, kAddresses = 8, kOperandBytes = 512 };

/* A C function by its number of handles. */
typedef union {
  void* address;
  int (*of_two)(void* context, void* problem, const void* operands, void* stream);
  int (*of_three)(void* context, void* pattern, void* problem, const void* operands, void* stream);
} Function;

/* A function of a library with all it is called with but the stream and the addresses of operands. */
typedef struct {
  PyObject_HEAD
  Function function;
  /* Context, descriptor of the pattern where there is one, problem: their owners keep them alive. */
  void* handles[kHandles];
  Py_ssize_t handle_count;
  /* The C struct of operands as it is before addresses are filled in, and where they go. */
  unsigned char operands[kOperandBytes];
  Py_ssize_t operand_bytes;
  Py_ssize_t places[kAddresses];
  Py_ssize_t place_count;
} Ready;

static PyObject* ready_type;
static PyObject *name_requires_grad, *name_version;

/* An address: None is null. Sets an exception for what is no number. */
static void* address_of(PyObject* number) { return number == Py_None ? NULL : PyLong_AsVoidPtr(number); }

static int read_handles(Ready* self, PyObject* handles) {
  self->handle_count = PyTuple_Size(handles);
  if (self->handle_count < 2 || self->handle_count > kHandles) {
    PyErr_SetString(PyExc_ValueError, "two or three handles");
    return -1;
  }
  for (Py_ssize_t at = 0; at < self->handle_count; at++)
    self->handles[at] = address_of(PyTuple_GetItem(handles, at));
  return PyErr_Occurred() ? -1 : 0;
}

static int read_places(Ready* self, PyObject* places) {
  self->place_count = PyTuple_Size(places);
  if (self->place_count < 0 || self->place_count > kAddresses) {
    PyErr_Format(PyExc_ValueError, "at most %d addresses", (int)kAddresses);
    return -1;
  }
  for (Py_ssize_t at = 0; at < self->place_count; at++) {
    Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GetItem(places, at));
    if (PyErr_Occurred()) return -1;
    if (place < 0 || place + (Py_ssize_t)sizeof(void*) > self->operand_bytes) {
      PyErr_SetString(PyExc_ValueError, "a place outside of the operands");
      return -1;
    }
    self->places[at] = place;
  }
  return 0;
}

static PyObject* ready_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"function", "handles", "operands", "places", NULL};
  PyObject *function, *handles, *places;
  const char* operands;
  Py_ssize_t bytes;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO!y#O!", names, &function, &PyTuple_Type, &handles,
                                   &operands, &bytes, &PyTuple_Type, &places))
    return NULL;
  if (bytes > kOperandBytes)
    return PyErr_Format(PyExc_ValueError, "operands of more than %d bytes", (int)kOperandBytes);
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Ready* self = (Ready*)allocate(type, 0);
  if (self == NULL) return NULL;
  self->function.address = address_of(function);
  memcpy(self->operands, operands, (size_t)bytes);
  self->operand_bytes = bytes;
  if (PyErr_Occurred() || read_handles(self, handles) < 0 || read_places(self, places) < 0) {
    Py_DECREF(self);
    return NULL;
  }
  return (PyObject*)self;
}

static void ready_free(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

static int call(const Ready* ready, const void* operands, void* stream) {
  void* const* handles = ready->handles;
  return ready->handle_count == 2
             ? ready->function.of_two(handles[0], handles[1], operands, stream)
             : ready->function.of_three(handles[0], handles[1], handles[2], operands, stream);
}

/* Enqueues a call with as many addresses as it has places, and gives the library's status. */
static int enqueue(const Ready* ready, void* stream, void* const* addresses) {
  _Alignas(16) unsigned char operands[kOperandBytes];
  memcpy(operands, ready->operands, (size_t)ready->operand_bytes);
  for (Py_ssize_t at = 0; at < ready->place_count; at++)
    memcpy(operands + ready->places[at], &addresses[at], sizeof(void*));
  int status;
  Py_BEGIN_ALLOW_THREADS
  status = call(ready, operands, stream);
  Py_END_ALLOW_THREADS
  return status;
}

/* run(ready, stream, *addresses) -> status */
static PyObject* run(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  (void)module;
  if (count < 2 || (PyObject*)Py_TYPE(arguments[0]) != ready_type ||
      count - 2 != ((const Ready*)arguments[0])->place_count) {
    PyErr_SetString(PyExc_TypeError, "run takes a Ready, a stream, and the addresses that it was made for");
    return NULL;
  }
  void* stream = address_of(arguments[1]);
  void* addresses[kAddresses];
  for (Py_ssize_t at = 0; at < count - 2; at++) addresses[at] = address_of(arguments[2 + at]);
  if (PyErr_Occurred()) return NULL;
  return PyLong_FromLong(enqueue((const Ready*)arguments[0], stream, addresses));
}

#include "_tensor_calls.h"

static PyType_Slot ready_slots[] = {
    {Py_tp_new, (void*)ready_new},
    {Py_tp_dealloc, (void*)ready_free},
    {Py_tp_doc, (void*)"Ready(function, handles, operands, places): a call that lacks a stream and addresses"},
    {0, NULL},
};
static PyType_Spec ready_spec = {"tilewright._call.Ready", sizeof(Ready), 0, Py_TPFLAGS_DEFAULT, ready_slots};

static PyMethodDef methods[] = {
    {"run", (PyCFunction)(void (*)(void))run, METH_FASTCALL, "run(ready, stream, *addresses) -> status"},
    {"repeat", (PyCFunction)(void (*)(void))repeat, METH_FASTCALL, "repeat(calls, *fixed, x, values, bias) -> result, or None"},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_call", "Calls of the libraries' functions.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__call(void) {
  PyObject* module = PyModule_Create(&definition);
  if (module == NULL) return NULL;
  ready_type = PyType_FromSpec(&ready_spec);
  calls_type = PyType_FromSpec(&calls_spec);
  name_requires_grad = PyUnicode_InternFromString("requires_grad");
  name_version = PyUnicode_InternFromString("_version");
  if (PyErr_Occurred() || PyModule_AddObjectRef(module, "Ready", ready_type) < 0 ||
      PyModule_AddObjectRef(module, "TensorCalls", calls_type) < 0) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
