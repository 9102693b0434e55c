/* _tensor_calls.h - calls whose tensors are like those of a former call. DLPack's exchange interface (1.2 and later) tells of a tensor
 * in C what five attributes tell in Python; a tensor that differs in any of it is left to the caller. Part of _call.c. */

/* Of DLPack's stable interface, with its fields in order. */
typedef struct {
  int32_t type; /* 1: the CPU, 2: CUDA */
  int32_t id;
} Device;
typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} ElementType;
typedef struct {
  void* data;
  Device device;
  int32_t ndim;
  ElementType type;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} Tensor;
typedef struct ExchangeHeader {
  uint32_t major, minor;
  struct ExchangeHeader* older;
} ExchangeHeader;
typedef struct {
  ExchangeHeader header;
  void* unused[3];
  int (*view)(void* object, Tensor* tensor);
  int (*current_stream)(int32_t type, int32_t id, void** stream);
} Exchange;

enum { kCpu = 1, kCuda = 2, kTensors = 3, kDimensions = 4, kSlots = 32 };

/* All of a tensor but its address. Unused bytes are zero. */
typedef struct {
  Device device;
  ElementType type;
  int32_t ndim;
  int64_t shape[kDimensions], strides[kDimensions];
} Kind;

/* A call, and the tensors that it is for. */
typedef struct {
  Kind kinds[kTensors];
  PyObject* ready;
  PyObject* owner;
  /* Function that gives memory for the result. */
  PyObject* make;
} Slot;

typedef struct {
  PyObject_HEAD const Exchange* exchange;
  /* Tuple: types of tensors that hide nothing. */
  PyObject* types;
  /* Tuple: functions of which one says something true where Python has to see a call. */
  PyObject* guards;
  PyObject *is_grad_enabled, *current_device;
  /* Tuple: the very objects for which the calls are, and the sum of their versions; -1 where they count none. */
  PyObject* fixed;
  int64_t version;
  Slot slots[kSlots];
} TensorCalls;

static PyObject* calls_type;

static void empty(Slot* slot) {
  Slot former = *slot;
  memset(slot, 0, sizeof *slot);
  Py_XDECREF(former.ready);
  Py_XDECREF(former.owner);
  Py_XDECREF(former.make);
}

static void forget(TensorCalls* self) {
  for (int at = 0; at < kSlots; at++) empty(&self->slots[at]);
}

static PyObject* calls_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"exchange", "types", "guards", "is_grad_enabled", "current_device", NULL};
  PyObject *capsule, *types, *guards, *grad, *device;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO!O!OO", names, &capsule, &PyTuple_Type, &types,
                                   &PyTuple_Type, &guards, &grad, &device))
    return NULL;
  const Exchange* exchange = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
  if (exchange == NULL) return NULL;
  if (exchange->header.major != 1 || exchange->view == NULL) {
    PyErr_SetString(PyExc_NotImplementedError, "another major version of DLPack");
    return NULL;
  }
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  TensorCalls* self = (TensorCalls*)allocate(type, 0);
  if (self == NULL) return NULL;
  self->exchange = exchange;
  self->types = Py_NewRef(types);
  self->guards = Py_NewRef(guards);
  self->is_grad_enabled = Py_NewRef(grad);
  self->current_device = Py_NewRef(device);
  return (PyObject*)self;
}

static void calls_free(PyObject* object) {
  TensorCalls* self = (TensorCalls*)object;
  forget(self);
  Py_CLEAR(self->types);
  Py_CLEAR(self->guards);
  Py_CLEAR(self->is_grad_enabled);
  Py_CLEAR(self->current_device);
  Py_CLEAR(self->fixed);
  ready_free(object);
}

/* Truth of a function's result, without arguments: 0 for 0, None and False, 1 for all else; -1 with an exception. */
static int asked(PyObject* function) {
  PyObject* said = PyObject_CallNoArgs(function);
  if (said == NULL) return -1;
  int is_true = said != Py_None && said != Py_False && PyObject_IsTrue(said);
  Py_DECREF(said);
  return is_true;
}

static int64_t number_of(PyObject* object, PyObject* name) {
  PyObject* number = PyObject_GetAttr(object, name);
  if (number == NULL) return -1;
  int64_t value = PyLong_AsLongLong(number);
  Py_DECREF(number);
  return value;
}

