/** `1,048,576`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
