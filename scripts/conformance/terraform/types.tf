# Types of evidence, with a schema, with rules, with both.
# import: kosli_custom_attestation_type.scan tf-scan
terraform {
  required_providers {
    kosli = { source = "kosli-dev/kosli" }
  }
}

variable "phase" { type = string }

resource "kosli_custom_attestation_type" "scan" {
  name        = "tf-scan"
  description = "A scan without criticals"
  schema = jsonencode({
    type       = "object"
    properties = { criticals = { type = "integer", minimum = 0 } }
    required   = ["criticals"]
  })
  jq_rules = var.phase == "first" ? [".criticals == 0"] : [".criticals == 0", ".highs < 5"]
}

resource "kosli_custom_attestation_type" "shape" {
  name = "tf-shape"
  schema = jsonencode({
    type       = "object"
    properties = { at = { type = "string" }, state = { type = "string", enum = ["pass", "fail", var.phase] } }
  })
}

resource "kosli_custom_attestation_type" "rule" {
  name     = "tf-rule"
  jq_rules = [".age > ${var.phase == "first" ? 18 : 21}"]
}
