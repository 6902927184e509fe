// What download is compared with: node sdk_download.js CONTAINER BLOB FILE AT_ONCE, ranges of 4 MiB.
'use strict';
const fs = require('fs');
const { ContainerClient } = require('../azurite/node_modules/@azure/storage-blob');

const [container, name, file, atOnce] = process.argv.slice(2);
const client = new ContainerClient(process.env.AZURE_STORAGE_CONNECTION_STRING, container).getBlobClient(name);

client.downloadToBuffer(0, undefined, { blockSize: 4 * 1024 * 1024, concurrency: Number(atOnce) })
  .then((content) => fs.writeFileSync(file, content))
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
