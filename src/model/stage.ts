/** Stages of a run, in order. A run that names one does it and all before it. */
export const stages = ['render', 'build', 'gate', 'time', 'select', 'emit'] as const;
export type Stage = (typeof stages)[number];
