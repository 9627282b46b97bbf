resource "google_container_node_pool" "slice" {
  for_each = local.slices
  name     = each.key
  cluster  = google_container_cluster.main.id
  location = var.region

  node_locations = [var.zone]
  node_count     = each.value.hosts

  node_config {
    machine_type = "ct6e-standard-4t"
    disk_type    = "hyperdisk-balanced"
    oauth_scopes = ["https://www.googleapis.com/auth/cloud-platform"]
  }

  placement_policy {
    type         = "COMPACT"
    tpu_topology = each.value.topology
  }

  lifecycle {
    ignore_changes = [node_config[0].labels]
  }
}

resource "google_container_node_pool" "system" {
  name       = "system"
  cluster    = google_container_cluster.main.id
  location   = var.region
  node_count = 1
  node_config {
    machine_type = "e2-standard-8"
  }
}
