import type { Manifest } from './manifest.ts';

/** One file of an emitted package. */
export interface BindingFile {
  /** Inside the binding's folder; a name that ends in `.hbs` is rendered, any other is copied. */
  readonly from: string;
  /** Inside the package. */
  readonly to: string;
}

/** Files that travel into the package unchanged: those under `root` that match one of the patterns, to folder `to`. */
export interface BindingCopy {
  readonly root: 'package' | 'family';
  /** Folder under the root. */
  readonly folder: string;
  /** Names or globs relative to the folder. */
  readonly files: readonly string[];
  readonly to: string;
}

/** A kind of package that an emitted library takes: one folder with this file as `binding.ts`. Plain data, no I/O. */
export interface Binding {
  /** Folder name, e.g. `c`. */
  readonly name: string;
  readonly summary: string;
  readonly files: (manifest: Manifest) => readonly BindingFile[];
  readonly copies: (manifest: Manifest) => readonly BindingCopy[];
  /** What the `.hbs` files may name. */
  readonly context: (manifest: Manifest) => Readonly<Record<string, unknown>>;
}
