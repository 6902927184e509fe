// Uploads with Microsoft's JavaScript SDK: node sdk_upload.js MODULES CONTAINER BLOB FILE BLOCK_MIB AT_ONCE
'use strict';
const path = require('path');

async function main([modules, container, blob, file, blockMib, atOnce]) {
    const { BlobServiceClient } = require(path.join(modules, '@azure/storage-blob'));
    const service = BlobServiceClient.fromConnectionString(process.env.AZURE_STORAGE_CONNECTION_STRING);
    const blockSize = Number(blockMib) * 1024 * 1024;
    await service.getContainerClient(container).getBlockBlobClient(blob).uploadFile(file, {
        blockSize,
        maxSingleShotSize: blockSize,
        concurrency: Number(atOnce),
    });
}

main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exit(1);
});
