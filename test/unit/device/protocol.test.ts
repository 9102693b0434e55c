import { describe, expect, it } from 'vitest';
import { parseWorkerLine } from '../../../src/device/protocol.ts';

describe('parseWorkerLine', () => {
  it('reads every event', () => {
    const lines = [
      '{"event":"ready","device":"cuda","name":"NVIDIA H200","driver":"580.159.04","runtime":"13.0","uuid":"GPU-1","smCount":132,"computeCapability":90,"memoryBytes":150109880320,"l2Bytes":62914560,"maxSmClock":1980,"bandwidth":4814304000000}',
      '{"event":"unavailable","reason":"no driver"}',
      '{"event":"case","id":"1","case":"c","schedule":0}',
      '{"event":"case","id":"1","case":"w","schedule":0,"subject":"v"}',
      '{"event":"checking","id":"1"}',
      '{"event":"sampling","id":"1","subject":"v","round":-1}',
      '{"event":"verdict","id":"1","verdict":"passed","evidence":{"message":"m","cases":3,"anything":[1]}}',
      '{"event":"check","id":"1","subject":"v","kind":"variant","workload":"w","verdict":"unsupported","evidence":{"message":"m"}}',
      '{"event":"measurement","id":"1","subject":"v","kind":"variant","workload":"w","l2":"hot","samples":[1e-5,2e-5,3e-5],"median":2e-5,"mad":1e-5,"flops":2e9,"bytes":1e6,"tflops":100,"meanSmClock":1980,"graph":true,"stoppedEarly":true}',
      '{"event":"measurement","id":"1","subject":"cuSPARSE BSR","kind":"baseline","workload":"w","l2":"cold","samples":[1e-5],"median":1e-5,"mad":0,"flops":2e9,"bytes":1e6,"tflops":200,"meanSmClock":0}',
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