static int is_plain(const TensorCalls* self, PyObject* object) {
  for (Py_ssize_t at = 0; at < PyTuple_Size(self->types); at++)
    if ((PyObject*)Py_TYPE(object) == PyTuple_GetItem(self->types, at)) return 1;
  return 0;
}

/* Address and kind of a tensor; those of None are zero. Returns 0 for one that is not taken, -1 with an exception. */
static int look_at(const TensorCalls* self, PyObject* object, void** address, Kind* kind) {
  memset(kind, 0, sizeof *kind);
  *address = NULL;
  if (object == Py_None) return 1;
  if (!is_plain(self, object)) return 0;
  Tensor tensor;
  if (self->exchange->view(object, &tensor) < 0) return -1;
  if (tensor.ndim > kDimensions || (tensor.ndim > 0 && tensor.strides == NULL)) return 0;
  kind->device = tensor.device;
  kind->type = tensor.type;
  kind->ndim = tensor.ndim;
  for (int at = 0; at < tensor.ndim; at++) {
    kind->shape[at] = tensor.shape[at];
    kind->strides[at] = tensor.strides[at];
  }
  *address = (char*)tensor.data + tensor.byte_offset;
  return 1;
}

static Slot* slot_of(TensorCalls* self, const Kind* first) {
  uint64_t hash = (uint64_t)first->ndim;
  for (int at = 0; at < kDimensions; at++) hash = hash * 31 + (uint64_t)first->shape[at];
  return &self->slots[hash % kSlots];
}

/* Whether a gradient may be asked for. */
static int needs_gradient(const TensorCalls* self, PyObject* const* tensors, Py_ssize_t count) {
  int enabled = asked(self->is_grad_enabled);
  if (enabled <= 0) return enabled;
  for (Py_ssize_t at = 0; at < count; at++) {
    if (tensors[at] == Py_None) continue;
    PyObject* said = PyObject_GetAttr(tensors[at], name_requires_grad);
    if (said == NULL) return -1;
    int needs = said != Py_False;
    Py_DECREF(said);
    if (needs) return 1;
  }
  return 0;
}

/* Whether the fixed tensors are those of the calls, unchanged, and nothing but the result matters to anyone. */
static int may_repeat(const TensorCalls* self, PyObject* const* fixed, PyObject* const* tensors,
                      Py_ssize_t count) {
  int64_t version = 0;
  Py_ssize_t fixed_count = self->fixed == NULL ? 0 : PyTuple_Size(self->fixed);
  for (Py_ssize_t at = 0; at < fixed_count; at++) {
    if (fixed[at] != PyTuple_GetItem(self->fixed, at)) return 0;
    if (self->version < 0) continue;
    version += number_of(fixed[at], name_version);
    if (PyErr_Occurred()) return -1;
  }
  if (fixed_count == 0 || (self->version >= 0 && version != self->version)) return 0;
  for (Py_ssize_t at = 0; at < PyTuple_Size(self->guards); at++) {
    int hides = asked(PyTuple_GetItem(self->guards, at));
    if (hides != 0) return hides < 0 ? -1 : 0;
  }
  int needs = needs_gradient(self, tensors, count);
  return needs < 0 ? -1 : !needs;
}

/* The current stream of a device. Returns 0 where another device is the thread's current one, -1 with an exception. */
static int stream_of(const TensorCalls* self, Device device, void** stream) {
  *stream = NULL;
  if (device.type == kCpu) return 1;
  if (device.type != kCuda) return 0;
  PyObject* current = PyObject_CallNoArgs(self->current_device);
  if (current == NULL) return -1;
  long id = PyLong_AsLong(current);
  Py_DECREF(current);
  if (PyErr_Occurred()) return -1;
  if (id != device.id) return 0;
  return self->exchange->current_stream(device.type, device.id, stream) < 0 ? -1 : 1;
}

