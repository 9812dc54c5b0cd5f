// Rego policies, which the client evaluates on the service's trail data.

export const evaluation = {
  title: 'evaluation',
  steps: [
    { run: 'evaluate trail build-1 --flow backend-ci --policy compliant.rego', says: 'ALLOW' },
    {
      run: 'evaluate trail build-1 --flow backend-ci --policy compliant.rego -o json --show-input',
      json: { allow: true },
    },
    { run: 'evaluate trail build-2 --flow backend-ci --policy compliant.rego', fails: 'DENIED' },
    { run: 'evaluate trail build-2 --flow backend-ci --policy compliant.rego --no-assert', says: 'DENIED' },
    { run: 'evaluate trail build-1 --flow backend-ci --policy deny.rego', fails: 'never' },
    { run: 'evaluate trails build-1 --flow backend-ci --policy all-compliant.rego', says: 'ALLOW' },
    { run: 'evaluate trails build-1 build-2 --flow backend-ci --policy all-compliant.rego', fails: 'DENIED' },
    {
      run: 'evaluate trail nowhere --flow backend-ci --policy compliant.rego',
      fails: "Trail with name 'nowhere' does not exist for Organization 'demo-org' and Flow 'backend-ci'",
    },
  ],
}
