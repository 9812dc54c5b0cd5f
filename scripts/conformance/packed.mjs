// `npm run conformance -- packed`: does the same as `-- waybill`, with the packed program in an empty folder. Needs
// the npm registry for its dependencies.
process.argv.splice(2, 0, '--packed')
await import('./waybill.mjs')
