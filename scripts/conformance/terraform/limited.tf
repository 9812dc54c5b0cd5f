# Keys where the organization limits their lifetime: the service computes the expiry.
# needs: resource_service_account.go
# longest lifetime of keys: 90 days
terraform {
  required_providers {
    kosli = { source = "kosli-dev/kosli" }
  }
}

variable "phase" { type = string }

resource "kosli_service_account" "limited" {
  name      = "tf-limited"
  privilege = "member"
}

resource "kosli_service_account_api_key" "limited" {
  service_account_name = kosli_service_account.limited.name
  description          = "As long as allowed, ${var.phase}"
}

output "expiry" {
  value = kosli_service_account_api_key.limited.expires_at
}
