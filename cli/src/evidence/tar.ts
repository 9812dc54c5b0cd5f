// Writes tar archives. A separate module for the same reason as values/yaml.ts.
export { pack } from 'tar-stream'
