// Microsoft's JavaScript SDK as a second opinion: `node sdk.js put|get CONTAINER BLOB FILE`, account from the environment.
'use strict';
const path = require('path');
const modules = path.join(__dirname, '../../azurite/node_modules');
const { BlobServiceClient } = require(path.join(modules, '@azure/storage-blob'));

async function main([action, container, blob, file]) {
    const service = BlobServiceClient.fromConnectionString(process.env.AZURE_STORAGE_CONNECTION_STRING);
    const client = service.getContainerClient(container).getBlockBlobClient(blob);
    if (action === 'put') {
        await client.uploadFile(file, {
            blockSize: 1024 * 1024,
            maxSingleShotSize: 1024 * 1024,
            blobHTTPHeaders: { blobContentType: 'text/x-sdk; charset=utf-8', blobCacheControl: 'no-cache' },
            metadata: { writer: 'sdk', i_: '1', i0: '2' },
        });
        return {};
    }
    await client.downloadToFile(file);
    const found = await client.getProperties();
    const list = await client.getBlockList('all');
    return {
        type: found.blobType,
        size: found.contentLength,
        contentType: found.contentType,
        metadata: found.metadata,
        etag: found.etag,
        blocks: (list.committedBlocks || []).map((block) => block.size),
        staged: (list.uncommittedBlocks || []).length,
    };
}

main(process.argv.slice(2)).then(
    (result) => console.log(JSON.stringify(result)),
    (error) => {
        console.error(error.message);
        process.exit(1);
    },
);
