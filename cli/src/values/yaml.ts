// The YAML parser in a separate module: the bundle gives named exports only to modules that import them by
// name, and others load it only when there is a file.
export { parse, parseAllDocuments, stringify } from 'yaml'