/* The result of a call of that slot; None where the library refused it, whose message the caller's own call will get. */
static PyObject* result_of(const TensorCalls* self, const Slot* slot, void** addresses) {
  Kind kind;
  void* stream;
  int there = stream_of(self, slot->kinds[0].device, &stream);
  if (there <= 0) return there < 0 ? NULL : Py_NewRef(Py_None);
  PyObject *ready = Py_NewRef(slot->ready), *owner = Py_NewRef(slot->owner);
  PyObject* result = PyObject_CallNoArgs(slot->make);
  int seen = result == NULL ? -1 : look_at(self, result, &addresses[kTensors], &kind);
  if (seen > 0 && enqueue((const Ready*)ready, stream, addresses) != 0) seen = 0;
  Py_DECREF(ready);
  Py_DECREF(owner);
  if (seen > 0) return result;
  Py_XDECREF(result);
  return seen < 0 ? NULL : Py_NewRef(Py_None);
}

/* repeat(calls, *fixed, x, values, bias) -> result, or None */
static PyObject* repeat(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  (void)module;
  if (count < 1 + kTensors || (PyObject*)Py_TYPE(arguments[0]) != calls_type) Py_RETURN_NONE;
  TensorCalls* self = (TensorCalls*)arguments[0];
  PyObject* const* tensors = arguments + count - kTensors;
  if (self->fixed == NULL || PyTuple_Size(self->fixed) != count - 1 - kTensors) Py_RETURN_NONE;
  Kind kinds[kTensors];
  void* addresses[kTensors + 1];
  int goes_on = may_repeat(self, arguments + 1, tensors, kTensors);
  for (int at = 0; at < kTensors && goes_on > 0; at++)
    goes_on = look_at(self, tensors[at], &addresses[at], &kinds[at]);
  if (goes_on < 0) return NULL;
  if (goes_on == 0) Py_RETURN_NONE;
  const Slot* slot = slot_of(self, &kinds[0]);
  if (slot->ready == NULL || memcmp(slot->kinds, kinds, sizeof kinds) != 0) Py_RETURN_NONE;
  return result_of(self, slot, addresses);
}

/* calls.learn(ready, owner, make, fixed, version, tensors): how calls of such tensors are run from now on. */
static PyObject* calls_learn(PyObject* object, PyObject* arguments) {
  TensorCalls* self = (TensorCalls*)object;
  PyObject *ready, *owner, *make, *fixed, *tensors;
  long long version;
  if (!PyArg_ParseTuple(arguments, "O!OOO!LO!", ready_type, &ready, &owner, &make, &PyTuple_Type, &fixed,
                        &version, &PyTuple_Type, &tensors))
    return NULL;
  if (PyTuple_Size(tensors) != kTensors || ((const Ready*)ready)->place_count != kTensors + 1) {
    PyErr_Format(PyExc_ValueError, "%d tensors, and a place more", (int)kTensors);
    return NULL;
  }
  Slot next = {0};
  void* address;
  for (int at = 0; at < kTensors; at++) {
    int seen = look_at(self, PyTuple_GetItem(tensors, at), &address, &next.kinds[at]);
    if (seen <= 0) return seen < 0 ? NULL : Py_NewRef(Py_None);
  }
  int same =
      self->fixed != NULL && self->version == version && PyTuple_Size(self->fixed) == PyTuple_Size(fixed);
  for (Py_ssize_t at = 0; same && at < PyTuple_Size(fixed); at++)
    same = PyTuple_GetItem(self->fixed, at) == PyTuple_GetItem(fixed, at);
  if (!same) {
    PyObject* former = self->fixed;
    forget(self);
    self->fixed = Py_NewRef(fixed);
    self->version = version;
    Py_XDECREF(former);
  }
  next.ready = Py_NewRef(ready);
  next.owner = Py_NewRef(owner);
  next.make = Py_NewRef(make);
  Slot* slot = slot_of(self, &next.kinds[0]);
  empty(slot);
  *slot = next;
  Py_RETURN_NONE;
}

static PyMethodDef calls_methods[] = {
    {"learn", calls_learn, METH_VARARGS, "learn(ready, owner, make, fixed, version, tensors)"},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot calls_slots[] = {
    {Py_tp_new, (void*)calls_new},
    {Py_tp_dealloc, (void*)calls_free},
    {Py_tp_methods, (void*)calls_methods},
    {Py_tp_doc, (void*)"TensorCalls(exchange, types, guards, is_grad_enabled, current_device): calls by the "
                       "kinds of their tensors"},
    {0, NULL},
};
static PyType_Spec calls_spec = {"tilewright._call.TensorCalls", sizeof(TensorCalls), 0, Py_TPFLAGS_DEFAULT,
                                 calls_slots};
