// One thread that sends the same request over and over on a few connections: as little work as HTTP allows, so that
// what is measured is the server. Started by bench-sandbox.mjs.
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { port, text, connections, count } = workerData;
const request = Buffer.from(text);
const HEAD_END = Buffer.from('\r\n\r\n');

let left = count;
let refused;

/** Bytes of the first whole answer in `data`; 0: it is not whole yet. */
const wholeAnswer = (data) => {
  const end = data.indexOf(HEAD_END);
  if (end < 0) return 0;
  const head = data.toString('latin1', 0, end);
  const size = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  if (!/^HTTP\/1\.1 2/.test(head)) refused ??= `${head}\n${data.toString('utf8', end)}`;
  return data.length >= end + 4 + size ? end + 4 + size : 0;
};

const run = () =>
  new Promise((resolve, reject) => {
    let kept = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    const next = () => {
      if (left === 0 || refused !== undefined) return void socket.end(() => resolve());
      left -= 1;
      socket.write(request);
    };
    socket.on('connect', next).on('error', reject);
    socket.on('data', (part) => {
      kept = kept.length === 0 ? part : Buffer.concat([kept, part]);
      const size = wholeAnswer(kept);
      if (size === 0) return;
      kept = kept.subarray(size);
      next();
    });
  });

const began = performance.now();
await Promise.all(Array.from({ length: connections }, run));
parentPort.postMessage({ ms: performance.now() - began, refused });
