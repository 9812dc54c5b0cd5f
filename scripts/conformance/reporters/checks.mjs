// Prints each check of a conformance command, and fails the command if one failed.

export function makeChecks() {
  let failed = 0
  return {
    check: (title, is_right, found) => {
      console.log(`${is_right ? 'ok  ' : 'FAIL'} ${title}${is_right ? '' : `\n     ${found}`}`)
      if (!is_right) failed++
    },
    finish: () => {
      console.log(failed === 0 ? 'all checks passed' : `${failed} checks failed`)
      process.exitCode = failed === 0 ? 0 : 1
    },
  }
}
