# Service accounts with keys, one of which ends.
# needs: resource_service_account.go
# import: kosli_service_account.ci tf-ci
terraform {
  required_providers {
    kosli = { source = "kosli-dev/kosli" }
  }
}

variable "phase" { type = string }

resource "kosli_service_account" "ci" {
  name        = "tf-ci"
  description = "Pipelines, ${var.phase}"
  privilege   = var.phase == "first" ? "reader" : "member"
}

resource "kosli_service_account_api_key" "build" {
  service_account_name = kosli_service_account.ci.name
  description          = "Builds, ${var.phase}"
}

resource "kosli_service_account_api_key" "until" {
  service_account_name = kosli_service_account.ci.name
  description          = "Until 2100"
  expires_at           = 4102444800
}

output "expiry" {
  value = kosli_service_account_api_key.build.expires_at
}

output "key" {
  value     = kosli_service_account_api_key.build.key
  sensitive = true
}
