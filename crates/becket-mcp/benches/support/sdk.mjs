// What somebody would write who uses the TypeScript SDK. It measures itself: each line on stdin is a request, each line
// on stdout the answer to one.
//
//   node sdk.mjs <node_modules> <server> [arguments…]
//   {"calls": 1000, "size": 10}   that many calls, one after the other
//   {"connections": 1}            connects and closes that many servers
//   → {"wall": nanoseconds of one, "cpu": nanoseconds of one, "rss": bytes}

import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [modules, command, ...args] = process.argv.slice(2);
const sdk = (file) => import(pathToFileURL(`${modules}/@modelcontextprotocol/sdk/dist/esm/client/${file}`).href);
const { Client } = await sdk('index.js');
const { StdioClientTransport } = await sdk('stdio.js');

async function connect() {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
  await client.listTools();
  return client;
}

async function measure(times, once) {
  const wall = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  for (let time = 0; time < times; time += 1) await once();
  const used = process.cpuUsage(cpu);
  return {
    wall: Number(process.hrtime.bigint() - wall) / times,
    cpu: ((used.user + used.system) * 1000) / times,
    rss: process.memoryUsage.rss(),
  };
}

const client = await connect();
for await (const line of createInterface({ input: process.stdin })) {
  const { calls, size, connections } = JSON.parse(line);
  const measured = connections
    ? await measure(connections, async () => (await connect()).close())
    : await measure(calls, () => client.callTool({ name: 'fill', arguments: { size } }));
  process.stdout.write(`${JSON.stringify(measured)}\n`);
}
await client.close();
