// assert.h - an assertion of a kernel that fails ends the launch with its text and line. Included as often as one
// likes, as the standard's.
#undef assert
#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition) ((condition) ? static_cast<void>(0) : ::tw::fail_assertion(#condition))
#endif
