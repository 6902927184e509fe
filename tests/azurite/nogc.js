// Loaded into Azurite before its own code (node -r): makes it fit to test against.
'use strict';

// Its in-memory garbage collection freezes the whole server, for seconds to minutes, once many blocks were
// overwritten or deleted. It runs at the start and then at this interval; the start is harmless.
const constants = require('azurite/dist/src/blob/utils/constants.js');
if (!(constants.DEFAULT_GC_INTERVAL_MS > 0)) {
    throw new Error('nogc.js: this Azurite has no DEFAULT_GC_INTERVAL_MS; see whether its collection changed');
}
constants.DEFAULT_GC_INTERVAL_MS = 2 ** 31 - 1;

// Ends with its owner, so that a killed test run leaves no server behind. A recycled process id only delays this.
const owner = Number(process.env.AZURITE_OWNER_PID || 0);
if (owner > 0) {
    setInterval(() => {
        try {
            process.kill(owner, 0);
        } catch (error) {
            if (error.code === 'ESRCH') process.exit(1);
        }
    }, 500).unref();
}
