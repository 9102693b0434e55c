// Exports for other programs: the shapes of what `gen` writes, and the makers for family.ts and gen.config.ts.
export { defineConfig, type UserConfig } from './config.ts';
export {
  artifactEventSchema,
  checkEventSchema,
  type Event,
  environmentEventSchema,
  errorEventSchema,
  eventSchema,
  measurementEventSchema,
  noteEventSchema,
  type Summary,
  spaceEventSchema,
  startEventSchema,
  summaryEventSchema,
  type VerdictEvent,
  verdictEventSchema,
} from './model/event.ts';
export { type RunEvidence, runEvidenceSchema } from './model/evidence.ts';
export { defineFamily, defineParameters, type Family } from './model/family.ts';
export { type Manifest, manifestSchema } from './model/manifest.ts';
export { type Measurement, measurementSchema } from './model/measurement.ts';
export { type Selection, selectionSchema } from './model/selection.ts';
export { type Verdict, type VerdictName, verdictNames, verdictSchema } from './model/verdict.ts';
