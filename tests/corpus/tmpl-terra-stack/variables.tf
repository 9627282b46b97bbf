variable "project" { type = string }
variable "region" { default = "us-east5" }
variable "zone" { default = "us-east5-b" }
variable "environment" { type = string }
variable "image" { type = string }
variable "slices" {
  type = map(object({
    topology = string
    chips    = number
  }))
}
