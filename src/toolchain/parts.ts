import { cudaRelease } from './paths.ts';

/** Something that can be installed: one folder under `parts/`. */
export interface Part {
  readonly name: PartName;
  /** Contents, for the line that announces it. */
  readonly brings: string;
  /** Megabytes to download and on disk, measured with pip 24 on x86-64. */
  readonly downloadMb: number;
  readonly diskMb: number;
}

export const partNames = ['compile', 'cusparse', 'cmake', 'clang-format'] as const;
export type PartName = (typeof partNames)[number];

/** Everything that can be installed; `wheels.ts` says of which files. */
export const parts: Readonly<Record<PartName, Part>> = {
  compile: {
    name: 'compile',
    brings: `CUDA ${cudaRelease}'s compiler`,
    downloadMb: 105,
    diskMb: 290,
  },
  cusparse: {
    name: 'cusparse',
    brings: `CUDA ${cudaRelease}'s cuSPARSE`,
    downloadMb: 190,
    diskMb: 270,
  },
  cmake: {
    name: 'cmake',
    brings: 'CMake and Ninja',
    downloadMb: 30,
    diskMb: 90,
  },
  'clang-format': {
    name: 'clang-format',
    brings: 'clang-format 19',
    downloadMb: 2,
    diskMb: 4,
  },
};
