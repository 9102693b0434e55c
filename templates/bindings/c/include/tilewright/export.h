/* export.h - marks the functions that the library exports; everything else in it is hidden. */
#ifndef TILEWRIGHT_EXPORT_H
#define TILEWRIGHT_EXPORT_H

#if defined(__GNUC__)
#define TW_API __attribute__((visibility("default")))
#else
#define TW_API
#endif

#endif
