import type { PackageBinding } from '../../../src/model/binding.ts';
import type { Manifest } from '../../../src/model/manifest.ts';
import { signatureContext } from './signature.ts';

/** Files that a package has once. */
const shared = [
  'METADATA.hbs',
  'sparse_autotune/__init__.py.hbs',
  'sparse_autotune/py.typed',
  'tilewright/__init__.py.hbs',
  'tilewright/_arrays.py',
  'tilewright/_call.pyi',
  'tilewright/_call_by_ctypes.py',
  'tilewright/_context.py',
  'tilewright/_dlpack.py',
  'tilewright/_errors.py',
  'tilewright/_explanation.py',
  'tilewright/_library.py',
  'tilewright/_operation.py',
  'tilewright/_plan.py',
  'tilewright/_reading.py',
  'tilewright/_streams.py',
  'tilewright/_validate.py',
  'tilewright/_version.py.hbs',
  'tilewright/py.typed',
  'tilewright/torch.py.hbs',
];

/** Folder of an operation's modules inside the package. */
const modules = (operation: string) => `tilewright/operations/${operation}`;

const python: PackageBinding = {
  name: 'python',
  summary: 'Python package over the shared libraries, and a wheel of it; a family may add modules of its own',
  library: 'library',
  familyFiles: modules,
  files: (manifest, has) => {
    const context = packageContext(manifest, has);
    return [
      ...shared.map((from) => ({ from, to: from.replace(/\.hbs$/, ''), context })),
      ...Object.values(manifest.operations).flatMap(({ signature }) => {
        const own = { context: signatureContext(signature) };
        const init = `${modules(signature.name)}/__init__.py`;
        return [
          {
            ...own,
            from: 'tilewright/operation/_signature.py.hbs',
            to: `${modules(signature.name)}/_signature.py`,
          },
          ...(has(init) ? [] : [{ ...own, from: 'tilewright/operation/__init__.py', to: init }]),
        ];
      }),
    ];
  },
  wheel: { extensions: ['tilewright/_call.c'] },
};
export default python;

function packageContext({ operations, provenance, licence }: Manifest, has: (file: string) => boolean) {
  const names = Object.keys(operations);
  return {
    names: names.join(', '),
    operations: names,
    torch: names.filter((name) => has(`${modules(name)}/torch.py`)),
    version: provenance.generator.version,
    licence: licence.spdx,
  };
}
