// Answers what npm pixelmatch says of raw RGBA pairs.
//
//   node pixelmatch_oracle.mjs <folder of the pixelmatch package> < requests > answers
//
// A request is one JSON line: {expected, actual (base64 of raw RGBA), width, height, threshold,
// includeAA}. An answer is one JSON line: {mismatch, picture (base64 of the RGBA diff picture)}.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = process.argv[2];
const version = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
if (!version.startsWith('7.2.')) throw new Error(`pixelmatch ${version} is not 7.2`);
const { default: pixelmatch } = await import(pathToFileURL(join(folder, 'index.js')).href);

// Typed arrays need 4-byte alignment, which a slice of a Buffer does not promise.
const pixels = (text) => new Uint8Array(Buffer.from(text, 'base64'));

for (const line of readFileSync(0, 'utf8').split('\n')) {
    if (!line) continue;
    const { expected, actual, width, height, threshold, includeAA } = JSON.parse(line);
    const picture = new Uint8Array(width * height * 4);
    const mismatch = pixelmatch(pixels(expected), pixels(actual), picture, width, height, { threshold, includeAA });
    process.stdout.write(JSON.stringify({ mismatch, picture: Buffer.from(picture).toString('base64') }) + '\n');
}
