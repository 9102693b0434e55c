import { describe, expect, test } from 'vitest';
import { parseDevices, wantsGpu } from '../../../src/backends/index.ts';
import { UsageError } from '../../../src/errors.ts';

describe('--device', () => {
  test.each([
    ['auto', ['emulated', 'cuda'], true, undefined],
    ['emulated', ['emulated'], false, undefined],
    ['cuda', ['cuda'], false, undefined],
    ['cuda:1', ['cuda'], false, [1]],
    ['cuda:0,2', ['cuda'], false, [0, 2]],
    ['cuda:2,0,2', ['cuda'], false, [0, 2]],
  ])('%s asks for %j', (text, devices, gpuOptional, numbers) => {
    const choice = parseDevices(text);
    expect(choice).toMatchObject({ devices, gpuOptional, ...(numbers && { numbers }) });
    expect(choice.numbers).toEqual(numbers);
    expect(wantsGpu(choice)).toBe(devices.includes('cuda'));
  });

  test('reads again what it writes', () => {
    const { text } = parseDevices('cuda:2,0,2');
    expect(text).toBe('cuda:0,2');
    expect(parseDevices(text).numbers).toEqual([0, 2]);
  });

  test.each([
    '',
    'gpu',
    'cuda:',
    'cuda:x',
    'cuda:-1',
    'cuda:0,',
    'cuda:0;1',
    'emulated:0',
    'auto:1',
    'cuda:0:1',
  ])("refuses '%s' and says what is allowed", (text) => {
    expect(() => parseDevices(text)).toThrow(UsageError);
    expect(() => parseDevices(text)).toThrow(
      `there is no device '${text}': choose auto, emulated, cuda, or numbered GPUs such as cuda:1 and cuda:0,2`,
    );
  });
});
