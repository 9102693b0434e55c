import type { Artifact } from '../model/artifact.ts';
import type { ParameterValue } from '../model/parameter.ts';
import type { JobVariant } from './protocol.ts';

/** The variant as a worker takes it: parameters and derived values that launch code can read (no fractions). */
export function jobVariant(artifact: Artifact): JobVariant {
  const { variant } = artifact.source;
  const { id, symbol, deterministic } = variant;
  const values = Object.entries({ ...variant.derived, ...variant.parameters });
  const parameters: Record<string, ParameterValue> = Object.fromEntries(
    values.filter(([, value]) => typeof value !== 'number' || Number.isInteger(value)),
  );
  const { sharedBytes } = variant.budget;
  const { kernels } = artifact;
  return {
    id,
    symbol,
    artifact: artifact.path,
    parameters,
    deterministic,
    sharedBytes,
    ...(kernels && { kernels }),
  };
}
