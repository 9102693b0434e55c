import type { Manifest } from './manifest.ts';

/** One file of an emitted package. */
export interface BindingFile {
  /** Inside the binding's folder; a name that ends in `.hbs` is rendered, any other is copied. */
  readonly from: string;
  /** Inside the package. */
  readonly to: string;
}

/** Files that travel into the package unchanged. */
export interface BindingCopy {
  /** The generator's own package, or the family's folder. */
  readonly root: 'package' | 'family';
  /** A file, or a folder of which every file that `accept` takes is copied, at any depth. */
  readonly from: string;
  /** With a file: also the headers of its folder that it or a kernel includes, directly or not. `to` is then a folder. */
  readonly withIncludes?: boolean;
  /** Judges a path relative to `from`; absent: all. At least one file must be taken. */
  readonly accept?: (path: string) => boolean;
  /** Where the file or the folder's contents go, inside the package. */
  readonly to: string;
}

/** A kind of package that an emitted library takes: one folder with this file as `binding.ts`. Plain data, no I/O. */
export interface Binding {
  /** Folder name, e.g. `c`. */
  readonly name: string;
  readonly summary: string;
  readonly files: (manifest: Manifest) => readonly BindingFile[];
  readonly copies: (manifest: Manifest) => readonly BindingCopy[];
  /** What is compiled for the emulated device before the package is handed out: paths inside it, and flags. */
  readonly proof: {
    readonly sources: readonly string[];
    readonly folders: readonly string[];
    readonly flags: readonly string[];
  };
  /** What the `.hbs` files may name. */
  readonly context: (manifest: Manifest) => Readonly<Record<string, unknown>>;
}
