# A team: its environment, its pipeline, the policy between them, and who is told.
# import: kosli_environment.production tf-production
# import: kosli_flow.backend tf-backend
# import: kosli_policy_attachment.strict tf-production/tf-strict
terraform {
  required_providers {
    kosli = { source = "kosli-dev/kosli" }
  }
}

variable "phase" { type = string }

resource "kosli_environment" "production" {
  name            = "tf-production"
  type            = "K8S"
  description     = var.phase == "first" ? "The cluster" : "The cluster in Oslo"
  include_scaling = var.phase == "second"
  tags            = var.phase == "first" ? { team = "payments", tier = "1" } : { team = "payments" }
}

resource "kosli_flow" "backend" {
  name        = "tf-backend"
  description = "Builds the backend"
  template    = <<-YAML
    version: 1
    trail:
      attestations:
        - name: ${var.phase == "first" ? "review" : "pull-request"}
          type: pull_request
      artifacts:
        - name: image
          attestations:
            - name: unit-tests
              type: junit
  YAML
}

resource "kosli_policy" "strict" {
  name    = "tf-strict"
  content = <<-YAML
    _schema: https://docs.kosli.com/schemas/policy/v1
    artifacts:
      provenance:
        required: true
      trail-compliance:
        required: ${var.phase == "second"}
  YAML
}

resource "kosli_policy_attachment" "strict" {
  environment_name = kosli_environment.production.name
  policy_name      = kosli_policy.strict.name
}

resource "kosli_action" "alerts" {
  name         = "tf-alerts"
  environments = [kosli_environment.production.name]
  triggers     = var.phase == "first" ? ["ON_NON_COMPLIANT_ENV"] : ["ON_NON_COMPLIANT_ENV", "ON_COMPLIANT_ENV"]
  webhook_url  = "https://hooks.example.com/in/T0K3N"
}
