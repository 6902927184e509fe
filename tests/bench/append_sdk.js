// What append is compared with: standard input in blocks, one appendBlock after the other, with the SDK's own retries.
// node append_sdk.js CONTAINER BLOB BLOCK_BYTES
'use strict';
const { ContainerClient } = require('../azurite/node_modules/@azure/storage-blob');

const [container, name, size] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const connection = process.env.AZURE_STORAGE_CONNECTION_STRING;

async function main() {
  const blob = new ContainerClient(connection, container).getAppendBlobClient(name);
  await blob.createIfNotExists();
  let waiting = [];
  let bytes = 0;
  const send = async (block) => { await blob.appendBlock(block, block.length); };
  for await (const chunk of process.stdin) {
    waiting.push(chunk);
    bytes += chunk.length;
    while (bytes >= size) {
      const all = Buffer.concat(waiting);
      await send(all.subarray(0, size));
      waiting = [all.subarray(size)];
      bytes = all.length - size;
    }
  }
  if (bytes > 0) await send(Buffer.concat(waiting));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
