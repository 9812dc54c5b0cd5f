// How long the tests of the server wait: the same as those of the packages.
export { PATIENCE_MS, TEST_PATIENCE_MS, until } from '@waybill/testing/patience'
