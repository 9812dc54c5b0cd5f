# An estate of every kind of environment, combined in logical ones.
# import: kosli_environment.kind["lambda"] tf-estate-lambda
# import: kosli_logical_environment.all tf-estate
terraform {
  required_providers {
    kosli = { source = "kosli-dev/kosli" }
  }
}

variable "phase" { type = string }

resource "kosli_environment" "kind" {
  for_each = toset(["K8S", "ECS", "S3", "docker", "server", "lambda"])

  name        = "tf-estate-${lower(each.key)}"
  type        = each.key
  description = "${each.key}, ${var.phase}"
}

resource "kosli_logical_environment" "all" {
  name = "tf-estate"
  included_environments = [
    for kind in(var.phase == "first" ? ["K8S", "ECS"] : ["K8S", "S3", "server"]) : kosli_environment.kind[kind].name
  ]
}

resource "kosli_logical_environment" "later" {
  name                  = "tf-estate-later"
  included_environments = []
}
