import { describe, expect, it } from 'vitest';
import { parseWorkerLine } from '../../../src/device/protocol.ts';

describe('parseWorkerLine', () => {
  it('reads every event', () => {
    const lines = [
      '{"event":"unavailable","reason":"no driver"}',
      '{"event":"case","id":"1","case":"c","schedule":0}',
      '{"event":"case","id":"1","case":"w","schedule":0,"subject":"v"}',
      '{"event":"checking","id":"1"}',
      '{"event":"sampling","id":"1","subject":"v","round":-1}',
      '{"event":"verdict","id":"1","verdict":"passed","evidence":{"message":"m","cases":3,"anything":[1]}}',
      '{"event":"check","id":"1","subject":"v","kind":"variant","workload":"w","verdict":"unsupported","evidence":{"message":"m"}}',
      '{"event":"done","id":"1"}',
      '{"event":"error","id":null,"message":"m"}',
    ];
    for (const line of lines) expect(parseWorkerLine(line)).toEqual(JSON.parse(line));
  });

  it.each([
    ['{"event":"verdict","id":"1","verdict":"fine","evidence":{"message":"m"}}', 'verdict'],
    ['{"event":"verdict","id":"1","verdict":"wrong","evidence":{}}', 'message'],
    ['{"event":"nonsense"}', 'nonsense'],
    ['{"event":"done"', 'done'],
    ['', 'protocol'],
  ])('refuses %s', (line, part) => {
    expect(() => parseWorkerLine(line)).toThrow(part);
  });
});
