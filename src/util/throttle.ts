/** A function that passes its argument on to `task`, but at most once in `seconds`, counted from when it is made. */
export function atMostEvery<T>(
  seconds: number,
  task: (value: T) => void,
  now: () => number = () => performance.now(),
): (value: T) => void {
  let last = now();
  return (value) => {
    if (now() - last < seconds * 1000) return;
    last = now();
    task(value);
  };
}
