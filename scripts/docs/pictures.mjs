// `npm run docs -- pictures`: redraws the reference pictures that the tests compare the web app with.
process.env.UPDATE_PICTURES = '1'
process.argv.push('server/test/web/pictures.test.ts')
await import('../test/test.mjs')
