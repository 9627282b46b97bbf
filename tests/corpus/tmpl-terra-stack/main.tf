terraform {
  required_version = ">= 1.9"
  required_providers {
    google     = { source = "hashicorp/google", version = "~> 7.4" }
    kubernetes = { source = "hashicorp/kubernetes", version = "~> 2.38" }
  }
}

locals {
  slices = {
    for name, s in var.slices : name => merge(s, {
      hosts = tonumber(s.chips) / 4
    })
  }
}

resource "kubernetes_manifest" "queues" {
  for_each = fileset("${path.module}/k8s/queues", "*.yaml")
  manifest = yamldecode(file("${path.module}/k8s/queues/${each.value}"))
}

resource "kubernetes_manifest" "runs" {
  for_each = local.slices
  manifest = yamldecode(templatefile("${path.module}/templates/run.yaml.tftpl", {
    name     = each.key
    hosts    = each.value.hosts
    topology = each.value.topology
    image    = var.image
  }))
}
