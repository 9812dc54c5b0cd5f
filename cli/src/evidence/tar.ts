// Writes tar archives. In a module of its own for the same reason as values/yaml.ts.
export { pack } from 'tar-stream'
