// `npm run docs -- pictures`: draws the pictures again with which the tests compare the web app.
process.env.UPDATE_PICTURES = '1'
process.argv.push('server/test/web/pictures.test.ts')
await import('../test/test.mjs')
