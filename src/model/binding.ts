import type { Manifest, ManifestOperation } from './manifest.ts';

/** One file of an emitted package. */
export interface BindingFile {
  /** Inside the binding's folder; a name that ends in `.hbs` is rendered, any other is copied. */
  readonly from: string;
  /** Inside the package. */
  readonly to: string;
}

/** Files that travel into the package unchanged. */
export interface BindingCopy {
  /** A file, or a folder of which every file that `accept` takes is copied, at any depth. */
  readonly from: string;
  /** With a file: also the headers of its folder that it or a kernel includes, directly or not. `to` is then a folder. */
  readonly withIncludes?: boolean;
  /** Nothing is copied where there is no such file or folder; otherwise that is an error. */
  readonly optional?: boolean;
  /** Judges a path relative to `from`; absent: all. At least one file must be taken. */
  readonly accept?: (path: string) => boolean;
  /** Destination of the file, or of the folder's contents, inside the package. */
  readonly to: string;
}

/** A kind of package that an emitted library takes: one folder with this file as `binding.ts`. Plain data, no I/O. */
export interface Binding {
  /** Folder name, e.g. `c`. */
  readonly name: string;
  readonly summary: string;
  /** Files that a package has once. */
  readonly files: readonly BindingFile[];
  /** Copied from the generator's own package. */
  readonly copies: readonly BindingCopy[];
  /** Variables for the templates in `files`. */
  readonly context: (manifest: Manifest) => Readonly<Record<string, unknown>>;
  /** Those of one operation, by its name. Different for each name. */
  readonly operation: {
    readonly files: (name: string) => readonly BindingFile[];
    /** Place of its signature in C++, `operation.hpp`. */
    readonly signature: (name: string) => string;
    /** Copied from the family's folder. */
    readonly copies: (name: string) => readonly BindingCopy[];
    /** Variables for the templates in `files`. */
    readonly context: (operation: ManifestOperation) => Readonly<Record<string, unknown>>;
    /** Units, each of several sources, include folders (paths inside the package) and flags compiled for the emulated device as a test before hand-out. */
    readonly proof: (name: string) => {
      readonly units: readonly (readonly string[])[];
      readonly folders: readonly string[];
      readonly flags: readonly string[];
    };
  };
}

/** A file of a package, and what it may name. */
export interface PackageFile extends BindingFile {
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * A package in another language around an emitted library: one folder with this file as `package.ts`. Rendered from the
 * library's manifest alone, so that every operation of the library gets its part. Plain data, no I/O.
 */
export interface PackageBinding {
  /** Folder name; also that of the flag of `gen emit` that asks for the package, and of the package's folder. */
  readonly name: string;
  readonly summary: string;
  /** Folder of the package that gets the library's source tree. */
  readonly library: string;
  /** Folder that gets what an operation's family wrote for this language: its folder `bindings/<name>`. Absent: nowhere. */
  readonly familyFiles?: (operation: string) => string;
  /** `has`: whether a family wrote the file of this path in the package. */
  readonly files: (manifest: Manifest, has: (file: string) => boolean) => readonly PackageFile[];
  /**
   * Also built and packed as a wheel (PEP 427), with the library's shared libraries in `<first folder>/lib`. `extensions`: C sources in the
   * binding's folder, each compiled for Python's stable ABI where its headers are, and then a module of the package.
   */
  readonly wheel?: { readonly extensions: readonly string[] };
}
