/* clock.h - the time of day in microseconds. */
#ifndef CLOCK_H
#define CLOCK_H
#include <time.h>

static double microseconds_now(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

#endif
