// The plain optimistic loop of a script that uses Microsoft's SDK: `node cas.js CONTAINER BLOB WRITERS UPDATES`. Read,
// add one, write with If-Match, and at once again where that is refused. One process, so many loops at a time.
'use strict';
const path = require('path');
const { BlobServiceClient } = require(path.join(__dirname, '../azurite/node_modules/@azure/storage-blob'));

async function main([container, blob, writers, updates]) {
    const service = BlobServiceClient.fromConnectionString(process.env.AZURE_STORAGE_CONNECTION_STRING);
    const client = service.getContainerClient(container).getBlockBlobClient(blob);
    const tries = [];
    const seconds = [];
    async function update() {
        const start = process.hrtime.bigint();
        for (let count = 1; ; ++count) {
            const read = await client.download();
            let content = '';
            for await (const piece of read.readableStreamBody) content += piece;
            const text = String(Number(content) + 1);
            try {
                await client.upload(text, text.length, { conditions: { ifMatch: read.etag } });
                tries.push(count);
                seconds.push(Number(process.hrtime.bigint() - start) / 1e9);
                return;
            } catch (error) {
                if (error.statusCode !== 412) throw error;
            }
        }
    }
    async function writer() {
        for (let i = 0; i < Number(updates); ++i) await update();
    }
    await Promise.all(Array.from({ length: Number(writers) }, writer));
    return { tries, seconds };
}

main(process.argv.slice(2)).then(
    (result) => console.log(JSON.stringify(result)),
    (error) => {
        console.error(error.message);
        process.exit(1);
    },
);
