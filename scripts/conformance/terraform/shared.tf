# What one team defines and another reads.
# import: kosli_policy.shared tf-shared
terraform {
  required_providers {
    kosli = { source = "kosli-dev/kosli" }
  }
}

variable "phase" { type = string }

resource "kosli_environment" "shared" {
  name = "tf-shared"
  type = "docker"
}

resource "kosli_flow" "shared" {
  name        = "tf-shared"
  description = "Shared, ${var.phase}"
}

resource "kosli_policy" "shared" {
  name        = "tf-shared"
  description = "Shared"
  content     = "_schema: https://docs.kosli.com/schemas/policy/v1\nartifacts:\n  provenance:\n    required: true\n"
}

resource "kosli_policy_attachment" "shared" {
  environment_name = kosli_environment.shared.name
  policy_name      = kosli_policy.shared.name
}

data "kosli_environment" "shared" {
  name       = kosli_environment.shared.name
  depends_on = [kosli_policy_attachment.shared]
}

data "kosli_policy" "shared" {
  name = kosli_policy.shared.name
}

data "kosli_flow" "shared" {
  name = kosli_flow.shared.name
}

output "environment" {
  value = data.kosli_environment.shared
}

output "policy" {
  value = data.kosli_policy.shared
}

output "flow" {
  value = data.kosli_flow.shared
}
