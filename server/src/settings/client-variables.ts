// Variables of the command line, which has the same prefix. The service ignores them, because people may run both in
// one shell. All other names with the prefix are rejected, because they are probably misspelled settings.

export const CLIENT_VARIABLES: ReadonlySet<string> = new Set(
  [
    ...['HOST', 'API_TOKEN', 'API_TOKEN_FILE', 'API_KEY', 'ID_TOKEN', 'ID_TOKEN_FILE', 'AUDIENCE', 'CI'],
    ...['CONFIG_FILE', 'OUTPUT', 'JQ', 'QUIET', 'DRY_RUN', 'DEBUG', 'HELP', 'NO_COLOR', 'HTTP_PROXY'],
    ...['SPOOL', 'SPOOL_DIR', 'RECEIPTS', 'NO_RECEIPTS', 'TIMEOUT', 'MAX_API_RETRIES', 'ASSUME_YES', 'YES'],
    ...['FLOW', 'TRAIL', 'ARTIFACT_TYPE', 'EXCLUDE', 'ENVIRONMENT'],
  ].map(name => `WAYBILL_${name}`),
)
