import type { PartName } from './parts.ts';

/** One release of a package, and the SHA-256 of its wheels for x86-64 and arm64. */
export interface Wheel {
  readonly release: string;
  readonly hashes: readonly string[];
}

/**
 * The wheels of each part: their programs are run, so pip takes no other file, whatever the index offers. New ones:
 * `pip install --dry-run --ignore-installed --report - --only-binary=:all: --platform manylinux2014_aarch64 --target /tmp/x
 * "cuda-toolkit[nvcc,cudart,cccl,crt,nvvm,cusparse]==13.0.*"`, and the same for x86_64.
 */
export const wheels: Readonly<Record<PartName, readonly Wheel[]>> = {
  compile: [
    {
      release: 'nvidia-cuda-nvcc==13.0.88',
      hashes: [
        '56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03',
        'c7ff28f86a24effdc6c034fa15230c549a273e4771b10a7fec14996f8cf3307f',
      ],
    },
    {
      release: 'nvidia-cuda-runtime==13.0.96',
      hashes: [
        '7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548',
        'ef9bcbe90493a2b9d810e43d249adb3d02e98dd30200d86607d8d02687c43f55',
      ],
    },
    {
      release: 'nvidia-cuda-cccl==13.0.85',
      hashes: [
        'e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649',
        '6f0203e29fed809ee2b7fe9b1344df66ecab990c37d6a2e0e189b26d6c97ed7c',
      ],
    },
    {
      release: 'nvidia-cuda-crt==13.0.88',
      hashes: [
        '2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4',
        'ee2ea2a97073e02ee62bb27841f437332be2c248e3eac013df07997ada39c003',
      ],
    },
    {
      release: 'nvidia-nvvm==13.0.88',
      hashes: [
        'c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0',
        'c4376a291d72d22a315d9d2f69bdae8f8cd83a627f75bad395cee49a0fe65dc1',
      ],
    },
  ],
  cusparse: [
    {
      release: 'nvidia-cusparse==12.6.3.3',
      hashes: [
        '2b3c89c88d01ee0e477cb7f82ef60a11a4bcd57b6b87c33f789350b59759360b',
        '80bcc4662f23f1054ee334a15c72b8940402975e0eab63178fc7e670aa59472c',
      ],
    },
    {
      release: 'nvidia-nvjitlink==13.5.37',
      hashes: [
        '280d7cb9649704145f074b8dbde500de04ce02d0872e066e20a83c17bcaa93eb',
        '893f6f9a55b2720ed94913b5ba3332e972da8c78dfa2863d0244403dbd528ffc',
      ],
    },
  ],
  cmake: [
    {
      release: 'cmake==4.4.4',
      hashes: [
        'f773a0544c66370408f451acd487c2c643b0dfebb48c5d64f3638bc1bb820238',
        'b3029f586853e01ddf2824c1ff124a1c5284f8ae897994758e9c4eeb45903b58',
      ],
    },
    {
      release: 'ninja==1.13.2',
      hashes: [
        '65a24341b5ac09fcadcc37082660be40a94174e51a937fabf6e2cae26225fa2c',
        'd775a5e43e9088f507a6250d57fcf5678eb31268c545feb5064ffeee33735622',
      ],
    },
  ],
  'clang-format': [
    {
      release: 'clang-format==19.1.7',
      hashes: [
        'f4906fb463dd2033032978f56962caab268c9428a384126b9400543eb667f11c',
        'dac394c83a9233ab6707f66e1cdbd950f8b014b58604142a5b6f7998bf0bcc8c',
      ],
    },
  ],
};

/** A pip requirements file that takes nothing but the wheels of a part. */
export function requirementsOf(part: PartName): string {
  const lines = wheels[part].map(({ release, hashes }) =>
    [release, ...hashes.map((hash) => `--hash=sha256:${hash}`)].join(' '),
  );
  return `${lines.join('\n')}\n`;
}
