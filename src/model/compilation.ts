/** C++ that a compiler reads: a text, the folders of its headers, and flags. */
export interface Compilation {
  readonly text: string;
  readonly folders: readonly string[];
  readonly flags: readonly string[];
}
