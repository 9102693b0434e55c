import { Project } from 'ts-morph';
import { expect, test } from 'vitest';
import { describeOperation } from '../../../src/emit/manifest.ts';
import { typedManifest } from '../../../src/emit/typescript.ts';
import { toyRequest, toyShipped } from '../../helpers/toy-library.ts';

const text = typedManifest(describeOperation(toyRequest(), toyShipped(), '1.2.3'));

test('types the parameters by their values, with their comments', () => {
  expect(text).toContain('/** Columns per CTA. */\n  readonly tileN: 32 | 64 | 128;');
  expect(text).toContain('readonly path: "naive" | "simt" | "mma";');
});

test('is a module without a single error, under the strictest rules', { timeout: 60_000 }, () => {
  const project = new Project({
    compilerOptions: { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
    useInMemoryFileSystem: true,
  });
  project.createSourceFile('manifest.ts', text);
  expect(project.getPreEmitDiagnostics().map((diagnostic) => diagnostic.getMessageText())).toEqual([]);
});

test('a parameter that does not exist is an error in whoever uses it', { timeout: 60_000 }, () => {
  const project = new Project({ compilerOptions: { strict: true }, useInMemoryFileSystem: true });
  project.createSourceFile('manifest.ts', text);
  const user = project.createSourceFile(
    'user.ts',
    `import { variants } from './manifest';\nObject.values(variants)[0]?.parameters.tileQ;`,
  );
  expect(user.getPreEmitDiagnostics().length).toBe(1);
});
