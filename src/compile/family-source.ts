import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backends } from '../backends/index.ts';
import { EnvironmentError } from '../errors.ts';
import type { DeviceName } from '../model/artifact.ts';
import type { CppSignature } from '../model/signature.ts';
import type { CompileContext } from './context.ts';

type FamilyCode = Pick<CompileContext, 'familyFolder' | 'signature'>;

/** The family's C++ side as one source. A runner with the emulated device in it says so by a macro. */
export function familyUnit(device: DeviceName, context: FamilyCode): string {
  const emulated = backends[device].runner.toolkit ? '' : '#define TW_RUNNER_EMULATED\n';
  return emulated + oracle(context) + baselines(device, context);
}

/** The family's `oracle.hpp`, else that of what its operation computes. */
function oracle({ familyFolder, signature }: FamilyCode): string {
  if (existsSync(join(familyFolder, 'oracle.hpp'))) return '#include "oracle.hpp"\n';
  if (signature?.computes === undefined)
    throw new EnvironmentError(`${familyFolder} has no oracle.hpp, which says what the right answer is`);
  const makes = 'std::unique_ptr<Problem> make_problem(const Json& problem, const Parameters&)';
  return withHeaders(
    ['launch.hpp', 'tilewright/product_problem.hpp'],
    `${makes} { return std::make_unique<ProductProblem<${typesOf(signature)}>>(problem); }`,
  );
}

/** The baselines of the family's `vendor.hpp`, else cuBLASLt where the operation computes a product. Without either, or on the CPU, there are none. */
function baselines(device: DeviceName, { familyFolder, signature }: FamilyCode): string {
  const { vendor } = backends[device];
  if (vendor && existsSync(join(familyFolder, 'vendor.hpp'))) return '#include "vendor.hpp"\n';
  const product = vendor && signature?.computes === 'product' && signature;
  const list = product ? `vendor::cublaslt_baselines<${typesOf(product)}>()` : '{}';
  return withHeaders(
    product ? ['tilewright/cublaslt_baseline.hpp'] : [],
    `std::vector<std::unique_ptr<Baseline>> make_baselines() { return ${list}; }`,
  );
}

function typesOf({ name }: CppSignature): string {
  return `${name}::Shape, ${name}::Call`;
}

function withHeaders(headers: readonly string[], definition: string): string {
  const includes = headers.map((name) => `#include "${name}"\n`);
  return `${includes.join('')}namespace tilewright {\n${definition}\n}\n`;
}
