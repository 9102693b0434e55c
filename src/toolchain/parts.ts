import { cudaRelease } from './paths.ts';

/** Something that can be installed: one folder under `parts/`. */
export interface Part {
  readonly name: PartName;
  /** What pip is asked for. */
  readonly requirements: readonly string[];
  /** What it brings, for the line that announces it. */
  readonly brings: string;
  /** Megabytes to download and on disk, measured with pip 24 on x86-64. */
  readonly downloadMb: number;
  readonly diskMb: number;
}

export const partNames = ['compile', 'cusparse', 'cmake'] as const;
export type PartName = (typeof partNames)[number];

/**
 * NVIDIA's wheels by way of their metapackage, which pins every part to one release: the compiler's own wheel leaves
 * its companions unpinned.
 */
export const parts: Readonly<Record<PartName, Part>> = {
  compile: {
    name: 'compile',
    requirements: [`cuda-toolkit[nvcc,cudart,cccl,crt,nvvm]==${cudaRelease}.*`],
    brings: `CUDA ${cudaRelease}'s compiler`,
    downloadMb: 105,
    diskMb: 290,
  },
  cusparse: {
    name: 'cusparse',
    requirements: [`cuda-toolkit[cusparse]==${cudaRelease}.*`],
    brings: `CUDA ${cudaRelease}'s cuSPARSE`,
    downloadMb: 190,
    diskMb: 270,
  },
  cmake: {
    name: 'cmake',
    requirements: ['cmake>=3.25,<5', 'ninja>=1.11'],
    brings: 'CMake and Ninja',
    downloadMb: 30,
    diskMb: 90,
  },
};
