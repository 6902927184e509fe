// A lock with Microsoft's JavaScript SDK: node sdk_lock.js MODULES CONTAINER BLOB acquires a lease and releases it.
'use strict';
const path = require('path');

async function main([modules, container, blob]) {
    const { BlobServiceClient } = require(path.join(modules, '@azure/storage-blob'));
    const service = BlobServiceClient.fromConnectionString(process.env.AZURE_STORAGE_CONNECTION_STRING);
    const lease = service.getContainerClient(container).getBlockBlobClient(blob).getBlobLeaseClient();
    await lease.acquireLease(60);
    await lease.releaseLease();
}

main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exit(1);
});
