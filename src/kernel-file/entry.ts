import type { Plan } from './plan.ts';

/** The name under which a library exports the kernel in question. */
export const symbol = 'tw_check_kernel';

/**
 * C++ statements that make `list`, the arguments as cudaLaunchKernel takes them, of a call's `slots` (harness/check/problem.hpp) and `maps`:
 * the compiler knows how structs are laid out.
 */
function argumentList(
  kernel: string,
  { arguments: given, signature }: Pick<Plan, 'arguments' | 'signature'>,
): string {
  const slots = given.map((argument, slot) => ({ ...argument, slot }));
  const maps = given.filter((one) => 'map' in one && one.map !== undefined);
  const values = signature.parameters.map((parameter, index) => {
    const own = slots.filter(({ parameter }) => parameter === index);
    const [first] = own;
    const map = maps.findIndex(({ parameter }) => parameter === index);
    if (map >= 0) return { code: '', address: `maps[${map}]` };
    const type = `tw::ParametersOf<decltype(&${kernel})>::type<${index}>`;
    if (first?.kind === 'function')
      return {
        code: `${type} value${index} = ${first.value ? `&${first.value}` : 'nullptr'};\n`,
        address: `&value${index}`,
      };
    const slot = `slots + ${8 * (first?.slot ?? 0)}`;
    if (first?.kind === 'structs' && parameter.reference)
      return { code: '', address: `*reinterpret_cast<void**>(${slot})` };
    if (first && first.path === undefined) return { code: '', address: slot };
    const value = `value${index}.get()`;
    const fields = own.map(({ path, slot }) => `tw::set_field(${value}.${path}, slots + ${8 * slot});`);
    return { code: `tw::ByValue<${type}> value${index}; ${fields.join(' ')}\n`, address: `&${value}` };
  });
  const addresses = [...values.map(({ address }) => address), 'nullptr'];
  return `${values.map(({ code }) => code).join('')}void* list[] = {${addresses.join(', ')}};\n`;
}

/** Entry point on the emulated device. */
export function emulatedEntry(
  kernel: string,
  plan: Pick<Plan, 'arguments' | 'signature' | 'cooperative'>,
): string {
  return (
    (plan.cooperative ? `extern "C" { extern const char ${symbol}_cooperative = 1; }\n` : '') +
    `extern "C" void ${symbol}_emulated(void** arguments) {\n` +
    `[[maybe_unused]] char* slots = static_cast<char*>(arguments[0]); [[maybe_unused]] void** maps = arguments + 1;\n${argumentList(kernel, plan)}` +
    `tw::call_kernel(&${kernel}, list);\n}\n`
  );
}

/** Entry point on a GPU: host code, which launches. */
export function cudaEntry(
  kernel: string,
  plan: Pick<Plan, 'arguments' | 'signature' | 'cooperative'>,
): string {
  return (
    `extern "C" int ${symbol}_cuda(const void* call, void** maps, const unsigned* grid, const unsigned* block, const unsigned* cluster, size_t shared, void* stream) {\n` +
    `[[maybe_unused]] char* slots = static_cast<char*>(const_cast<void*>(call));\n${argumentList(kernel, plan)}` +
    `return tw::launch(${plan.cooperative}, reinterpret_cast<const void*>(&${kernel}), grid, block, cluster, shared, stream, list);\n}\n`
  );
}
