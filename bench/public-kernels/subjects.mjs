// Checkouts of public repositories and the kernels in them, with the descriptions beside this file.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** The repositories, each at one commit. Its `.cu` files below `folders` are looked at, all of them; `include`: folders of headers. */
export const repositories = JSON.parse(readFileSync(join(here, 'repositories.json'), 'utf8'));

/** The `.cu` files of a checkout that are looked at, in order, with `/` between folders. */
function filesOf(checkout, { folders, deep }) {
  return folders
    .flatMap((folder) =>
      readdirSync(join(checkout, folder), { recursive: deep })
        .filter((name) => name.endsWith('.cu'))
        .map((name) => join(folder, name).replaceAll('\\', '/')),
    )
    .sort();
}

/** SHA-256 over the files' names and contents, which tells a commit where the history is not there. */
export function digestOf(checkout, repository) {
  const hash = createHash('sha256');
  for (const file of filesOf(checkout, repository))
    hash.update(`${file}\0`).update(readFileSync(join(checkout, file)));
  return hash.digest('hex');
}

/** The commit whose files a checkout has; else what git says of it, else the digest of its files. */
function commitOf(checkout, repository) {
  const digest = digestOf(checkout, repository);
  if (digest === repository.digest) return repository.commit;
  // Of a copy without its history git would name a repository around it.
  if (!existsSync(join(checkout, '.git'))) return `unknown, .cu files with SHA-256 ${digest}`;
  return execFileSync('git', ['-C', checkout, 'describe', '--always', '--abbrev=40', '--dirty'], {
    encoding: 'utf8',
  }).trim();
}

/** Checkouts by `<name>=<folder>`, or what is wrong with the arguments. */
export function checkoutsOf(positionals) {
  const pairs = positionals.map((one) => one.split('='));
  const unknown = pairs.find(([name]) => !(name in repositories));
  const names = Object.keys(repositories).join(', ');
  if (pairs.length === 0) return `name a checkout of one of these: ${names}`;
  if (unknown) return `'${unknown[0]}' is none of the repositories: ${names}`;
  const missing = pairs.find(([, path]) => !existsSync(path ?? ''));
  if (missing) return `there is no checkout of ${missing[0]} at '${missing[1] ?? ''}'`;
  return pairs.map(([name, path]) => ({ name, path, commit: commitOf(path, repositories[name]) }));
}

/** Names of the kernels that a file defines. */
function kernelsIn(text) {
  const plain = text
    .replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)/g, '');
  return [...plain.matchAll(/__global__\s+(?:static\s+)?void\s+(\w+)\s*\([^;{]*\)\s*\{/g)].map(
    ([, name]) => name,
  );
}

const plainName = (kernel) => kernel.replace(/<.*/, '');

function absolute(description) {
  const { reference } = description;
  if (!/^references[\w-]*\.cpp:/.test(reference ?? '')) return description;
  return { ...description, reference: join(here, reference) };
}

/** The kernels of a file, each with its description where it has one. */
function subjectsIn({ name, path: checkout }, file, descriptions, leftOut) {
  const path = join(checkout, file);
  const include = (repositories[name].include ?? []).map((folder) => join(checkout, folder));
  const described = descriptions.map(({ kernel }) => plainName(kernel));
  const others = kernelsIn(readFileSync(path, 'utf8')).filter(
    (kernel) => !described.includes(kernel) && !(kernel in leftOut),
  );
  return [
    ...descriptions.map((one) => ({ description: absolute(one), kernel: one.kernel })),
    ...others.map((kernel) => ({ kernel })),
  ].map((one) => ({ ...one, path, include, label: `${name}/${file}:${one.kernel}` }));
}

/** Descriptions by file, and kernels that are no code. */
async function descriptionsOf(name) {
  const module = join(here, `${name}.mjs`);
  if (!existsSync(module)) return { files: {}, leftOut: {} };
  const { folders, leftOut = {} } = await import(module);
  const files = Object.entries(folders).flatMap(([folder, known]) =>
    Object.entries(known).map(([file, descriptions]) => [join(folder, file), descriptions]),
  );
  return { files: Object.fromEntries(files), leftOut };
}

/** All kernels of the checkouts, and those that no compiler sees, with the reason. */
export async function subjectsOf(checkouts) {
  const waiting = [];
  const unseen = [];
  for (const checkout of checkouts) {
    const { name, path } = checkout;
    const { files, leftOut } = await descriptionsOf(name);
    unseen.push(...Object.entries(leftOut).map(([kernel, why]) => ({ label: `${name}:${kernel}`, why })));
    for (const file of filesOf(path, repositories[name]))
      waiting.push(...subjectsIn(checkout, file, files[file] ?? [], leftOut));
  }
  return { waiting, unseen };
}
