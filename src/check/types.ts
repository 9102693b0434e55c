import { join } from 'node:path';
import { packageRoot } from '../util/package-root.ts';

/** Type errors in a family's TypeScript: `family.ts:12:3: …`. Loads slowly, so it is imported on demand. */
export async function typeProblems(folder: string): Promise<string[]> {
  const { ModuleKind, ModuleResolutionKind, Project, ScriptTarget, ts } = await import('ts-morph');
  const project = new Project({
    skipAddingFilesFromTsConfig: true,
    compilerOptions: {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      target: ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts'],
      types: [],
      module: ModuleKind.ESNext,
      moduleResolution: ModuleResolutionKind.Bundler,
      // As the loader names them to families outside of this package.
      paths: { 'tilewright/family': [join(packageRoot, 'src/model/family.ts')] },
    },
  });
  project.addSourceFileAtPath(join(folder, 'family.ts'));
  project.resolveSourceFileDependencies();
  // Of the family's own files alone: what they import is looked at as far as they need it.
  const own = project.getSourceFiles().filter((file) => file.getFilePath().startsWith(`${folder}/`));
  const diagnostics = own.flatMap((file) => file.getPreEmitDiagnostics());
  return diagnostics.flatMap((diagnostic) => {
    const file = diagnostic.getSourceFile();
    const start = diagnostic.getStart();
    if (!file?.getFilePath().startsWith(`${folder}/`) || start === undefined) return [];
    const { line, column } = file.getLineAndColumnAtPos(start);
    const text = ts.flattenDiagnosticMessageText(diagnostic.compilerObject.messageText, ' ');
    return [`${file.getFilePath()}:${line}:${column}: ${text}`];
  });
}
