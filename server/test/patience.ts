// How long the server tests wait: the same as the packages' tests.
export { PATIENCE_MS, TEST_PATIENCE_MS, until } from '@waybill/testing/patience'
